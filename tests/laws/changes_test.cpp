// Links and hosts that change for a while: the cost, and the nodes that wait.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/support/scenarios.hpp"

namespace ddl::changes_test {
namespace {

using scenario::LinkSolver;

// One step of one worker: a request, 100 MB over 1 MB/s to it, a gradient of a second, 100 MB back and a receipt, each
// with a second's latency. The model travels from 2 s to 102 s, and the gradient begins then.
constexpr const char* one_step = R"({
  "platform": { "workers": 1, "servers": 1, "bandwidth": "8Mbps", "latency": "1s", "network": { "model": "CM02" } },
  "model": "none", "wire": { "model_bytes": "100MB" }, "compute": { "seconds_per_batch": "1s", "jitter": 0 },
  "algorithm": "ps_async", "stop": { "iterations": 1 } })";
constexpr double plain_s = 205;

run::RunResult with(LinkSolver solver, const std::string& key, const std::string& list) {
  scenario::Scenario scenario =
      scenario::parse_scenario(systems::built_in(), one_step, "step.json", {{key, "[" + list + "]"}});
  scenario.platform.network.solver = solver;
  return run::run(scenario);
}

const auto either_solver = {LinkSolver::simgrid, LinkSolver::accelerator};

run::RunResult many_workers(int workers, const std::string& algorithm) {
  return run::run(scenario_from(fmt::format(
      R"({{ "platform": {{ "workers": {}, "servers": 1, "bandwidth": "80Mbps", "latency": "1ms" }},
      "model": "none", "wire": {{ "model_bytes": "1MB" }}, "compute": {{ "seconds_per_batch": "200ms" }},
      "algorithm": {}, "stop": {{ "time": "50s" }},
      "faults": [ {{ "type": "link_down", "link": "w0", "from": "20s", "until": "40s" }},
                  {{ "type": "stragglers", "mean_every": "5s", "mean_duration": "1s", "factor": 3 }},
                  {{ "type": "message_loss", "probability": 0.01, "until": "10s", "retry_after": "100ms" }} ] }})",
      workers, algorithm)));
}

}  // namespace

// A message takes bytes over rate in CM02; other models add headers, turns and acknowledgements.
TEST_CASE("a profile holds in each network model, however slow it makes a link") {
  const auto seconds = [](const std::string& model, int workers, const std::string& bandwidth,
                          const std::string& profiles) {
    const run::RunResult result = run::run(scenario_from(fmt::format(R"({{
      "platform": {{ "workers": {}, "bandwidth": "{}", "latency": "1us", "network": {{ "model": "{}" }}, "profiles": [{}] }},
      "model": "none", "wire": {{ "model_bytes": "15kB" }}, "compute": {{ "seconds_per_batch": "10ms", "jitter": 0 }},
      "algorithm": {{ "name": "d_psgd", "topology": "ring" }}, "stop": {{ "iterations": 1 }} }})",
                                                                     workers, bandwidth, model, profiles)));
    double end_s = 0;
    for (const run::IterationRow& row : result.iterations) end_s = std::max(end_s, row.end_s);
    return end_s;
  };
  const auto profile = [](const std::string& points) {
    return R"({ "quantity": "bandwidth", "link": "w0", "points": [)" + points + "] }";
  };
  const auto point = [](double at_s, double bits_per_s) {
    return fmt::format(R"({{ "at": "{}s", "value": "{}bps" }})", at_s, bits_per_s);
  };
  constexpr double bits = 8 * 15e3, compute_s = 0.01;
  for (const std::string model : {"CM02", "TCP", "packets"}) {
    for (const int workers : {2, 40}) {  // SimGrid's solver, and the accelerator
      if (model == "packets" && workers > 2) continue;
      CAPTURE(model);
      CAPTURE(workers);
      const double copies = workers > 2 ? 2 : 1;  // to its neighbours, over its own link
      for (const double share : {1e-3, 1e-6, 1e-8, 1e-11}) {
        CAPTURE(share);
        const double rate = share * 1e10, by_hand = compute_s + copies * bits / rate;
        const double found = seconds(model, workers, "10Gbps", profile(point(0, rate)));
        if (model == "CM02") CHECK(found == doctest::Approx(by_hand).epsilon(1e-5));
        CHECK(found > by_hand * (1 - 1e-5));
        CHECK(found < by_hand * 1.25);
      }
      // An outage in the middle of the message, on a link that is quick or slow before and after.
      for (const double rate : {1e9, 1e6, 1e3}) {
        CAPTURE(rate);
        const double at_s = compute_s + bits / rate / 2, outage_s = 1e5;
        const double plain = seconds(model, workers, "10Gbps", profile(point(0, rate)));
        const double found =
            seconds(model, workers, "10Gbps",
                    profile(point(0, rate) + "," + point(at_s, 0) + "," + point(at_s + outage_s, rate)));
        const double most_late_s = model == "packets" ? 121 : 1e-3;  // TCP's longest interval between retries
        CHECK(found > plain + outage_s - 1e-3);
        CHECK(found < plain + outage_s + most_late_s);
      }
    }
  }
}

