// SimGrid and the accelerator under whole training systems: the same run up to the last digits of its times.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "tests/support/scenarios.hpp"

using namespace ddl;

namespace {

// Jitter, unequal links: nothing coincides by itself, much shares.
scenario::Scenario uneven(const std::string& algorithm, scenario::NetworkModel model, scenario::LinkSolver solver,
                          int servers) {
  scenario::Scenario scenario = ddl::scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{"topology": "star", "workers": 9, "servers": {},
          "bandwidth": ["40Mbps", "20Mbps", "10Mbps"], "latency": "20ms"}}, "model": "none",
          "wire": {{"model_bytes": "300kB"}}, "compute": {{"seconds_per_batch": "100ms"}}, "algorithm": {},
          "stop": {{"iterations": 12}}}})",
      servers, algorithm));
  scenario.platform.network.model = model;
  scenario.platform.network.solver = solver;
  return scenario;
}

}  // namespace

TEST_CASE("SimGrid and the accelerator give the same runs but for rounding, in both models") {
  const std::map<std::string, int> systems = {{R"("ps_sync")", 1},
                                              {R"("ps_async")", 2},
                                              {R"({"name": "ako", "partitions": 3})", 0},
                                              {R"("gossip")", 0},
                                              {R"({"name": "d_psgd", "topology": "torus", "overlap": true})", 0}};
  for (const auto& [system, servers] : systems) {
    for (const auto model : {scenario::NetworkModel::TCP, scenario::NetworkModel::CM02}) {
      CAPTURE(system);
      CAPTURE(name_of(model));
      const auto simgrid = ddl::run::run(uneven(system, model, scenario::LinkSolver::simgrid, servers));
      const auto own = ddl::run::run(uneven(system, model, scenario::LinkSolver::accelerator, servers));
      CHECK(own.simulated_s == doctest::Approx(simgrid.simulated_s).epsilon(1e-6));
      CHECK(own.messages_sent == simgrid.messages_sent);
      CHECK(own.bytes_sent == simgrid.bytes_sent);
      CHECK(own.stopped_by == "iterations");
      REQUIRE(own.iterations.size() == simgrid.iterations.size());
      for (std::size_t i = 0; i < own.iterations.size(); ++i) {
        CHECK(own.iterations[i].end_s == doctest::Approx(simgrid.iterations[i].end_s).epsilon(1e-6));
      }
      REQUIRE(own.traffic.size() == simgrid.traffic.size());
      for (std::size_t i = 0; i < own.traffic.size(); ++i) {
        CHECK(own.traffic[i].bytes == doctest::Approx(simgrid.traffic[i].bytes).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("beyond 32 nodes a server's broadcast takes its link's time for all models together") {
  // 599 replies of 1 MB out of a server with 1 MB/s, and as many pushes into it, in two rounds of equal workers.
  const auto result = ddl::run::run(ddl::timing_only(R"("ps_sync")", 599, 1, "0s", R"({"iterations": 2})"));
  CHECK(result.simulated_s == doctest::Approx(2 * (599 + 0.1 + 599)).epsilon(1e-6));
}

TEST_CASE("a run that is cut off while messages travel ends in time under our sharing too") {
  scenario::Scenario scenario =
      uneven(R"({"name": "ako", "partitions": 1})", scenario::NetworkModel::TCP, scenario::LinkSolver::accelerator, 0);
  scenario.stop = {};
  scenario.stop.time = ddl::Seconds{3};
  const auto result = ddl::run::run(scenario);
  CHECK(result.simulated_s == 3);
  CHECK(result.stopped_by == "time");
  CHECK(result.bytes_delivered < result.bytes_sent);
}
