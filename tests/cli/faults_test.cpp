// Links and hosts that are not themselves for a while: what it costs, which nodes wait, and what is refused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "core/systems/table.hpp"
#include "sim/run/run.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/cli/workplace.hpp"

namespace ddl::cli::faults_test {
namespace {

// One step of one worker: 100 MB over 1 MB/s to it, a gradient of a second, 100 MB back.
constexpr const char* kOneStep = R"({
  "platform": { "workers": 1, "servers": 1, "bandwidth": "8Mbps", "latency": "0s",
                "network": { "model": "CM02" } },
  "model": "none", "wire": { "model_bytes": "100MB" }, "compute": { "seconds_per_batch": "1s", "jitter": 0 },
  "algorithm": "ps_async", "stop": { "iterations": 1 } })";

double seconds_with(const Workplace& place, const std::string& faults) {
  const Reply answer = place.call("run step.json --json --force --set name=step --set 'faults=" + faults + "'");
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  return nlohmann::json::parse(answer.out)["simulated_seconds"];
}

// Steps that other workers than w0 finish while w0's link has been down for a while.
int steps_of_others_meanwhile(const Workplace& place, const std::string& algorithm) {
  const Reply answer = place.call("run many.json --quiet --force --set name=many --set 'algorithm=" + algorithm + "'");
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  std::istringstream rows(text_of(place.at("results/many/1/iterations.csv")));
  std::string row;
  std::getline(rows, row);
  int steps = 0;
  while (std::getline(rows, row)) {
    std::vector<std::string> fields;
    std::istringstream line(row);
    for (std::string field; std::getline(line, field, ',');) fields.push_back(field);
    const double end_s = std::stod(fields.at(5));
    if (fields[0] != "w0" && end_s > 30 && end_s < 40) ++steps;
  }
  return steps;
}

std::string many_workers(int workers) {
  return fmt::format(R"({{ "platform": {{ "workers": {}, "servers": 1, "bandwidth": "80Mbps", "latency": "1ms" }},
      "model": "none", "wire": {{ "model_bytes": "1MB" }}, "compute": {{ "seconds_per_batch": "200ms" }},
      "algorithm": "ps_async", "stop": {{ "time": "50s" }},
      "faults": [ {{ "type": "link_down", "link": "w0", "from": "20s", "until": "40s" }},
                  {{ "type": "stragglers", "mean_every": "5s", "mean_duration": "1s", "factor": 3 }},
                  {{ "type": "message_loss", "probability": 0.01, "until": "10s", "retry_after": "100ms" }} ] }})",
                     workers);
}

}  // namespace

TEST_CASE("a degraded link costs what it cannot carry, a link that is down its whole interval") {
  const Workplace place;
  place.write("step.json", kOneStep);
  CHECK(seconds_with(place, "[]") == doctest::Approx(201).epsilon(1e-9));
  const std::string quarter = R"({"type":"link_degraded","link":"w0","from":"10s","until":"30s","bandwidth":0.25})";
  CHECK(seconds_with(place, "[" + quarter + "]") == doctest::Approx(216).epsilon(1e-9));
  const std::string down = R"({"type":"link_down","link":"w0","from":"10s","until":"30s"})";
  CHECK(seconds_with(place, "[" + down + "]") == doctest::Approx(221).epsilon(1e-6));
  // The way to the worker is the server's up and the worker's down: its other half is idle until 101 s.
  const std::string up = R"({"type":"link_down","link":"w0","direction":"up","from":"10s","until":"30s"})";
  CHECK(seconds_with(place, "[" + up + "]") == doctest::Approx(201).epsilon(1e-9));
  // Half and half is a quarter: 5 s at a half carry 2.5 s' worth, 5 s at a quarter 1.25.
  const std::string two = R"([{"type":"link_degraded","link":"w0","from":"10s","until":"20s","bandwidth":0.5},
                              {"type":"link_degraded","link":"w0","from":"15s","until":"20s","bandwidth":0.5}])";
  CHECK(seconds_with(place, two) == doctest::Approx(201 + 2.5 + 3.75).epsilon(1e-9));
}

TEST_CASE("a host that is slowed takes longer for what it computes in the interval, and was busy all the time") {
  const Workplace place;
  place.write("step.json", kOneStep);
  // The gradient begins at 100 s. Half is done at 100.5 s, a tenth of two seconds more by 102.5 s; 0.3 s are left.
  const std::string slow = R"([{"type":"host_slowed","host":"w0","from":"100.5s","until":"102.5s","factor":10}])";
  CHECK(seconds_with(place, slow) == doctest::Approx(202.8).epsilon(1e-9));
  std::istringstream rows(text_of(place.at("results/step/1/iterations.csv")));
  std::string header, row;
  std::getline(rows, header);
  std::getline(rows, row, ',');
  for (int column = 1; column < 4; ++column) std::getline(rows, row, ',');
  CHECK(std::stod(row) == doctest::Approx(2.8).epsilon(1e-9));
}