TEST_CASE("a change costs what the link could not carry meanwhile, or the host not compute, with either solver") {
  const std::string w0 = R"("link":"w0",)", half = R"("bandwidth":0.5})";
  const std::tuple<const char*, std::string, double> changes[] = {
      {"faults", "", 0},
      // A quarter for 20 s.
      {"faults", R"({"type":"link_degraded",)" + w0 + R"("from":"10s","until":"30s","bandwidth":0.25})", 15},
      {"faults", R"({"type":"link_down",)" + w0 + R"("from":"10s","until":"30s"})", 20},
      // The way to the worker is the server's up and the worker's down: its other half is idle then.
      {"faults", R"({"type":"link_down",)" + w0 + R"("direction":"up","from":"10s","until":"30s"})", 0},
      {"faults", R"({"type":"link_down",)" + w0 + R"("direction":"down","from":"10s","until":"30s"})", 20},
      // Half and half is a quarter: 5 s at a half carry 2.5 s' worth, 5 s at a quarter 1.25.
      {"faults",
       R"({"type":"link_degraded",)" + w0 + R"("from":"10s","until":"20s",)" + half + R"(,{"type":"link_degraded",)" +
           w0 + R"("from":"15s","until":"20s",)" + half,
       2.5 + 3.75},
      // Half of the gradient is done at 102.5 s, a tenth of two seconds more by 104.5 s; 0.3 s are left.
      {"faults", R"({"type":"host_slowed","host":"w0","from":"102.5s","until":"104.5s","factor":10})", 1.8},
      {"platform.profiles",
       R"({"quantity":"bandwidth",)" + w0 + R"("points":[{"at":"10s","value":"4Mbps"},{"at":"30s","value":"8Mbps"}]})",
       10},
      // Half of every ten seconds at a half. From 2 s: 3 + 2.5 MB to 10 s; then twelve periods of 7.5 MB make 95.5 at
      // 130 s, and 4.5 s are left.
      {"platform.profiles",
       R"({"quantity":"bandwidth",)" + w0 +
           R"("direction":"down","repeat_every":"10s","points":[{"at":"0s","value":"8Mbps"},{"at":"5s","value":"4Mbps"}]})",
       134.5 - 102},
      // More than nominal is possible, and the server's link is then the narrow one.
      {"platform.profiles", R"({"quantity":"bandwidth",)" + w0 + R"("points":[{"at":"0s","value":"80Mbps"}]})", 0},
      // Half of the way's second is w0's. In the middle of the first model: for the push and its receipt.
      {"platform.profiles", R"({"quantity":"latency",)" + w0 + R"("points":[{"at":"50s","value":"2s"}]})", 2 * 1.5},
      {"platform.profiles", R"({"quantity":"speed","host":"w0","points":[{"at":"0s","value":"25Gf"}]})", 1}};
  for (const LinkSolver solver : either_solver) {
    for (const auto& [key, list, longer_s] : changes) {
      CAPTURE(static_cast<int>(solver));
      CAPTURE(list);
      CHECK(with(solver, key, list).simulated_s == doctest::Approx(plain_s + longer_s).epsilon(1e-6));
    }
  }
}

TEST_CASE("a host that is slowed was busy all the time") {
  const auto result = with(LinkSolver::simgrid, "faults",
                           R"({"type":"host_slowed","host":"w0","from":"102.5s","until":"104.5s","factor":10})");
  CHECK(result.iterations.front().compute_s == doctest::Approx(2.8).epsilon(1e-9));
}

TEST_CASE("bounds count links and hosts at their best") {
  const auto step_s = [](const std::string& profiles) {
    return with(LinkSolver::simgrid, "platform.profiles", profiles).bounds.step_s;
  };
  const double plain = step_s("");
  CHECK(step_s(R"({"quantity":"bandwidth","link":"w0","points":[{"at":"1s","value":"1Mbps"}]})") == plain);
  const std::string quick = R"({"quantity":"bandwidth","link":"w0","points":[{"at":"0s","value":"80Mbps"}]},
                               {"quantity":"bandwidth","link":"ps0","points":[{"at":"0s","value":"80Mbps"}]},
                               {"quantity":"speed","host":"w0","points":[{"at":"0s","value":"500Gf"}]})";
  // 10 s each way, 0.1 s and the latencies of the transfers.
  CHECK(step_s(quick) == doctest::Approx(plain - 200 - 1 + 20 + 0.1).epsilon(1e-9));
  CHECK(with(LinkSolver::simgrid, "platform.profiles", quick).simulated_s >= step_s(quick));
}

