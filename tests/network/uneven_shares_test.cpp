// The model TCP: transfers that count as one to four flows where links are full.
#include <doctest/doctest.h>

#include "tests/support/scenarios.hpp"

namespace ddl::network {
namespace {

using scenario::NetworkModel;

constexpr double useful = 1448.0 / (1514 + 33);  // share of a link: frames have headers and acknowledgements

scenario::Scenario servers_workers(int workers, NetworkModel model) {
  scenario::Scenario scenario = timing_only(R"("ps_async")", workers, 1, "0s", R"({"iterations": 40})");
  scenario.platform.network.model = model;
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

}  // namespace ddl::network
