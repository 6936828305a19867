// The workers that a server counts on, message by message.
#include "core/membership/worker_set.hpp"

#include <doctest/doctest.h>

#include "core/membership/clocks.hpp"
#include "core/node/vectors.hpp"
#include "tests/support/local_cluster.hpp"

namespace ddl::membership::worker_set_test {
namespace {

using Workers = std::vector<int>;

constexpr int server = 3, other_server = 4;

// A message to the node under test, or an event of a host.
struct Word {
  double at_s = 0;
  int source = 0;
  Message message = {};
};

Word word(double at_s, int source, Body body, std::int64_t step = 0) {
  return {at_s, source, {.step = step, .body = body}};
}
Word event(double at_s, int source, Presence presence, std::int64_t number = 1) {
  return word(at_s, source, MembershipEvent{presence, number});
}
Word shard(double at_s, int source, std::vector<float> values) {
  Word said = word(at_s, source, comm::Shard{});
  said.message.values = make_payload(std::move(values));
  return said;
}

LocalCluster three_workers_and_two_servers() {
  return LocalCluster({.cluster = {.workers = 3, .servers = 2, .parameters = 5, .model_bytes = 20}});
}

// Runs `body` as the program of node `id`, while the others say these words. Worker 0 ends last, so that the run lasts
// as long as the body.
void hear(LocalCluster& cluster, int id, const std::vector<Word>& words, const std::function<void(Node&)>& body) {
  constexpr int over = 99;
  cluster.run(each([&](Node& node) {
    if (node.id() == id) {
      body(node);
      if (id != 0) node.send(0, {.port = over});
      return;
    }
    for (const Word& said : words) {
      if (said.source != node.id()) continue;
      node.compute(said.at_s - node.now());
      Message message = said.message;
      message.port = id == server ? comm::to_server : comm::to_worker;
      node.send(id, std::move(message));
    }
    if (node.id() == 0) node.receive(over, "the end of the test");
  }));
}

Workers suspected(LocalCluster& cluster, int id) {
  Workers list;
  for (const Record& record : cluster.node(id).records) {
    if (const auto* suspicion = std::get_if<Suspicion>(&record)) list.push_back(suspicion->worker);
  }
  return list;
}

Workers no_workers() { return {}; }
Workers members(const WorkerSet& workers) {
  return workers.where([](int) { return true; });
}

}  // namespace

TEST_CASE("a worker that leaves is lost, and one whose host goes by the policy") {
  for (const OnFailure on_failure : {OnFailure::wait, OnFailure::go_on}) {
    LocalCluster cluster = three_workers_and_two_servers();
    const std::vector<Word> words = {word(1, 0, comm::Leave{}),
                                     event(2, 1, Presence::down),
                                     event(3, 1, Presence::up, 2),
                                     event(4, 2, Presence::away, 3),
                                     event(5, other_server, Presence::down, 4),
                                     word(6, 1, comm::Pull{})};
    hear(cluster, server, words, [on_failure](Node& node) {
      comm::ShardServer shards(node);
      WorkerSet workers(node, on_failure, std::nullopt);
      CHECK(members(workers) == Workers{0, 1, 2});
      for (int others = 0; others < 5; ++others) CHECK_FALSE(workers.receive(shards, "words", no_workers));
      CHECK(members(workers) == (on_failure == OnFailure::wait ? Workers{1} : Workers{}));
      CHECK(workers.receive(shards, "words", no_workers)->is<comm::Pull>());
      workers.add(1);
      CHECK(members(workers) == Workers{1});
      CHECK(workers.size() == 1);
      CHECK(node.now() == 6);
    });
  }
}

TEST_CASE("a server forgets what a worker that goes had asked for and pulled") {
  LocalCluster cluster = three_workers_and_two_servers();
  const std::vector<Word> words = {word(1, 0, comm::Pull{}, 7), word(2, 1, comm::Pull{}), event(3, 1, Presence::down),
                                   word(4, 0, comm::Push{}, 9), event(5, 0, Presence::down, 2)};
  hear(cluster, server, words, [](Node& node) {
    comm::ShardServer shards(node);
    shards.receive("a pull");
    shards.receive("a pull");
    CHECK(shards.asking().size() == 2);
    shards.answer(0);
    shards.receive("an event");
    CHECK(shards.asking().empty());
    CHECK(shards.steps_in(shards.receive("a push")) == 2);
    CHECK(shards.has_pulled(0));
    shards.receive("an event");
    CHECK_FALSE(shards.has_pulled(0));
  });
}

TEST_CASE("a worker that holds others up is suspected once it has been silent for the time-out, and no sooner") {
  LocalCluster cluster = three_workers_and_two_servers();
  const std::vector<Word> words = {word(5, 0, comm::Pull{}), word(8, 2, comm::Push{}), word(100, 0, comm::Leave{})};
  hear(cluster, server, words, [&](Node& node) {
    comm::ShardServer shards(node);
    WorkerSet workers(node, OnFailure::time_out, Seconds{10});
    const auto missing = [] { return Workers{1, 2}; };
    CHECK(workers.receive(shards, "words", missing));  // no worker waits yet, so that none is suspected
    workers.begin_waiting();
    CHECK(workers.receive(shards, "words", missing)->source == 2);
    CHECK_FALSE(workers.receive(shards, "words", missing));
    CHECK(node.now() == 15);
    CHECK(suspected(cluster, server) == Workers{1});
    CHECK(members(workers) == Workers{0, 2});
    CHECK_FALSE(workers.receive(shards, "words", [] { return Workers{2}; }));
    CHECK(node.now() == 18);
    CHECK(suspected(cluster, server) == Workers{1, 2});
  });
}

TEST_CASE("a worker that comes back is at the least clock, and goes on from there") {
  LocalCluster cluster = three_workers_and_two_servers();
  WorkerSet workers(cluster.node(server), OnFailure::go_on, std::nullopt);
  Clocks clocks(workers, 3);
  clocks.set(0, 5);
  clocks.set(1, 9);
  workers.remove(2);
  CHECK(clocks.least() == 5);
  CHECK(clocks.slowest() == Workers{0});
  clocks.set(2, 1);
  workers.add(2);
  CHECK(clocks.of(2) == 5);
  clocks.set(2, 2);
  CHECK(clocks.of(2) == 6);
  for (const int worker : {0, 1, 2}) workers.remove(worker);
  CHECK(clocks.least() > 9);  // the least holds no worker up
}

TEST_CASE("a pull is the shards in their order, and asks a server again that has come back") {
  LocalCluster cluster = three_workers_and_two_servers();
  const std::vector<Word> words = {
      event(1, server, Presence::up, 0),  // an event from before the pull
      shard(2, other_server, {3, 4, 5}), event(3, server, Presence::down, 1),
      event(4, server, Presence::up, 2), event(5, other_server, Presence::up, 3),  // its answer has arrived
      shard(6, server, {1, 2})};
  hear(cluster, 0, words, [](Node& node) {
    comm::ShardedModel model(node);
    CHECK(*model.pull().model == std::vector<float>{1, 2, 3, 4, 5});
    CHECK(node.now() == 6);
  });
  Workers asked;
  for (const Message& message : cluster.node(0).sent) {
    CHECK(message.is<comm::Pull>());
    asked.push_back(message.target);
  }
  CHECK(asked == Workers{server, other_server, server});
}

TEST_CASE("a pull that one server refuses brings nothing") {
  LocalCluster cluster = three_workers_and_two_servers();
  hear(cluster, 0, {shard(1, server, {1, 2}), word(2, other_server, comm::NoShard{})}, [](Node& node) {
    comm::ShardedModel model(node);
    CHECK_FALSE(model.pull_unless_refused());
  });
}

}  // namespace ddl::membership::worker_set_test