TEST_CASE("while a worker's link is down, synchronous systems stall and asynchronous ones go on") {
  const auto steps_of_others = [](const std::string& algorithm) {  // when w0's link has been down for a while
    CAPTURE(algorithm);
    return std::ranges::count_if(many_workers(4, algorithm).iterations, [](const run::IterationRow& row) {
      return row.worker != 0 && row.end_s > 30 && row.end_s < 40;
    });
  };
  for (const char* waiting : {R"("ps_sync")", R"({"name":"ps_ssp","staleness_bound":2})", R"("ring_allreduce")",
                              R"("tree_allreduce")", R"("star_allreduce")", R"("hierarchical_allreduce")",
                              R"("butterfly_allreduce")", R"({"name":"local_sgd","local_steps":2})"}) {
    CHECK(steps_of_others(waiting) == 0);
  }
  for (const char* going_on : {R"("ps_async")", R"({"name":"ps_sync","backup_workers":1})",
                               R"({"name":"ako","overflow":"merge"})", R"({"name":"gossip","timeout":"500ms"})"}) {
    CHECK(steps_of_others(going_on) > 20);
  }
}

TEST_CASE("a lost message costs its transfer and a wait, so that one takes T/(1-p) + r p/(1-p) in the mean") {
  // Each step: a request, a model of a second from the server, 0.1 s, a model back.
  scenario::Scenario scenario = timing_only(R"("ps_async")", 1, 1, "0s", R"({ "iterations": 1000 })");
  scenario.faults = {scenario::MessageLoss{.probability = 0.2, .retry_after = Seconds{0.5}, .source = "w0"}};
  double last = 0;
  for (const LinkSolver solver : either_solver) {
    scenario.platform.network.solver = solver;
    const run::RunResult result = run::run(scenario);
    const auto lost = static_cast<double>(result.faults->messages_lost);
    const double bytes = result.faults->bytes_lost, seconds = result.simulated_s;
    // Lost bytes count as sent, and delivered ones equal those of a run without loss.
    CHECK(result.bytes_sent - bytes == doctest::Approx(2000 * 1e6).epsilon(1e-9));
    // The time is that of a run without loss, plus half a second and the lost bytes for each loss.
    CHECK(seconds == doctest::Approx(1000 * 2.1 + bytes / 1e6 + 0.5 * lost).epsilon(1e-6));
    // A fifth of the worker's n transmissions is lost, within four standard deviations.
    const double of_worker = (static_cast<double>(result.messages_sent) - lost) * 2 / 3 + lost;
    CHECK(std::abs(lost - 0.2 * of_worker) < 4 * std::sqrt(of_worker * 0.16));
    if (last > 0) CHECK(seconds == doctest::Approx(last).epsilon(1e-6));
    last = seconds;
  }
}

TEST_CASE("another worker moves nothing of what is lost of the others' messages") {
  const auto messages_of_w0 = [](int workers) {
    const auto result = run::run(scenario_from(fmt::format(R"({{
      "platform": {{ "workers": {}, "servers": 1, "bandwidth": "800Mbps", "server_bandwidth": "80Gbps",
                     "latency": "0s" }},
      "model": "none", "wire": {{ "model_bytes": "1MB" }}, "compute": {{ "seconds_per_batch": "100ms", "jitter": 0 }},
      "algorithm": "ps_async", "stop": {{ "iterations": 50 }},
      "faults": [ {{ "type": "message_loss", "probability": 0.3, "link": "w0" }} ] }})",
                                                           workers)));
    std::vector<std::pair<std::int64_t, double>> counts;
    for (const run::PairRow& pair : result.pairs) {
      if (pair.source == 0 || pair.target == 0) counts.emplace_back(pair.messages, pair.bytes);
    }
    return counts;
  };
  CHECK(messages_of_w0(1).size() == 2);
  CHECK(messages_of_w0(3) == messages_of_w0(1));
}

TEST_CASE("stragglers are slow for d/(e + d) of the time, whatever they do then takes its factor longer") {
  const auto steps = run::run(scenario_from(R"({
    "platform": { "workers": 4, "bandwidth": "8Gbps", "latency": "0s" }, "model": "none",
    "wire": { "model_bytes": "1B" }, "compute": { "seconds_per_batch": "100ms", "jitter": 0 },
    "algorithm": "gossip", "stop": { "time": "4000s" },
    "faults": [ { "type": "stragglers", "hosts": ["w0", "w1"], "mean_every": "6s", "mean_duration": "2s",
                  "factor": 4 } ] })"))
                         .steps;
  // A quarter of the time at a quarter of the speed: 13/16 of the steps. 500 slow spells each: within 4 %.
  const auto healthy = static_cast<double>(steps[2]);
  CHECK(static_cast<double>(steps[3]) == doctest::Approx(healthy).epsilon(0.001));
  for (const std::size_t slow : {0, 1}) {
    CHECK(static_cast<double>(steps[slow]) == doctest::Approx(healthy * 13 / 16).epsilon(0.04));
  }
  CHECK(steps[0] != steps[1]);
}

}  // namespace ddl::changes_test
