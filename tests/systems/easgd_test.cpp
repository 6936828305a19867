// Elastic averaging by hand, message by message.
#include "core/systems/servers/easgd.hpp"

#include <doctest/doctest.h>

#include <deque>

#include "core/comm/sharded_model.hpp"
#include "tests/support/scripted_node.hpp"

namespace ddl::systems::easgd_test {
namespace {

using Vector = std::vector<float>;
using Vectors = std::vector<Vector>;

Cluster with_one_server(int workers) {
  Cluster cluster;
  cluster.workers = workers;
  cluster.servers = 1;
  cluster.parameters = 2;
  cluster.model_bytes = 8;
  return cluster;
}

struct NothingArrives {};

// To which messages arrive in this order, and which learns with a rate of 1.
class LearningNode : public ScriptedNode {
 public:
  LearningNode(int id, Vector start, Vectors gradients = {}, int workers = 1)
      : ScriptedNode(with_one_server(workers), id, std::move(gradients)) {
    weights().adopt(make_payload(std::move(start)));
  }
  std::deque<Message> arriving;
  std::vector<Staleness> recorded;

  Message receive(int, const Reason&) override {
    if (arriving.empty()) throw NothingArrives();
    Message message = std::move(arriving.front());
    arriving.pop_front();
    return message;
  }
  void apply(std::span<const float> gradient, std::size_t) override { add_scaled(weights().write(), gradient, -1); }
  void record(const Record& record) override { recorded.push_back(std::get<Staleness>(record)); }
  Vector values() { return {weights().read().begin(), weights().read().end()}; }
};

Message shard(Vector center) { return {.values = make_payload(std::move(center)), .body = comm::Shard{}, .source = 1}; }

Vectors pushed(const LearningNode& worker) {
  Vectors list;
  for (const Message& message : worker.sent) {
    if (message.is<comm::Push>()) list.push_back(*message.values);
  }
  return list;
}

}  // namespace

TEST_CASE("two steps of one worker, each with an exchange") {
  LearningNode worker(0, {4, -8}, {{1, 2}, {-1, 0}});
  worker.arriving = {shard({0, 0}), shard({1, -2})};
  EasgdParams{.tau = 1, .alpha = 0.25}.worker(worker);
  // e = (4, -8) / 4, x = (3, -6) - (1, 2) = (2, -8); then e = (1, -6) / 4, x = (1.75, -6.5) + (1, 0).
  CHECK(pushed(worker) == Vectors{{1, -2}, {0.25, -1.5}});
  CHECK(worker.values() == Vector{2.75, -6.5});
}

TEST_CASE("an exchange conserves the sum of the worker's model and the center") {
  const Vector start = {4, -8}, center = {0, 16};
  LearningNode worker(0, start, {{0, 0}}), server(1, center);
  worker.arriving = {shard(center)};
  EasgdParams{.tau = 1, .alpha = 0.125}.worker(worker);
  server.arriving.assign(worker.sent.begin(), worker.sent.end());
  CHECK_THROWS_AS(EasgdParams().server(server), NothingArrives);
  CHECK(server.values() == Vector{0.5, 13});
  for (std::size_t i = 0; i < start.size(); ++i) {
    CHECK(worker.values()[i] + server.values()[i] == start[i] + center[i]);
  }
  REQUIRE(server.sent.size() == 1);  // the answer to the pull: the center of before
  CHECK(*server.sent.front().values == center);
}

TEST_CASE("the center is asked for in every tau-th step, from the first one on") {
  LearningNode worker(0, {1, 1}, Vectors(7, Vector{0, 0}));
  worker.arriving = {shard({0, 0}), shard({0, 0}), shard({0, 0})};
  EasgdParams{.tau = 3, .alpha = 0.5}.worker(worker);
  std::vector<std::int64_t> steps;
  for (const Message& message : worker.sent) {
    if (message.is<comm::Pull>()) steps.push_back(message.step);
  }
  CHECK(steps == std::vector<std::int64_t>{0, 3, 6});
  CHECK(worker.values() == Vector{0.125, 0.125});
}

TEST_CASE("the default moving rate is the paper's 0.9 over the number of workers") {
  LearningNode worker(0, {1, 1}, {{0, 0}});
  worker.arriving = {shard({0, 0})};
  EasgdParams().worker(worker);
  CHECK(pushed(worker) == Vectors{{0.9f, 0.9f}});
}

TEST_CASE("a difference is as stale as the center has had differences of others since its worker pulled") {
  LearningNode server(2, {0, 0}, {}, 2);
  const auto from = [](int worker, Message message) {
    message.source = worker;
    return message;
  };
  const Message pull{.port = comm::to_server, .step = 4, .body = comm::Pull{}};
  const Message push{.port = comm::to_server, .step = 4, .values = make_payload(Vector{1, 1}), .body = comm::Push{}};
  server.arriving = {from(0, pull), from(1, pull), from(0, push), from(1, push), from(1, pull), from(1, push)};
  CHECK_THROWS_AS(EasgdParams().server(server), NothingArrives);
  REQUIRE(server.recorded.size() == 3);
  const int workers[] = {0, 1, 1}, updates[] = {0, 1, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(server.recorded[i].worker == workers[i]);
    CHECK(server.recorded[i].step == 4);
    CHECK(server.recorded[i].staleness == updates[i]);
  }
}

}  // namespace ddl::systems::easgd_test
