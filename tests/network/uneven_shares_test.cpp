// The model TCP: transfers that count as one to four flows where links are full.
#include <doctest/doctest.h>

#include "tests/support/scenarios.hpp"

namespace ddl::network {
namespace {

using scenario::NetworkModel;

constexpr double useful = 1448.0 / (1514 + 33);  // of a link's bandwidth: frames have headers and acknowledgements

scenario::Scenario servers_workers(int workers, NetworkModel model, std::uint64_t seed = 1) {
  scenario::Scenario scenario = timing_only(R"("ps_async")", workers, 1, "0s", R"({"iterations": 40})");
  scenario.platform.network.model = model;
  scenario.seed = seed;
  return scenario;
}

double mean_step_s(const run::RunResult& result) {
  double sum = 0;
  for (const run::IterationRow& row : result.iterations) sum += row.end_s - row.start_s;
  return sum / static_cast<double>(result.iterations.size());
}

}  // namespace

TEST_CASE("equal shares lock a server's workers in step, unequal ones use both ways of its link at once") {
  for (const int workers : {2, 4, 8}) {
    CAPTURE(workers);
    const double fair_s = mean_step_s(run::run(servers_workers(workers, NetworkModel::CM02)));
    const run::RunResult tcp = run::run(servers_workers(workers, NetworkModel::TCP));
    const double tcp_s = mean_step_s(tcp);
    // A gradient takes 0.1 s and a model 1 s; in step all push, then all pull. The first of 40 steps needs no pull.
    CHECK(fair_s == doctest::Approx(0.1 + 2.0 * workers).epsilon(0.04));
    CHECK(tcp_s < 0.93 * (0.1 + 2.0 * workers / useful));
    CHECK(tcp_s > 0.1 + workers / useful * 39.0 / 40);
    CHECK(tcp.bounds.step_s <= tcp_s * 1.001);
  }
}

TEST_CASE("what transfers count as is drawn from the seed") {
  const run::RunResult once = run::run(servers_workers(4, NetworkModel::TCP)),
                       again = run::run(servers_workers(4, NetworkModel::TCP));
  CHECK(once.simulated_s == again.simulated_s);
  CHECK(once.simulated_s != run::run(servers_workers(4, NetworkModel::TCP, 2)).simulated_s);
}

TEST_CASE("a lone message takes what headers and acknowledgements leave of the bandwidth, in the textbook all of it") {
  // A step pulls and pushes 1 MB over 1 MB/s.
  const auto seconds = [](NetworkModel model) {
    scenario::Scenario scenario = timing_only(R"("ps_async")", 1, 1, "0s", R"({"iterations": 1})");
    scenario.platform.network.model = model;
    return run::run(scenario).simulated_s;
  };
  CHECK(seconds(NetworkModel::CM02) == doctest::Approx(0.1 + 2).epsilon(1e-3));
  CHECK(seconds(NetworkModel::TCP) == doctest::Approx(0.1 + 2 / useful).epsilon(1e-3));
}

}  // namespace ddl::network
