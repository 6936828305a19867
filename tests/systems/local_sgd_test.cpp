// Local SGD by hand: two workers, each drawn halfway to its own target in every step.
#include "core/systems/local_sgd.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "tests/support/local_cluster.hpp"

namespace ddl::systems::local_sgd_test {
namespace {

using Vector = std::vector<float>;
using Vectors = std::vector<Vector>;

// From 0 to 8 at worker 0, and to 16 at worker 1, with a rate of one half.
LocalCluster::Settings settings(int workers, std::int64_t steps) {
  return {.cluster = {.workers = workers, .parameters = 2, .model_bytes = 8},
          .steps = steps,
          .gradient =
              [](const Node& node, std::span<const float> x) {
                const float target = node.id() == 0 ? 8 : 16;
                return Vector{x[0] - target, x[1] - target};
              },
          .learning_rate = 0.5};
}

Vector model(LocalCluster& cluster, int worker) {
  const auto values = cluster.node(worker).weights().read();
  return {values.begin(), values.end()};
}

LocalSgdParams every(int steps, comm::Collective collective = comm::Collective::ring) {
  LocalSgdParams params;
  params.local_steps = steps;
  params.collective = collective;
  return params;
}

std::uint64_t bytes_sent(LocalCluster& cluster, int worker) {
  std::uint64_t bytes = 0;
  for (const Message& message : cluster.node(worker).sent) bytes += message.wire_bytes;
  return bytes;
}

}  // namespace

TEST_CASE("models are averaged after H steps, and once more after a last round that is shorter") {
  LocalCluster cluster(settings(2, 3));
  cluster.run(programs_of(every(2)));
  // 0, 4, 6 and 0, 8, 12; their mean is 9. Then 8.5 and 12.5; their mean is 10.5.
  CHECK(cluster.node(0).applied == Vectors{{-8, -8}, {-4, -4}, {1, 1}});
  CHECK(cluster.node(1).applied == Vectors{{-16, -16}, {-8, -8}, {-7, -7}});
  for (const int worker : {0, 1}) {
    CHECK(model(cluster, worker) == Vector{10.5, 10.5});
    CHECK(cluster.node(worker).step() == 3);
    // A ring of two sends half a model twice per mean; the round that ends the group carries no values.
    CHECK(bytes_sent(cluster, worker) == 2 * 8);
  }
}

TEST_CASE("with H = 1 every step begins at the mean") {
  LocalCluster cluster(settings(2, 2));
  cluster.run(programs_of(every(1, comm::Collective::star)));
  CHECK(cluster.node(0).applied == Vectors{{-8, -8}, {-2, -2}});  // at 0, then at (4 + 8) / 2
  CHECK(cluster.node(1).applied == Vectors{{-16, -16}, {-10, -10}});
  CHECK(model(cluster, 0) == Vector{9, 9});
  CHECK(model(cluster, 1) == Vector{9, 9});
}

TEST_CASE("until local_from models are averaged after each step, then after H") {
  LocalSgdParams params = every(2);
  params.local_from = 2;
  LocalCluster cluster(settings(2, 5));
  cluster.run(programs_of(params));
  // Means 6 and 9 after the first two steps. Then 8.5, 8.25 and 12.5, 14.25: 11.25. Then 9.625 and 13.625: 11.625.
  CHECK(cluster.node(0).applied == Vectors{{-8, -8}, {-2, -2}, {1, 1}, {0.5, 0.5}, {3.25, 3.25}});
  CHECK(cluster.node(1).applied == Vectors{{-16, -16}, {-10, -10}, {-7, -7}, {-3.5, -3.5}, {-4.75, -4.75}});
  for (const int worker : {0, 1}) {
    CHECK(model(cluster, worker) == Vector{11.625, 11.625});
    CHECK(cluster.node(worker).step() == 5);
    CHECK(bytes_sent(cluster, worker) == 4 * 8);
  }
}

TEST_CASE("a worker alone sends nothing and keeps its model") {
  LocalCluster cluster(settings(1, 3));
  cluster.run(programs_of(every(2)));
  CHECK(cluster.node(0).sent.empty());
  CHECK(model(cluster, 0) == Vector{7, 7});
}

}  // namespace ddl::systems::local_sgd_test
