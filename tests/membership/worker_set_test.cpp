// Which workers a server counts on, message by message.
#include "core/membership/worker_set.hpp"

#include <doctest/doctest.h>

#include <deque>

#include "core/membership/clocks.hpp"
#include "tests/support/scripted_node.hpp"

namespace ddl::membership::worker_set_test {
namespace {

using Workers = std::vector<int>;

// A server of three workers, or a worker of two servers. What arrives is a list of messages and of times at which none
// has come; it ends by an exception.
class Listener : public ScriptedNode {
 public:
  struct Arrival {
    double time_s = 0;
    Message message = {};
  };
  struct Over {};

  explicit Listener(int id) : ScriptedNode(cluster_of(), id, {}) {}
  std::deque<Arrival> arriving;
  Workers suspected;

  double now() const override { return now_s_; }
  Message receive(int, const Reason&) override {
    if (arriving.empty()) throw Over();
    Arrival arrival = std::move(arriving.front());
    arriving.pop_front();
    now_s_ = arrival.time_s;
    return std::move(arrival.message);
  }
  std::optional<Message> receive_for(int port, double seconds, const Reason& reason) override {
    if (arriving.empty() || arriving.front().time_s > now_s_ + seconds) {
      now_s_ += seconds;
      return std::nullopt;
    }
    return receive(port, reason);
  }
  void record(const Record& record) override {
    if (const auto* suspicion = std::get_if<Suspicion>(&record)) suspected.push_back(suspicion->worker);
  }

 private:
  static Cluster cluster_of() {
    Cluster cluster;
    cluster.workers = 3;
    cluster.servers = 2;
    cluster.parameters = 5;
    cluster.model_bytes = 20;
    return cluster;
  }
  double now_s_ = 0;
};

constexpr int server = 3, other_server = 4;

Message from(int source, Body body, std::int64_t step = 0) { return {.step = step, .body = body, .source = source}; }
Message event(int source, Presence presence, std::int64_t number = 1) {
  return from(source, MembershipEvent{presence, number});
}
Message shard(int source, std::vector<float> values) {
  Message message = from(source, comm::Shard{});
  message.values = make_payload(std::move(values));
  return message;
}

Workers none() { return {}; }
Workers members(const WorkerSet& workers) {
  return workers.where([](int) { return true; });
}

}  // namespace

TEST_CASE("a worker that leaves is lost, and one whose host goes by the policy") {
  for (const OnFailure on_failure : {OnFailure::wait, OnFailure::go_on}) {
    Listener node(server);
    comm::ShardServer shards(node);
    WorkerSet workers(node, on_failure, std::nullopt);
    node.arriving = {{0, from(0, comm::Leave{})},
                     {0, event(1, Presence::down)},
                     {0, event(1, Presence::up, 2)},
                     {0, event(2, Presence::away, 3)},
                     {0, event(other_server, Presence::down, 4)},
                     {0, from(1, comm::Pull{})}};
    CHECK(members(workers) == Workers{0, 1, 2});
    for (int others = 0; others < 5; ++others) CHECK_FALSE(workers.receive(shards, "words", none));
    CHECK(members(workers) == (on_failure == OnFailure::wait ? Workers{1} : Workers{}));
    CHECK(workers.receive(shards, "words", none)->is<comm::Pull>());
    workers.win(1);
    CHECK(members(workers) == Workers{1});
    CHECK(workers.size() == 1);
  }
}

TEST_CASE("a server forgets what a worker that goes had asked for and pulled") {
  Listener node(server);
  comm::ShardServer shards(node);
  node.arriving = {{0, from(0, comm::Pull{}, 7)},
                   {0, from(1, comm::Pull{})},
                   {0, event(1, Presence::down)},
                   {0, from(0, comm::Push{}, 9)},
                   {0, event(0, Presence::down, 2)}};
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
}

TEST_CASE("a worker that holds others up is suspected once it has been silent for the time-out, and no sooner") {
  Listener node(server);
  comm::ShardServer shards(node);
  WorkerSet workers(node, OnFailure::time_out, Seconds{10});
  const auto missing = [] { return Workers{1, 2}; };
  node.arriving = {{5, from(0, comm::Pull{})}, {8, from(2, comm::Push{})}, {100, from(0, comm::Leave{})}};
  CHECK(workers.receive(shards, "words", missing));  // no worker waits yet, so that none is suspected
  workers.begin_waiting();
  CHECK(workers.receive(shards, "words", missing)->source == 2);
  CHECK_FALSE(workers.receive(shards, "words", missing));
  CHECK(node.now() == 15);
  CHECK(node.suspected == Workers{1});
  CHECK(members(workers) == Workers{0, 2});
  CHECK_FALSE(workers.receive(shards, "words", [] { return Workers{2}; }));
  CHECK(node.now() == 18);
  CHECK(node.suspected == Workers{1, 2});
}

TEST_CASE("a worker that comes back is at the least clock, and goes on from there") {
  Listener node(server);
  WorkerSet workers(node, OnFailure::go_on, std::nullopt);
  Clocks clocks(workers, 3);
  clocks.set(0, 5);
  clocks.set(1, 9);
  workers.lose(2);
  CHECK(clocks.least() == 5);
  CHECK(clocks.slowest() == Workers{0});
  clocks.set(2, 1);
  workers.win(2);
  CHECK(clocks.of(2) == 5);
  clocks.set(2, 2);
  CHECK(clocks.of(2) == 6);
  for (const int worker : {0, 1, 2}) workers.lose(worker);
  CHECK(clocks.least() > 9);  // which holds no worker up
}

TEST_CASE("a pull is the shards in their order, and asks a server again that has come back") {
  Listener node(0);
  comm::ShardedModel model(node);
  node.arriving = {
      {0, event(server, Presence::up, 0)},  // of before the pull
      {0, shard(other_server, {3, 4, 5})}, {0, event(server, Presence::down, 1)},
      {0, event(server, Presence::up, 2)}, {0, event(other_server, Presence::up, 3)},  // whose answer is here
      {0, shard(server, {1, 2})}};
  CHECK(*model.pull() == std::vector<float>{1, 2, 3, 4, 5});
  Workers asked;
  for (const Message& message : node.sent) {
    CHECK(message.is<comm::Pull>());
    asked.push_back(message.target);
  }
  CHECK(asked == Workers{server, other_server, server});
}

TEST_CASE("a pull that one server refuses brings nothing") {
  Listener node(0);
  comm::ShardedModel model(node);
  node.arriving = {{0, shard(server, {1, 2})}, {0, from(other_server, comm::NoShard{})}};
  CHECK_FALSE(model.pull_unless_refused());
}

}  // namespace ddl::membership::worker_set_test