TEST_CASE("while a worker's link is down, synchronous systems stall and asynchronous ones go on") {
  const Workplace place;
  place.write("many.json", many_workers(4));
  for (const char* waiting :
       {R"("ps_sync")", R"({"name":"ps_ssp","staleness_bound":2})", R"("ring_allreduce")", R"("tree_allreduce")",
        R"("star_allreduce")", R"({"name":"local_sgd","local_steps":2})"}) {
    CAPTURE(waiting);
    CHECK(steps_of_others_meanwhile(place, waiting) == 0);
  }
  for (const char* going_on : {R"("ps_async")", R"({"name":"ps_sync","backup_workers":1})",
                               R"({"name":"ako","overflow":"merge"})", R"({"name":"gossip","timeout":"500ms"})"}) {
    CAPTURE(going_on);
    CHECK(steps_of_others_meanwhile(place, going_on) > 20);
  }
}

TEST_CASE("while a worker's link is down, systems behave alike under our own sharing of links") {
  for (const char* fault : {R"({"type":"link_degraded","link":"w0","from":"10s","until":"30s","bandwidth":0.25})",
                            R"({"type":"link_down","link":"w0","direction":"down","from":"10s","until":"30s"})"}) {
    CAPTURE(fault);
    scenario::Scenario scenario = scenario::parse_scenario(systems::built_in(), kOneStep, "step.json",
                                                           {{"faults", "[" + std::string(fault) + "]"}});
    scenario.platform.network.solver = scenario::LinkSolver::accelerator;
    const double by_accelerator_s = run::run(scenario).simulated_s;
    scenario.platform.network.solver = scenario::LinkSolver::simgrid;
    CHECK(by_accelerator_s == doctest::Approx(run::run(scenario).simulated_s).epsilon(1e-9));
  }
}

TEST_CASE("a lost message costs its transfer and a wait, so that one takes T/(1-p) + r p/(1-p) in the mean") {
  // Each step: a request, a model of a second from the server, 0.1 s, a model back.
  scenario::Scenario scenario = scenario::parse_scenario(systems::built_in(), R"({
    "platform": { "workers": 1, "servers": 1, "bandwidth": "8Mbps", "latency": "0s",
                  "network": { "model": "CM02" } },
    "model": "none", "wire": { "model_bytes": "1MB" }, "compute": { "seconds_per_batch": "100ms", "jitter": 0 },
    "algorithm": "ps_async", "stop": { "iterations": 1000 },
    "faults": [ { "type": "message_loss", "probability": 0.2, "source": "w0", "retry_after": "500ms" } ] })",
                                                         "lossy.json");
  double last = 0;
  for (const auto solver : {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator}) {
    scenario.platform.network.solver = solver;
    const run::RunResult result = run::run(scenario);
    const auto lost = static_cast<double>(result.faults->messages_lost);
    const double bytes = result.faults->bytes_lost, seconds = result.simulated_s;
    // What is lost is counted among what is sent, and what arrives is what a run without loss sends.
    CHECK(result.bytes_sent - bytes == doctest::Approx(2000 * 1e6).epsilon(1e-9));
    // The same time as without, and for each loss half a second more and its bytes again.
    CHECK(seconds == doctest::Approx(1000 * 2.1 + bytes / 1e6 + 0.5 * lost).epsilon(1e-6));
    // Of the worker's n transmissions a fifth is lost, within four standard deviations.
    const double of_worker = (static_cast<double>(result.messages_sent) - lost) * 2 / 3 + lost;
    CHECK(std::abs(lost - 0.2 * of_worker) < 4 * std::sqrt(of_worker * 0.16));
    if (last > 0) CHECK(seconds == doctest::Approx(last).epsilon(1e-6));
    last = seconds;
  }
}

TEST_CASE("another worker moves nothing of what is lost of the others' messages") {
  const Workplace place;
  const auto messages_of_w0 = [&](int workers) {
    place.write("lossy.json", fmt::format(R"({{
      "platform": {{ "workers": {}, "servers": 1, "bandwidth": "800Mbps", "server_bandwidth": "80Gbps",
                     "latency": "0s" }},
      "model": "none", "wire": {{ "model_bytes": "1MB" }}, "compute": {{ "seconds_per_batch": "100ms", "jitter": 0 }},
      "algorithm": "ps_async", "stop": {{ "iterations": 50 }},
      "faults": [ {{ "type": "message_loss", "probability": 0.3, "link": "w0" }} ] }})",
                                          workers));
    const Reply answer = place.call("lossy.json --quiet --force");
    REQUIRE_MESSAGE(answer.code == 0, answer.err);
    std::istringstream rows(text_of(place.at("results/lossy/1/pairs.csv")));
    std::string row, all;
    while (std::getline(rows, row)) {
      if (row.find("w0") != std::string::npos) all += row + "\n";
    }
    return all;
  };
  const std::string alone = messages_of_w0(1);
  CHECK(alone.find("w0,ps0") != std::string::npos);
  CHECK(messages_of_w0(3) == alone);
}

