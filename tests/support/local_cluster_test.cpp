#include "tests/support/local_cluster.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string_view>

namespace ddl::local_cluster_test {
namespace {

Cluster of(int workers, int servers = 0) {
  Cluster cluster;
  cluster.workers = workers;
  cluster.servers = servers;
  cluster.parameters = 1;
  return cluster;
}

std::string error_of(LocalCluster& cluster, const std::function<void(Node&)>& body) {
  try {
    cluster.run(each(body));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

struct Number {
  static constexpr std::string_view body_name = "test.number";
  int value;
};

}  // namespace

TEST_CASE("a channel carries one message at a time, at its rate, and delivers after its latency") {
  LocalCluster cluster({.cluster = of(2), .latency_s = 0.5, .bytes_per_s = 1000});
  std::vector<double> arrivals;
  cluster.run(each([&](Node& node) {
    if (node.id() == 1) {
      for (int i = 0; i < 3; ++i) {
        CHECK(node.receive(7, "a number").as<Number>().value == i);
        arrivals.push_back(node.now());
      }
      return;
    }
    for (int i = 0; i < 3; ++i) node.send(1, {.port = 7, .wire_bytes = 1000, .body = Number{i}});
    CHECK(node.queue(1).length() == 2);  // the first is on the wire
    node.queue(1).wait_for_room(1);
    CHECK(node.now() == 2);
    node.queue(1).flush();
    CHECK(node.now() == 3.5);
  }));
  CHECK(arrivals == std::vector<double>{1.5, 2.5, 3.5});
}

TEST_CASE("arrivals of one instant come in the order of their senders, and a time-out in its time") {
  LocalCluster cluster({.cluster = of(3), .latency_s = 1});
  std::string heard;
  cluster.run(each([&](Node& node) {
    if (node.id() != 1) return node.send(1, {});
    CHECK_FALSE(node.receive_for(0, 0.75, "anybody").has_value());
    CHECK(node.now() == 0.75);
    for (int i = 0; i < 2; ++i) heard += std::to_string(node.receive_for(0, 9, "anybody")->source);
    CHECK(node.now() == 1);
    CHECK_FALSE(node.poll(0).has_value());
  }));
  CHECK(heard == "02");
}

TEST_CASE("gradients are of the weights as they were, take their time, and steps move the weights") {
  LocalCluster cluster({.cluster =
                            [] {
                              Cluster one = of(1);
                              one.compute_s = {0.25};
                              return one;
                            }(),
                        .steps = 3,
                        .gradient = [](const Node&, std::span<const float> x) { return std::vector(1, 2 * x[0]); },
                        .start = {8},
                        .learning_rate = 0.25});
  cluster.run(each([&](Node& node) {
    while (node.next_step()) {
      const Gradient gradient = node.gradient();
      node.apply(gradient);
      node.finish_step();
    }
  }));
  CHECK(cluster.node(0).weights().read()[0] == 1);  // halved three times
  CHECK(cluster.node(0).applied == std::vector<std::vector<float>>{{16}, {8}, {4}});
  CHECK(cluster.now() == 0.75);
}

TEST_CASE("a deadlock ends with the nodes that wait, and for what") {
  LocalCluster cluster({.cluster = of(2, 1)});
  CHECK(error_of(cluster, [](Node& node) {
          if (!node.is_worker()) node.receive(0, service);
          node.receive(0, {node.id() == 0 ? "an answer" : "a question", 1 - node.id()});
        }) == "no actor can go on: w0 waits for an answer (w1); w1 waits for a question (w0)");
}

TEST_CASE("a condition is looked at again only after a notify()") {
  for (const bool notifies : {true, false}) {
    LocalCluster cluster({.cluster = of(1)});
    const std::string error = error_of(cluster, [&](Node& node) {
      const auto heard = std::make_shared<bool>(false);
      node.spawn("listener", [&node, heard, notifies] {
        node.compute(1);
        *heard = true;
        if (notifies) node.notify();
      });
      node.wait_until([&] { return *heard; }, "the listener");
    });
    CHECK(error == (notifies ? "" : "no actor can go on: w0 waits for the listener"));
  }
}

TEST_CASE("a program that goes on while no time passes is an error, not a test that hangs") {
  LocalCluster cluster({.cluster = of(1)});
  CHECK(error_of(cluster, [](Node& node) {
          while (node.run_goes_on()) node.compute(0);
        }) == "w0 goes on without end, and no time passes");
}

TEST_CASE("a program's own error comes out, and services end with the run") {
  LocalCluster failing({.cluster = of(2)});
  CHECK(error_of(failing, [](Node& node) {
          if (node.id() == 1) throw std::runtime_error("of w1");
          node.receive(0, "nothing");
        }) == "of w1");
  int ended = 0;
  struct Counted {
    int& count;
    ~Counted() { ++count; }
  };
  LocalCluster cluster({.cluster = of(1, 1)});
  cluster.run(each([&](Node& node) {
    if (node.is_worker()) return node.compute(1);
    const Counted counted{ended};
    while (true) node.receive(0, service);
  }));
  CHECK(ended == 1);
}

TEST_CASE("messages under way when the workers have ended still arrive, and are handled") {
  LocalCluster cluster({.cluster = of(1, 1), .latency_s = 2, .bytes_per_s = 1});
  std::vector<double> dealt_with;
  cluster.run(each([&](Node& node) {
    if (node.is_worker()) {
      for (int i = 0; i < 2; ++i) node.send(1, {.wire_bytes = 1});
      return;
    }
    while (true) {
      node.receive(0, service);
      node.compute(5);
      dealt_with.push_back(node.now());
    }
  }));
  CHECK(dealt_with == std::vector<double>{1 + 2 + 5, 1 + 2 + 5 + 5});
}

TEST_CASE("a run ends although a service waits with a time-out, or works as long as the run goes on") {
  for (const bool works : {false, true}) {
    LocalCluster cluster({.cluster = of(1, 1)});
    cluster.run(each([&](Node& node) {
      if (node.is_worker()) return node.compute(2.5);
      while (node.run_goes_on()) {
        if (works) node.compute(1);
        if (!works) node.receive_for(0, 1, service);
      }
    }));
    CHECK(cluster.now() == (works ? 3 : 2.5));
  }
}

TEST_CASE("a run is the same every time") {
  const auto run = [] {
    LocalCluster cluster({.cluster = of(4), .latency_s = 0.125, .bytes_per_s = 64});
    std::string heard;
    cluster.run(each([&](Node& node) {
      Stream random = node.rng("targets");
      for (int i = 0; i < 8; ++i) {
        const int target = (node.id() + 1 + static_cast<int>(random.bits() % 3)) % 4;
        node.send(target, {.wire_bytes = random.bits() % 32});
        node.compute(static_cast<double>(random.bits() % 4) / 8);
        while (const auto message = node.poll(0)) {
          heard += std::to_string(node.id()) + "<" + std::to_string(message->source) + " ";
        }
      }
    }));
    return heard + std::to_string(cluster.now());
  };
  const std::string first = run();
  CHECK(first.size() > 40);
  for (int i = 0; i < 5; ++i) CHECK(run() == first);
}

}  // namespace ddl::local_cluster_test
