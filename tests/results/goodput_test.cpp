// Goodput of runs from which hosts are away.
#include <doctest/doctest.h>

#include "sim/results/writing/summary.hpp"
#include "tests/support/over_sites.hpp"

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

TEST_CASE("goodput is one to the step under way, and not told of where nobody was away") {
  const auto never = over_sites(R"("alone")", R"({"type": "leave", "host": "w1", "at": "99s"})", R"({"time": "20s"})");
  CHECK(!results::goodput_of(never, run::run(never)));
  const auto last =
      over_sites(R"("alone")", R"({"type": "leave", "host": "w1", "at": "19.5s"})", R"({"time": "20.5s"})");
  CHECK(goodput(last) == 1);
}

}  // namespace ddl::goodput_test
