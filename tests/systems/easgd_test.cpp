// Elastic averaging by hand: one worker and the center, with a rate of 1.
#include "examples/easgd/easgd.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <utility>
#include <vector>

#include "core/comm/sharded_model.hpp"
#include "core/node/vectors.hpp"
#include "tests/support/local_cluster.hpp"

namespace ddl::systems::easgd_test {
namespace {

using Vector = std::vector<float>;
using Vectors = std::vector<Vector>;

// A run of as many steps as there are gradients.
class Run {
 public:
  Run(int tau, std::optional<double> alpha, Vector start, const Vector& center, const Vectors& gradients)
      : cluster_({.cluster = {.workers = 1, .servers = 1, .parameters = 2, .model_bytes = 8},
                  .steps = static_cast<std::int64_t>(gradients.size()),
                  .gradient = [&gradients](
                                  const Node& node,
                                  std::span<const float>) { return gradients[static_cast<std::size_t>(node.step())]; },
                  .start = std::move(start)}) {
    cluster_.node(1).weights().adopt(make_payload(center));
    cluster_.run(programs_of(with<elastic::EasgdParams>([&](auto& easgd) {
      easgd.tau = tau;
      easgd.alpha = alpha;
    })));
  }
  Vector worker() { return values_at(0); }
  Vector center() { return values_at(1); }
  const std::vector<Message>& sent(int node) { return cluster_.node(node).sent; }
  Vectors pushed() {
    Vectors list;
    for (const Message& message : sent(0)) {
      if (message.is<comm::Push>()) list.push_back(*message.values);
    }
    return list;
  }

 private:
  Vector values_at(int node) {
    const auto values = cluster_.node(node).weights().read();
    return {values.begin(), values.end()};
  }
  LocalCluster cluster_;
};

}  // namespace

TEST_CASE("two steps of one worker, each with an exchange") {
  Run run(1, 0.25, {4, -8}, {0, 0}, {{1, 2}, {-1, 0}});
  // e = (4, -8) / 4, x = (3, -6) - (1, 2) = (2, -8); then e = (1, -6) / 4, x = (1.75, -6.5) + (1, 0).
  CHECK(run.pushed() == Vectors{{1, -2}, {0.25, -1.5}});
  CHECK(run.worker() == Vector{2.75, -6.5});
  CHECK(run.center() == Vector{1.25, -3.5});
}

TEST_CASE("an exchange conserves the sum of the worker's model and the center") {
  const Vector start = {4, -8}, center = {0, 16};
  Run run(1, 0.125, start, center, {{0, 0}});
  CHECK(run.center() == Vector{0.5, 13});
  for (std::size_t i = 0; i < start.size(); ++i) CHECK(run.worker()[i] + run.center()[i] == start[i] + center[i]);
  REQUIRE(run.sent(1).size() == 1);  // the answer to the pull: the center of before
  CHECK(*run.sent(1).front().values == center);
}

TEST_CASE("the center is asked for in every tau-th step, from the first one on") {
  Run run(3, 0.5, {1, 1}, {0, 0}, Vectors(7, Vector{0, 0}));
  std::vector<std::int64_t> steps;
  for (const Message& message : run.sent(0)) {
    if (message.is<comm::Pull>()) steps.push_back(message.step);
  }
  CHECK(steps == std::vector<std::int64_t>{0, 3, 6});
  // Each exchange takes both halfway to each other: 1 and 0, then 0.5 and 0.5, which stay.
  CHECK(run.worker() == Vector{0.5, 0.5});
  CHECK(run.center() == Vector{0.5, 0.5});
}

TEST_CASE("the default moving rate is the paper's 0.9 over the number of workers") {
  Run run(10, std::nullopt, {1, 1}, {0, 0}, {{0, 0}});
  CHECK(run.pushed() == Vectors{{0.9f, 0.9f}});
}

TEST_CASE("a difference is as stale as the center has had differences of others since its worker pulled") {
  // Both workers pull, both push, and the second does so again, a second after each other.
  LocalCluster cluster({.cluster = {.workers = 2, .servers = 1, .parameters = 2, .model_bytes = 8},
                        .gradient = [](const Node&, std::span<const float>) {
                          return Vector{0, 0};
                        }});
  const Message pull{.port = comm::to_server, .step = 4, .body = comm::Pull{}};
  const Message push{.port = comm::to_server, .step = 4, .values = make_payload(Vector{1, 1}), .body = comm::Push{}};
  const std::vector<std::pair<int, Message>> said = {{0, pull}, {1, pull}, {0, push}, {1, push}, {1, pull}, {1, push}};
  cluster.run(each([&](Node& node) {
    if (!node.is_worker()) return elastic::EasgdParams().server(node);
    for (const auto& [worker, message] : said) {
      node.compute(1);
      if (worker == node.id()) node.send(2, message);
    }
  }));
  std::vector<std::pair<int, double>> recorded;
  for (const Record& record : cluster.node(2).records) {
    CHECK(std::get<Staleness>(record).step == 4);
    recorded.emplace_back(std::get<Staleness>(record).worker, std::get<Staleness>(record).staleness);
  }
  CHECK(recorded == std::vector<std::pair<int, double>>{{0, 0}, {1, 1}, {1, 0}});
}

}  // namespace ddl::systems::easgd_test
