// Cui's threshold on gradients, as an optimizer sees it.
#include "core/systems/neighbours/gossip.hpp"

#include <doctest/doctest.h>

#include "tests/support/scripted_node.hpp"

namespace ddl::systems::gossip_test {

namespace {

using Vectors = std::vector<std::vector<float>>;

// What a lone worker's optimizer gets of these gradients of two tensors, of four values and of two.
Vectors applied(Threshold threshold, bool residual, Vectors gradients) {
  Cluster cluster;
  cluster.workers = 1;
  cluster.parameters = 6;
  cluster.tensors = {{"a.weight", 0, 4, 1}, {"b.weight", 4, 2, 1}};
  ScriptedNode node(cluster, 0, std::move(gradients));
  GossipParams params;
  params.threshold = threshold;
  params.error_feedback = residual;
  params.program(node)->run();
  return node.applied;
}

}  // namespace

TEST_CASE("abs_mean keeps what is not below its own tensor's mean magnitude") {
  CHECK(applied(Threshold::abs_mean, false, {{1, -5, 2, 4, 100, -300}}) == Vectors{{0, -5, 0, 4, 0, -300}});
  CHECK(applied(Threshold::abs_mean, false, {{2, -2, 2, 2, 0, 0}}) == Vectors{{2, -2, 2, 2, 0, 0}});
}

TEST_CASE("signed_mean, as printed, drops every negative value when the mean is about zero") {
  CHECK(applied(Threshold::signed_mean, false, {{-4, 3, -1, 2, -7, 7}}) == Vectors{{0, 3, 0, 2, 0, 7}});
}

TEST_CASE("without a residual dropped values are lost, with one they add up until they count") {
  const Vectors three = {{1, 3, 0, 0, 1, 1}, {1, 3, 0, 0, 1, 1}, {1, 3, 0, 0, 1, 1}};  // means 1 and 1
  CHECK(applied(Threshold::abs_mean, false, three)[2] == std::vector<float>{1, 3, 0, 0, 1, 1});
  const Vectors growing = {{1, 5, 0, 0, 2, 2}, {1, 5, 0, 0, 2, 2}, {1, 3, 0, 0, 2, 2}};
  CHECK(applied(Threshold::abs_mean, false, growing) ==
        Vectors{{0, 5, 0, 0, 2, 2}, {0, 5, 0, 0, 2, 2}, {1, 3, 0, 0, 2, 2}});
  // Means 1.5, then (2 + 5) / 4 = 1.75, which 1 + 1 reaches, then 1 again.
  CHECK(applied(Threshold::abs_mean, true, growing) ==
        Vectors{{0, 5, 0, 0, 2, 2}, {2, 5, 0, 0, 2, 2}, {1, 3, 0, 0, 2, 2}});
}

TEST_CASE("without a threshold the gradient is the optimizer's as it is") {
  CHECK(applied(Threshold::none, false, {{1, 2, 3, 4, 5, -6}}) == Vectors{{1, 2, 3, 4, 5, -6}});
}

}  // namespace ddl::systems::gossip_test
