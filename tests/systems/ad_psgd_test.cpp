// Averaging in pairs beside gradients, of two workers by hand. The odd one asks.
#include "core/systems/neighbours/ad_psgd.hpp"

#include <doctest/doctest.h>

#include "tests/support/local_cluster.hpp"

namespace ddl::systems::ad_psgd_test {
namespace {

// Two workers with constant gradients of 2 and 4, which take 1 s and 1.5 s.
LocalCluster two_workers(int steps) {
  return LocalCluster({.cluster = {.workers = 2, .parameters = 1, .compute_s = {1, 1.5}},
                       .steps = steps,
                       .gradient = [](const Node& node, std::span<const float>) {
                         return std::vector<float>{node.id() == 0 ? 2.0f : 4.0f};
                       }});
}

// A worker's staleness by step.
std::vector<double> staleness_of(LocalCluster& cluster, int worker) {
  std::vector<double> found;
  for (const Record& record : cluster.node(worker).records) {
    if (const auto* staleness = std::get_if<Staleness>(&record)) {
      CHECK(staleness->step == static_cast<std::int64_t>(found.size()));
      found.push_back(staleness->staleness);
    }
  }
  return found;
}

// Both models after `steps` steps.
std::vector<float> models_after(int steps, const AdPsgdParams& params) {
  LocalCluster cluster = two_workers(steps);
  cluster.run(programs_of(params));
  return {cluster.node(0).weights().read()[0], cluster.node(1).weights().read()[0]};
}

// Both models after two steps of two workers whose messages take 0.25 s. The passive one's gradient is 2 and takes 1 s,
// the active one's is 4 + x.
std::vector<float> models_of_two_steps(double active_s, GossipRate rate = {},
                                       ApplyPending apply = ApplyPending::after_exchange) {
  LocalCluster cluster(
      {.cluster = {.workers = 2, .parameters = 1, .compute_s = {1, active_s}},
       .steps = 2,
       .gradient = [](const Node& node,
                      std::span<const float> x) { return std::vector<float>{node.id() == 0 ? 2 : 4 + x[0]}; },
       .latency_s = 0.25});
  cluster.run(programs_of(with<AdPsgdParams>([&](auto& system) {
    system.gossip_rate = rate;
    system.apply = apply;
  })));
  return {cluster.node(0).weights().read()[0], cluster.node(1).weights().read()[0]};
}

}  // namespace

TEST_CASE("no worker of AD-PSGD hears of others' crashes before it waits for one's answer") {
  // News that no actor reads would pile up as long as hosts come and go.
  LocalCluster cluster({.cluster = {.workers = 4}});
  for (const int worker : {0, 1, 2, 3}) {
    const auto program = AdPsgdParams{}.program(cluster.node(worker));
    CHECK(cluster.node(worker).watched.empty());
  }
}

TEST_CASE("the asking worker averages first and then applies its gradient, the asked one when it is asked") {
  // At 1.5 s the passive worker is at -2 and the active one at 0: both get -1, and the active one goes on to -5.
  CHECK(models_after(1, {}) == std::vector<float>{-1, -5});
  // At 3 s the passive worker is at -3: both have -4, and the active one goes on to -8.
  CHECK(models_after(2, {}) == std::vector<float>{-4, -8});
}

TEST_CASE("AD-PSGD counts a gradient's staleness until it is applied, with the averaging that it called for") {
  LocalCluster cluster = two_workers(2);
  cluster.run(programs_of(AdPsgdParams{}));
  // The passive worker applies its first gradient at once; during its second, from 1 s to 2 s, it is asked once.
  CHECK(staleness_of(cluster, 0) == std::vector<double>{0, 1});
  // The active one's first waits for an averaging. Its second begins before that, so it also misses the first gradient.
  CHECK(staleness_of(cluster, 1) == std::vector<double>{1, 3});
}

TEST_CASE("AD-PSGD applies a pending gradient to its own model after the exchange, or at once") {
  // The passive worker is at -2 from 1 s on, the active one ends its first gradient, 4, at 1.5 s and asks with 0: both
  // have -1, the passive one at 1.75 s, the active one at 2 s, where its gradient takes it to -5. At 2 s the passive
  // one goes on to -3. The active one ends its second gradient at 3 s and asks with -5: both have -4. That gradient
  // began at 1.5 s. After the exchange: at 0, so it is 4 and leads to -8.
  CHECK(models_of_two_steps(1.5, {}) == std::vector<float>{-4, -8});
  // At once: at -4, so it is 0 and leads nowhere. The averaged models are the same.
  CHECK(models_of_two_steps(1.5, {}, ApplyPending::at_once) == std::vector<float>{-4, -4});
}

TEST_CASE("AD-PSGD that exchanges without a pause applies a gradient between two exchanges, or at once") {
  // The active worker asks at 0, 0.5, 1, 1.5 and 2 s. At 1 s it asks with 0, and the passive one has -2 since then:
  // both have -1. The gradient of 1.2 s, 4, takes the active one to -5 at 1.5 s, and it asks with that: both have -3,
  // the passive one at 1.75 s, and -5 at 2 s. Then the active one asks with -3: both have -4. Its second gradient, from
  // 1.2 to 2.4 s, is 4, taken at 0, or 0, taken at -4, and none follows.
  const GossipRate rate{ExchangePace::continuous};
  CHECK(models_of_two_steps(1.2, rate) == std::vector<float>{-4, -8});
  CHECK(models_of_two_steps(1.2, rate, ApplyPending::at_once) == std::vector<float>{-4, -4});
}

TEST_CASE("where gradients do not depend on the model, when AD-PSGD applies them changes nothing") {
  for (const UpdateOrder order : {UpdateOrder::average_then_update, UpdateOrder::update_then_average}) {
    for (const int every : {1, 2, 3}) {
      AdPsgdParams after;
      after.gossip_rate.form = every;
      after.update_order = order;
      AdPsgdParams at_once = after;
      at_once.apply = ApplyPending::at_once;
      CHECK(models_after(6, at_once) == models_after(6, after));
    }
  }
}

TEST_CASE("AD-PSGD counts a gradient's staleness until the worker's own model has it") {
  LocalCluster cluster = two_workers(2);
  cluster.run(programs_of(with<AdPsgdParams>([](auto& system) { system.apply = ApplyPending::at_once; })));
  CHECK(staleness_of(cluster, 0) == std::vector<double>{0, 1});
  // The second begins when the model has the first and, by the time it ends, one averaging more.
  CHECK(staleness_of(cluster, 1) == std::vector<double>{0, 1});
}

TEST_CASE("averaging moves no sum: gradients alone do, whatever the order and the rate") {
  for (const UpdateOrder order : {UpdateOrder::average_then_update, UpdateOrder::update_then_average}) {
    for (const int every : {1, 2, 3}) {
      const auto models = models_after(6, with<AdPsgdParams>([&](auto& system) {
                                         system.gossip_rate.form = every;
                                         system.update_order = order;
                                       }));
      CHECK(models[0] + models[1] == -6 * (2 + 4));
      CHECK(models[0] != -6 * 2);
    }
  }
}

}  // namespace ddl::systems::ad_psgd_test