TEST_CASE("stragglers are slow for d/(e + d) of the time, whatever they do then takes its factor longer") {
  const Workplace place;
  place.write("stragglers.json", R"({
    "platform": { "workers": 4, "bandwidth": "8Gbps", "latency": "0s" }, "model": "none",
    "wire": { "model_bytes": "1B" }, "compute": { "seconds_per_batch": "100ms", "jitter": 0 },
    "algorithm": "gossip", "stop": { "time": "4000s" },
    "faults": [ { "type": "stragglers", "hosts": ["w0", "w1"], "mean_every": "6s", "mean_duration": "2s",
                  "factor": 4 } ] })");
  const Reply answer = place.call("stragglers.json --json");
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  const auto steps = nlohmann::json::parse(answer.out)["iterations_per_worker"];
  // A quarter of the time at a quarter of the speed: 13/16 of the steps. 500 slow spells each: within 4 %.
  const double healthy = steps["w2"];
  CHECK(steps["w3"].get<double>() == doctest::Approx(healthy).epsilon(0.001));
  for (const char* slow : {"w0", "w1"})
    CHECK(steps[slow].get<double>() == doctest::Approx(healthy * 13 / 16).epsilon(0.04));
  CHECK(steps["w0"] != steps["w1"]);
}

TEST_CASE("a trace shows what was not itself and which messages were lost") {
  const Workplace place;
  place.write("step.json", kOneStep);
  const std::string faults =
      R"([{"type":"link_degraded","link":"w0","direction":"down","from":"10s","until":"30s","bandwidth":0.25},
          {"type":"host_slowed","host":"w0","from":"100s","until":"500s","factor":2},
          {"type":"message_loss","probability":0.999,"until":"110s"}])";
  REQUIRE(place.call("step.json --quiet --trace --set name=step --set 'faults=" + faults + "'").code == 0);
  const auto trace = nlohmann::json::parse(text_of(place.at("results/step/1/trace.json")));
  double degraded_us = 0, slowed_us = 0;
  int lost = 0;
  for (const auto& event : trace["traceEvents"]) {
    if (event["name"] == "bandwidth of w0 down x 0.25") degraded_us += event["dur"].get<double>();
    if (event["name"] == "speed of w0 x 0.5") slowed_us = event["ts"].get<double>();
    if (event.contains("args") && event["args"].contains("lost")) ++lost;
  }
  CHECK(degraded_us == doctest::Approx(20e6));
  CHECK(slowed_us == doctest::Approx(100e6));
  CHECK(lost > 0);
}

TEST_CASE("messages may be lost almost surely for a while but not for ever nor by several faults together") {
  const Workplace place;
  place.write("step.json", kOneStep);
  const auto with = [&](const std::string& faults) {
    return place.call("run step.json --force --json --set wire.model_bytes=1B --set 'faults=[" + faults + "]'");
  };
  const Reply for_a_while = with(R"({"type":"message_loss","probability":0.9999,"until":"1999s"})");
  REQUIRE_MESSAGE(for_a_while.code == 0, for_a_while.err);
  // Nothing arrives before, but for one message in 10,000; then all of a step does.
  const auto summary = nlohmann::json::parse(for_a_while.out);
  CHECK(summary["simulated_seconds"].get<double>() > 1900);
  CHECK(summary["faults"]["messages_lost"] == summary["faults"]["messages_sent_again"]);
  const std::string half = R"({"type":"message_loss","probability":0.93,"from":"1s"})";
  const Reply together = with(half + ", " + half);
  CHECK(together.code == 2);
  CHECK(
      together.err ==
      "ddlsim: step.json: $.faults[0].probability: loses a message with probability 0.9951 together with $.faults[1]; "
      "expected at most 0.99 of all that hold at one time\n");
  CHECK(with(half + R"(, {"type":"message_loss","probability":0.93,"until":"1s"})").code == 0);
  // One more that soon ends does not make the two end.
  CHECK(with(half + ", " + half + R"(, {"type":"message_loss","probability":0.1,"until":"2s"})").code == 2);
}

