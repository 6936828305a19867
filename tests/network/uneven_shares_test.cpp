// platform.network.sharing "tcp": transfers that count as one to four flows where links are full.
#include <doctest/doctest.h>

#include "tests/support/scenarios.hpp"

namespace ddl::network {
namespace {

scenario::Scenario servers_workers(int workers, scenario::LinkSharing sharing, std::uint64_t seed = 1) {
  scenario::Scenario scenario = timing_only(R"("ps_async")", workers, 1, "0s", R"({"iterations": 40})");
  scenario.platform.network.sharing = sharing;
  scenario.seed = seed;
  return scenario;
}

double mean_step_s(const run::RunResult& result) {
  double sum = 0;
  for (const run::IterationRow& row : result.iterations) sum += row.end_s - row.start_s;
  return sum / static_cast<double>(result.iterations.size());
}

}  // namespace

TEST_CASE("a transfer that has its links to itself takes as long as with fair sharing") {
  const run::RunResult fair = run::run(servers_workers(1, scenario::LinkSharing::fair)),
                       tcp = run::run(servers_workers(1, scenario::LinkSharing::tcp));
  // But for bytes by which a message is rounded up, to be divided.
  CHECK(tcp.simulated_s == doctest::Approx(fair.simulated_s).epsilon(4e-6));
}

TEST_CASE("equal shares lock a server's workers in step, unequal ones use both ways of its link at once") {
  for (const int workers : {2, 4, 8}) {
    CAPTURE(workers);
    const double fair_s = mean_step_s(run::run(servers_workers(workers, scenario::LinkSharing::fair)));
    const run::RunResult tcp = run::run(servers_workers(workers, scenario::LinkSharing::tcp));
    const double tcp_s = mean_step_s(tcp);
    // A gradient takes 0.1 s and a model 1 s; in step all push, then all pull. The first of 40 steps needs no pull.
    CHECK(fair_s == doctest::Approx(0.1 + 2.0 * workers).epsilon(0.04));
    CHECK(tcp_s < 0.93 * fair_s);
    CHECK(tcp_s > 0.1 + workers * 39.0 / 40);
    CHECK(tcp.bounds.step_s <= tcp_s * 1.001);
  }
}

TEST_CASE("what transfers count as is drawn from the seed") {
  const run::RunResult once = run::run(servers_workers(4, scenario::LinkSharing::tcp)),
                       again = run::run(servers_workers(4, scenario::LinkSharing::tcp));
  CHECK(once.simulated_s == again.simulated_s);
  CHECK(once.simulated_s != run::run(servers_workers(4, scenario::LinkSharing::tcp, 2)).simulated_s);
}

TEST_CASE("TCP's shares are the default in TCP's model, equal ones in the textbook's") {
  const auto same = [](scenario::Scenario scenario, scenario::LinkSharing sharing) {
    scenario.platform.network.sharing = scenario::LinkSharing::automatic;
    const run::RunResult by_default = run::run(scenario);
    scenario.platform.network.sharing = sharing;
    return by_default.simulated_s == run::run(scenario).simulated_s;
  };
  scenario::Scenario scenario = servers_workers(4, scenario::LinkSharing::automatic);
  CHECK(same(scenario, scenario::LinkSharing::fair));  // these tests' networks are the textbook's
  scenario.platform.network.model = scenario::NetworkModel::LV08;
  CHECK(same(scenario, scenario::LinkSharing::tcp));
}

TEST_CASE("a lone message takes what headers and acknowledgements leave of the bandwidth") {
  // A step pulls and pushes 1 MB over 1 MB/s. LV08 gives equal shares 0.97 of it, 3.6 % more than unequal ones.
  const auto seconds = [](scenario::NetworkModel model, scenario::LinkSharing sharing, bool acknowledgements) {
    scenario::Scenario scenario = timing_only(R"("ps_async")", 1, 1, "0s", R"({"iterations": 1})");
    scenario.platform.network.model = model;
    scenario.platform.network.sharing = sharing;
    scenario.platform.network.crosstraffic = acknowledgements;
    return run::run(scenario).simulated_s;
  };
  const auto expected = [](double share) { return doctest::Approx(0.1 + 2 / share).epsilon(1e-3); };
  CHECK(seconds(scenario::NetworkModel::CM02, scenario::LinkSharing::fair, false) == expected(1));
  CHECK(seconds(scenario::NetworkModel::LV08, scenario::LinkSharing::fair, true) == expected(0.97));
  CHECK(seconds(scenario::NetworkModel::LV08, scenario::LinkSharing::tcp, true) == expected(1448.0 / (1514 + 33)));
  CHECK(seconds(scenario::NetworkModel::LV08, scenario::LinkSharing::tcp, false) == expected(1448.0 / 1514));
  CHECK(seconds(scenario::NetworkModel::CM02, scenario::LinkSharing::tcp, true) == expected(1514.0 / (1514 + 33)));
  CHECK(seconds(scenario::NetworkModel::CM02, scenario::LinkSharing::tcp, false) == expected(1));
}

}  // namespace ddl::network
