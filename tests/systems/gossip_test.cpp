// Cui's threshold on gradients, as an optimizer sees it, and two models that become one, by hand.
#include "core/systems/neighbours/gossip.hpp"

#include <doctest/doctest.h>

#include "tests/support/local_cluster.hpp"

namespace ddl::systems::gossip_test {

namespace {

using Vectors = std::vector<std::vector<float>>;

// A lone worker's updates from these gradients of two tensors, of four values and of two.
Vectors applied(Threshold threshold, bool error_feedback, const Vectors& gradients) {
  Cluster cluster;
  cluster.workers = 1;
  cluster.parameters = 6;
  cluster.tensors = {{"a.weight", 0, 4, 1}, {"b.weight", 4, 2, 1}};
  LocalCluster alone({.cluster = cluster,
                      .steps = static_cast<std::int64_t>(gradients.size()),
                      .gradient = [&](const Node& node, std::span<const float>) {
                        return gradients[static_cast<std::size_t>(node.step())];
                      }});
  alone.run(programs_of(with<GossipParams>([&](auto& gossip) {
    gossip.threshold = threshold;
    gossip.error_feedback = error_feedback;
  })));
  return alone.node(0).applied;
}

// The models of two workers after a step each. Gradients are 2, which takes 1 s, and 4, which takes 2 s.
std::vector<float> two_models(GossipMode mode, ExchangeOrder order = ExchangeOrder::sequential) {
  LocalCluster cluster({.cluster = {.workers = 2, .parameters = 1, .model_bytes = 4, .compute_s = {1, 2}},
                        .gradient = [](const Node& node, std::span<const float>) {
                          return std::vector<float>{node.id() == 0 ? 2.0f : 4.0f};
                        }});
  cluster.run(programs_of(with<GossipParams>([&](auto& gossip) {
    gossip.mode = mode;
    gossip.order = order;
  })));
  return {cluster.node(0).weights().read()[0], cluster.node(1).weights().read()[0]};
}

}  // namespace

TEST_CASE("abs_mean keeps what is not below its own tensor's mean magnitude") {
  CHECK(applied(Threshold::abs_mean, false, {{1, -5, 2, 4, 100, -300}}) == Vectors{{0, -5, 0, 4, 0, -300}});
  CHECK(applied(Threshold::abs_mean, false, {{2, -2, 2, 2, 0, 0}}) == Vectors{{2, -2, 2, 2, 0, 0}});
}

TEST_CASE("signed_mean, as printed, drops every negative value when the mean is about zero") {
  CHECK(applied(Threshold::signed_mean, false, {{-4, 3, -1, 2, -7, 7}}) == Vectors{{0, 3, 0, 2, 0, 7}});
}

TEST_CASE("without error feedback dropped values are lost, with it they add up until they count") {
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

TEST_CASE("a pull moves the model of the worker that asks, a push that of the asked one, a pair's exchange both") {
  // At 1 s the first worker is at -2 and the second still at 0; their mean is -1. At 2 s the second takes its step from
  // its present model.
  CHECK(two_models(GossipMode::pull) == std::vector<float>{-1, (0 - 4 - 1) / 2.0f});
  CHECK(two_models(GossipMode::push) == std::vector<float>{(-2 - 5) / 2.0f, -1 - 4});
  CHECK(two_models(GossipMode::pair) == std::vector<float>{(-1 - 5) / 2.0f, (-1 - 5) / 2.0f});
}

TEST_CASE("an exchange that overlaps the gradient is of the models before it") {
  // Both are answered with 0 at 0 s, and average with it once their steps are taken.
  CHECK(two_models(GossipMode::pull, ExchangeOrder::overlap) == std::vector<float>{-1, -2});
}

}  // namespace ddl::systems::gossip_test
