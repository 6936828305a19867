// Goodput of runs from which hosts are away.
#include <doctest/doctest.h>

#include <numeric>

#include "sim/results/writing/summary.hpp"
#include "tests/support/over_sites.hpp"
#include "tests/support/systems.hpp"

namespace ddl::goodput_test {
namespace {

double goodput(const scenario::Scenario& scenario) { return results::goodput_of(scenario, run::run(scenario)).value(); }

}  // namespace

TEST_CASE("goodput: half of the run away is half of a worker's steps") {
  for (const char* algorithm : {R"("alone")", R"("gossip")", R"({"name": "ad_psgd"})"}) {
    CAPTURE(algorithm);
    auto scenario = over_sites(algorithm, R"({"type": "leave", "host": "w1", "at": "99.5s"})", R"({"time": "200s"})");
    scenario.wire.model_bytes = Bytes{1};
    CHECK(goodput(scenario) == doctest::Approx(1 - 1 / (2.0 * 6)).epsilon(0.01));
  }
}

TEST_CASE("goodput: nobody steps while all wait, and steps that no mean had do not count") {
  const auto crash = [](double at_s, double restart_s) {
    return fmt::format(R"({{"type": "host_crash", "host": "w1", "at": "{}s", "restart": "{}s", "state": "kept"}})",
                       at_s, restart_s);
  };
  auto waits = over_sites(R"("ring_allreduce")", crash(100.5, 150.5), R"({"time": "200s"})");
  waits.wire.model_bytes = Bytes{1};
  CHECK(goodput(waits) == doctest::Approx(0.75).epsilon(0.01));
  // The others make 200 steps each. It is back at 120 s, the next outer step, and has lost 9 whole steps of 10.
  auto diloco = over_sites(R"({"name": "diloco", "sync_every": 10, "on_failure": "go_on"})", crash(99.5, 110.5),
                           R"({"time": "200s"})");
  diloco.wire.model_bytes = Bytes{1};
  const auto result = run::run(diloco);
  CHECK(result.faults->steps_unshared == 9);
  CHECK(goodput(diloco) == doctest::Approx((5 * 200 + 90 + 80) / 1200.0).epsilon(0.005));
}

// Rounds of 10 steps and a sum of 1 s, a ring's of two workers with models of 1 MB: 220 steps each in 242 s. w1 is away
// from 65 to 85 s, and its return costs what it may; all of that is lost.
TEST_CASE("goodput: what a return costs is lost, for the mean step is one before any host was away") {
  const auto scenario = [](const std::string& faults) {
    auto made = timing_only(R"({"name": "local_sgd", "local_steps": 10, "on_failure": "go_on"})", 2, 0, "0ms",
                            R"({"time": "242s"})");
    made.compute.seconds_per_batch = Seconds{1};
    if (!faults.empty()) made.faults = over_sites(R"("alone")", faults, R"({"time": "9s"})").faults;
    return made;
  };
  const auto away =
      run::run(scenario(R"({"type": "host_crash", "host": "w1", "at": "65s", "restart": "85s", "state": "kept"})"));
  const std::int64_t made = away.steps[0] + away.steps[1] - away.faults->steps_unshared;
  CHECK(results::goodput_of(scenario(""), away).value() ==
        doctest::Approx(static_cast<double>(made) / 440).epsilon(1e-9));
  CHECK(made < 440 - 20);
}

TEST_CASE("goodput is the quotient of the steps with and without faults, for all systems") {
  const std::vector<std::string> variants = {R"({"name": "ako", "partitions": 3, "staleness_bound": 1})",
                                             R"({"name": "gossip", "mode": "pair"})",
                                             R"({"name": "local_sgd", "local_steps": 20, "on_failure": "go_on"})",
                                             R"({"name": "diloco", "sync_every": 20, "on_failure": "go_on"})"};
  const auto faults = over_sites(R"("alone")", R"({"type": "host_crash", "host": "w1", "at": "121.03s",
                                                   "restart": "160s", "state": "kept"})",
                                 R"({"time": "300s"})")
                          .faults;
  for (const std::string& algorithm : systems_in_faults(4, 1, variants)) {
    CAPTURE(algorithm);
    auto scenario = timing_only(algorithm, 4, 1, "1ms", R"({"time": "300s"})");
    scenario.wire.model_bytes = Bytes{50e3};
    const auto without = run::run(scenario);
    scenario.faults = faults;
    const auto with = run::run(scenario);
    const auto sum = [](const run::RunResult& result) {
      return static_cast<double>(std::accumulate(result.steps.begin(), result.steps.end(), std::int64_t{0}));
    };
    const double quotient = (sum(with) - static_cast<double>(with.faults->steps_unshared)) / sum(without);
    CHECK(results::goodput_of(scenario, with).value() == doctest::Approx(quotient).epsilon(0.005));
  }
}

TEST_CASE("goodput is one to the step under way, and not told of where nobody was away") {
  const auto never = over_sites(R"("alone")", R"({"type": "leave", "host": "w1", "at": "99s"})", R"({"time": "20s"})");
  CHECK(!results::goodput_of(never, run::run(never)));
  const auto last =
      over_sites(R"("alone")", R"({"type": "leave", "host": "w1", "at": "19.5s"})", R"({"time": "20.5s"})");
  CHECK(goodput(last) == 1);
  const auto early = over_sites(R"("alone")", R"({"type": "leave", "host": "w1", "at": "1.5s"})", R"({"time": "20s"})");
  CHECK(!results::goodput_of(early, run::run(early)));  // six workers took one step each after their first
}

}  // namespace ddl::goodput_test
