// A worker and a server on one host: their messages take no time and cross no link, and to all others the server is
// like one with a host of its own behind that worker's link.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "sim/results/writing/result_files.hpp"
#include "tests/support/lower_bound.hpp"
#include "tests/support/scenarios.hpp"
#include "tests/support/systems.hpp"

namespace ddl::within_host_test {
namespace {

constexpr int workers = 3;
constexpr double compute_s = 0.1, model_s = 1;  // a gradient's; a model's on one link

const std::vector<std::string> systems_with_servers = {
    R"("ps_async")", R"("ps_sync")", R"({"name": "ps_ssp", "staleness_bound": 2})",
    R"({"name": "fedavg", "local_steps": 2})", R"({"name": "ps_sync", "overlap": "layers"})"};

scenario::Scenario on(const std::string& hosts, const std::string& algorithm, const std::string& model = "CM02",
                      int steps = 12) {
  return scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{{}, "network": {{"model": "{}"}}}}, "model": "none",
          "wire": {{"model_bytes": "1MB"}}, "compute": {{"seconds_per_batch": "100ms", "jitter": 0, "layers": 2}},
          "algorithm": {}, "stop": {{"iterations": {}}}}})",
      hosts, model, algorithm, steps));
}

std::string star(const std::string& servers, int its_workers = workers) {
  return fmt::format(R"("topology": "star", "workers": {}, "servers": {}, "bandwidth": "8Mbps", "latency": "10ms")",
                     its_workers, servers);
}

// The same star, with a host behind w0's link called like the server in it, beside w0 over a link of negligible time.
scenario::Scenario with_separate_server(scenario::Scenario scenario) {
  std::string zone = R"(<zone id="z" routing="Full"><link id="inside" bandwidth="1e16Bps" latency="0s"/>)";
  for (int i = 0; i < workers; ++i) {
    zone += fmt::format(R"(<host id="w{0}" speed="50Gf"/><link id="w{0}" bandwidth="1MBps" latency="5ms"
        sharing_policy="SPLITDUPLEX"/>)",
                        i);
  }
  zone += R"(<host id="w0 server" speed="50Gf"/>)";
  const auto route = [&](const std::string& source, const std::string& target, int up, int down) {
    zone += fmt::format(R"(<route src="{}" dst="{}" symmetrical="NO"><link_ctn id="w{}" direction="UP"/>
        <link_ctn id="w{}" direction="DOWN"/></route>)",
                        source, target, up, down);
  };
  for (int i = 0; i < workers; ++i) {
    for (int k = 0; k < workers; ++k) {
      if (i != k) route(fmt::format("w{}", i), fmt::format("w{}", k), i, k);
    }
    if (i == 0) continue;
    route(fmt::format("w{}", i), "w0 server", i, 0);
    route("w0 server", fmt::format("w{}", i), 0, i);
  }
  zone += R"(<route src="w0" dst="w0 server"><link_ctn id="inside"/></route></zone>)";
  scenario::FilePlatform file{.file = "separate.xml", .servers = {"w0 server"}};
  file.text = std::make_shared<const std::string>(
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
      "version=\"4.1\">" +
      zone + "</platform>");
  scenario.platform.hosts = file;
  return scenario;
}

double bytes_on_links(const run::RunResult& result) {
  double bytes = 0;
  for (const run::TrafficRow& row : result.traffic) bytes += row.bytes;
  return bytes;
}

}  // namespace

TEST_CASE("to the other workers a server on a worker's host is as one of its own behind that worker's link") {
  struct Carried {
    const char* model;
    std::optional<scenario::LinkSolver> solver;
    double within;
  };
  const Carried table[] = {{"CM02", scenario::LinkSolver::simgrid, 1e-6},
                           {"CM02", scenario::LinkSolver::accelerator, 1e-6},
                           {"TCP", scenario::LinkSolver::simgrid, 1e-4},
                           {"TCP", scenario::LinkSolver::accelerator, 1e-4},
                           {"packets", std::nullopt, 0.05}};
  for (const std::string& algorithm : systems_with_servers) {
    for (const Carried& by : table) {
      CAPTURE(algorithm);
      CAPTURE(std::string(by.model));
      scenario::Scenario shared = on(star(R"(["w0"])"), algorithm, by.model);
      shared.platform.network.solver = by.solver;
      const run::RunResult within = run::run(shared), apart = run::run(with_separate_server(shared));
      CHECK(within.nodes == std::vector<std::string>{"w0", "w1", "w2", "w0 server"});
      for (int worker = 0; worker < workers; ++worker) {
        const std::vector<double> here = ends_of(within, worker), there = ends_of(apart, worker);
        REQUIRE(here.size() == there.size());
        REQUIRE(here.size() >= 12);
        if (!by.solver) {  // draws of turns among messages of one instant differ, by a few per cent of a short run
          CHECK(here.back() == doctest::Approx(there.back()).epsilon(by.within));
          continue;
        }
        for (std::size_t i = 0; i < here.size(); ++i) CHECK(here[i] == doctest::Approx(there[i]).epsilon(by.within));
      }
    }
  }
}

TEST_CASE("a worker alone with its server sends nothing, and takes as long as its gradients") {
  for (const std::string& algorithm : systems_with_servers) {
    for (const char* model : {"CM02", "TCP", "packets"}) {
      CAPTURE(algorithm);
      const run::RunResult result = run::run(on(star(R"(["w0"])", 1), algorithm, model));
      CHECK(result.simulated_s == doctest::Approx(12 * compute_s));
      CHECK(result.bytes_sent == 0);
      CHECK(bytes_on_links(result) == 0);
      CHECK(result.messages_sent > 0);
      CHECK(result.bounds.bytes_per_step == 0);
      CHECK(result.bounds.step_s == doctest::Approx(compute_s));
    }
  }
}