TEST_CASE("the closing table says what became of the faults") {
  const Workplace place;
  place.write("step.json", kOneStep);
  const auto line = [&](const std::string& faults) {
    const Reply answer = place.call("run step.json --force --set 'faults=[" + faults + "]'");
    const std::size_t begin = answer.out.find("  faults ");
    return begin == std::string::npos ? "" : answer.out.substr(begin, answer.out.find('\n', begin) - begin);
  };
  CHECK(line("") == "");
  const std::string down = R"({"type":"link_down","link":"w0","from":"10s","until":"11s"})";
  const std::string crash = R"({"type":"host_crash","host":"w0","at":"50s","restart":"60s","state":"kept"})";
  CHECK(line(down) == "  faults            1 link outage");
  CHECK(line(down + ", " + crash) ==
        "  faults            1 crash, 1 restart, 1 step lost, 1 message never delivered,");  // and, below, "1 link
                                                                                             // outage"
  CHECK(line(R"({"type":"host_crash","host":"w0","at":"1000s"})") == "  faults            none of them came to pass");
}

TEST_CASE("a run with faults is verified like any other") {
  const Workplace place;
  place.write("many.json", many_workers(3));
  REQUIRE(place.call("many.json --quiet").code == 0);
  for (const char* threads : {"1", "2", "5"}) {
    CHECK(place.call("run --verify-digest results/many/1 --threads " + std::string(threads)).code == 0);
  }
}

TEST_CASE("faults of nothing that is there, or of no time are refused in one line") {
  const Workplace place;
  place.write("step.json", kOneStep);
  const auto refused = [&](const std::string& scenario, const std::string& faults, const std::string& path,
                           const std::string& error_text = "") {
    const Reply answer = place.call("run " + scenario + " --quiet --set 'faults=" + faults + "'");
    CAPTURE(answer.err);
    CHECK(answer.code == 2);
    CHECK(answer.err.starts_with("ddlsim: " + scenario + ": $.faults[0]." + path + ": " + error_text));
    CHECK(place.call("check " + scenario + " --set 'faults=" + faults + "'").err == answer.err);
    CHECK(std::count(answer.err.begin(), answer.err.end(), '\n') == 1);
    CHECK_FALSE(std::filesystem::exists(place.at("results")));
  };
  refused("step.json", R"([{"type":"link_down","link":"w7","from":"1s","until":"2s"}])", "link");
  refused("step.json", R"([{"type":"host_slowed","host":"w7","from":"1s","until":"2s","factor":2}])", "host");
  refused("step.json", R"([{"type":"link_down","link":"w0","from":"2s","until":"2s"}])", "until");
  refused("step.json", R"([{"type":"message_loss","probability":1}])", "probability");
  refused("step.json", R"([{"type":"message_loss","probability":0.995}])", "probability");
  refused("step.json", R"([{"type":"message_loss","probability":0.995,"until":"2001s"}])", "probability");
  refused("step.json", R"([{"type":"message_loss","probability":0.1,"target":"w7"}])", "target");
  refused("step.json", R"([{"type":"stragglers","hosts":["w7"],"mean_every":"1s","mean_duration":"1s","factor":2}])",
          "hosts");
  refused("step.json", R"([{"type":"stragglers","mean_every":"1ns","mean_duration":"1ns","factor":2}])", "mean_every");
  refused("step.json", R"([{"type":"link_degraded","link":"w0","until":"2s","bandwidth":0}])", "bandwidth");
  refused("step.json", R"([{"type":"link_down","from":"1s","until":"2s"}])", "link", "is missing");
  refused("step.json", R"([{"type":"host_slowed","from":"1s","until":"2s","factor":2}])", "host", "is missing");
  refused("step.json", R"([{"type":"host_crash","at":"1s"}])", "host", "is missing");
  refused("step.json", R"([{"type":"host_crash","host":"w7","at":"1s"}])", "host",
          "no such host takes part: \"w7\"; did you mean \"w0\"?");
}

TEST_CASE("several servers that must agree are not crashed while workers come") {
  const Workplace place;
  place.write("two.json", R"({"platform": {"workers": 3, "servers": 2, "bandwidth": "100Mbps"}, "model": "none",
                              "algorithm": "ps_ssp", "wire": {"model_bytes": "100kB"}, "stop": {"iterations": 20},
                              "compute": {"seconds_per_batch": "100ms"}})");
  const std::string server = R"({"type":"host_crash","host":"ps1","at":"500ms","restart":"1s"})";
  const auto worker = [](const std::string& at) { return R"({"type":"join","host":"w1","at":")" + at + "\"}"; };
  const auto code = [&](const std::string& system, const std::string& faults) {
    return place.call("run two.json --quiet --force --set algorithm=" + system + " --set 'faults=[" + faults + "]'")
        .code;
  };
  for (const std::string system : {"ps_ssp", "fedavg"}) {
    CAPTURE(system);
    CHECK(code(system, server) == 0);
    CHECK(code(system, worker("700ms")) == 0);
    for (const char* at : {"300ms", "700ms", "5s"}) CHECK(code(system, server + "," + worker(at)) == 2);
  }
  CHECK(code("ps_sync", server + "," + worker("700ms")) == 0);
}

}  // namespace ddl::cli::faults_test
