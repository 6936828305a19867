// platform.network.draw: with one seed, another draw of the network's random numbers.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "tests/support/scenarios.hpp"

namespace ddl::network {
namespace {

using run::RunResult;

RunResult run(scenario::Scenario scenario, int draw) {
  scenario.platform.network.draw = draw;
  return run::run(scenario);
}

// Times of gradients, which do not depend on the network.
std::map<std::pair<int, int>, double> gradients_s(const RunResult& result) {
  std::map<std::pair<int, int>, double> seconds;
  for (const run::IterationRow& row : result.iterations) seconds[{row.worker, row.iteration}] = row.compute_s;
  return seconds;
}

scenario::Scenario with_jitter(const scenario::NetworkSpec& network) {
  scenario::Scenario scenario = timing_only(R"("ps_async")", 4, 1, "0s", R"({"iterations": 20})");
  scenario.compute.jitter = 0.1;
  scenario.platform.network = network;
  return scenario;
}

void check_draws(const scenario::Scenario& scenario) {
  const RunResult first = run(scenario, 1), second = run(scenario, 2), third = run(scenario, 3);
  CHECK(first.simulated_s != second.simulated_s);
  CHECK(second.simulated_s != third.simulated_s);
  CHECK(gradients_s(first).size() == 80);
  for (const RunResult* other : {&second, &third}) {
    for (const auto& [step, seconds] : gradients_s(*other)) {
      CHECK(seconds == doctest::Approx(gradients_s(first)[step]).epsilon(1e-9));
    }
  }
  CHECK(run(scenario, 2).simulated_s == second.simulated_s);
}

}  // namespace

TEST_CASE("another draw of the network gives messages other times, and gradients the same") {
  SUBCASE("unequal shares") { check_draws(with_jitter({.model = scenario::NetworkModel::TCP})); }
  SUBCASE("packets") { check_draws(with_jitter({.model = scenario::NetworkModel::packets})); }
  SUBCASE("lost messages") {
    scenario::Scenario scenario = with_jitter({.model = scenario::NetworkModel::CM02});
    scenario::MessageLoss loss;
    loss.probability = 0.1;
    scenario.faults.emplace_back(loss);
    check_draws(scenario);
  }
}

TEST_CASE("the first draw has the seed itself, others each their own") {
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const int draw : {1, 2, 3}) {
      scenario::Scenario scenario;
      scenario.seed = seed;
      scenario.platform.network.draw = draw;
      if (draw == 1) CHECK(scenario::network_seed(scenario) == seed);
      seeds.insert(scenario::network_seed(scenario));
    }
  }
  CHECK(seeds.size() == 9);
}

TEST_CASE("where the network leaves nothing to chance its draws are all the same") {
  const scenario::Scenario scenario = with_jitter({.model = scenario::NetworkModel::CM02});
  CHECK(run(scenario, 1).simulated_s == run(scenario, 2).simulated_s);
}

}  // namespace ddl::network