TEST_CASE("in a synchronous step all but the server's own worker cross its link") {
  // Gradients in, one behind the other, and models out.
  for (const int n : {2, 4}) {
    const run::RunResult result = run::run(on(star(R"(["w0"])", n), R"("ps_sync")", "CM02", 20));
    CHECK(result.simulated_s == doctest::Approx(20 * (compute_s + 2 * (n - 1) * model_s)).epsilon(0.02));
    CHECK(result.bytes_sent == doctest::Approx(20 * 2 * (n - 1) * 1e6));
    CHECK(result.bounds.bytes_per_step == doctest::Approx(2.0 * (n - 1) / n * 1e6));
    CHECK(result.bounds.bottleneck_bytes_per_step == doctest::Approx((n - 1) * 1e6));
  }
}

TEST_CASE("with a server beside every worker each sends all but its own part") {
  const run::RunResult result = run::run(on(star(R"(["w0", "w1", "w2"])"), R"("ps_sync")", "CM02", 20));
  // Each link carries two of three thirds of gradients, and of models, in each direction at once.
  CHECK(result.bytes_sent == doctest::Approx(20 * workers * 2 * 2.0 / 3 * 1e6));
  CHECK(result.bounds.bytes_per_step == doctest::Approx(2 * 2.0 / 3 * 1e6));
  CHECK(result.simulated_s == doctest::Approx(20 * (compute_s + 2 * 2.0 / 3 * model_s)).epsilon(0.05));
}

TEST_CASE("no run beats the bounds of a server on a worker's host") {
  for (const std::string& algorithm : systems_with_servers) {
    for (const char* servers : {R"(["w0"])", R"(["w2", "w1"])"}) {
      CAPTURE(algorithm);
      const scenario::Scenario scenario = on(star(servers), algorithm, "CM02", 100);
      CHECK(beaten_bound(run::run(scenario), 10) == "");
    }
  }
}

TEST_CASE("a message within a host is not lost, and those of the host's other messages are") {
  const auto with_loss = [](const std::string& loss, int its_workers) {
    scenario::Scenario scenario = on(star(R"(["w0"])", its_workers), R"("ps_async")");
    scenario.faults = {scenario::MessageLoss{.probability = 0.5, .source = loss}};
    return run::run(scenario);
  };
  for (const char* source : {"", "w0"}) {
    CHECK(with_loss(source, 1).faults->messages_lost == 0);
    CHECK(with_loss(source, 3).faults->messages_lost > 0);
  }
}

TEST_CASE("a worker and a server on one host crash together, and neither comes or goes by itself") {
  scenario::Scenario scenario = on(star(R"(["w0"])"), R"("ps_async")", "CM02", 12);
  scenario.faults = {scenario::HostCrash{"w0", Seconds{5}, Seconds{9}, scenario::HostState::kept}};
  const run::RunResult result = run::run(scenario);
  CHECK(result.faults->crashes == 1);
  CHECK(result.faults->restarts == 1);
  CHECK(result.steps == std::vector<std::int64_t>(workers, 12));
  for (const run::IterationRow& row : result.iterations) {
    // Without the server no step ends, except one whose gradient was pushed.
    if (row.worker == 0) CHECK((row.end_s <= 5 || row.start_s >= 9));
  }
  const auto refusal = [&](const scenario::Fault& fault) -> std::string {
    scenario.faults = {fault};
    try {
      run::run(scenario);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string serves = "law.json: $.faults[0].host: is a server, which serves to the end; expected a worker";
  CHECK(refusal(scenario::HostLeave{"w0", Seconds{1}}) == serves);
  CHECK(refusal(scenario::HostJoin{"w0", Seconds{1}}) == serves);
  CHECK(refusal(scenario::HostCrash{"w0 server", Seconds{1}}) ==
        "law.json: $.faults[0].host: no such host takes part: \"w0 server\"; expected one of w0, w1, w2");
}

TEST_CASE("a server that computes on a worker's host takes its core from the worker") {
  // A worker's last gradient follows the updates with its first eleven. w0's core computes w0's gradients and all
  // updates, each of 0.1 s; it has something to compute until w0 is done, when only a gradient of w1 may be left.
  constexpr double update_s = 0.1, steps = 12;
  const auto time_s = [](const std::string& servers) {
    const std::string quick = fmt::format(
        R"("topology": "star", "workers": 2, "servers": {}, "bandwidth": "8Tbps", "latency": "0s")", servers);
    const run::RunResult result = run::run(on(quick, R"({"name": "ps_async", "update_time": "100ms"})"));
    CHECK(result.steps == std::vector<std::int64_t>(2, 12));
    return result.simulated_s;
  };
  const double shared_s = time_s(R"(["w0"])"), apart_s = time_s("1");
  CHECK(shared_s >= steps * compute_s + 2 * (steps - 1) * update_s - 1e-3);
  CHECK(shared_s <= (steps + 1) * compute_s + 2 * steps * update_s + 1e-3);
  // On a core of its own the server updates without a break once the first gradients are there.
  CHECK(apart_s <= 2 * compute_s + 2 * steps * update_s + 1e-3);
}

}  // namespace ddl::within_host_test
