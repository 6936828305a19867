// Links and hosts that are not themselves for a while: what it costs, who waits, and what is refused.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "tests/cli/workplace.hpp"

namespace ddl {
namespace {

// One step of one worker: 100 MB over 1 MB/s to it, a gradient of a second, 100 MB back.
constexpr const char* kOneStep = R"({
  "platform": { "workers": 1, "servers": 1, "bandwidth": "8Mbps", "latency": "0s",
                "network": { "model": "CM02", "crosstraffic": false, "tcp_window": "0B" } },
  "model": "none", "wire": { "model_bytes": "100MB" }, "compute": { "seconds_per_batch": "1s", "jitter": 0 },
  "algorithm": "ps_async", "stop": { "iterations": 1 } })";

double seconds_with(const Workplace& place, const std::string& faults) {
  const Answer answer = place.call("run step.json --json --force --set 'faults=" + faults + "'");
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  return nlohmann::json::parse(answer.out)["simulated_seconds"];
}

// Steps that other workers than w0 finish while w0's link has been down for a while.
int steps_of_others_meanwhile(const Workplace& place, const std::string& algorithm) {
  const Answer answer = place.call("run many.json --quiet --force --set 'algorithm=" + algorithm + "'");
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
      "faults": [ {{ "type": "link_down", "link": "w0", "from": "20s", "until": "40s" }} ] }})",
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

TEST_CASE("a run with faults is verified like any other") {
  const Workplace place;
  place.write("many.json", many_workers(3));
  REQUIRE(place.call("many.json --quiet").code == 0);
  CHECK(place.call("run --verify-digest results/many/1 --threads 2").code == 0);
}

TEST_CASE("faults of nothing that is there, or of no time are refused in one line") {
  const Workplace place;
  place.write("step.json", kOneStep);
  const auto refused = [&](const std::string& scenario, const std::string& faults, const std::string& path) {
    const Answer answer = place.call("run " + scenario + " --quiet --set 'faults=" + faults + "'");
    CAPTURE(answer.err);
    CHECK(answer.code == 2);
    CHECK(answer.err.starts_with("ddlsim: " + scenario + ": $.faults[0]." + path + ": "));
    CHECK(std::count(answer.err.begin(), answer.err.end(), '\n') == 1);
    CHECK_FALSE(std::filesystem::exists(place.at("results")));
  };
  refused("step.json", R"([{"type":"link_down","link":"w7","from":"1s","until":"2s"}])", "link");
  refused("step.json", R"([{"type":"host_slowed","host":"w7","from":"1s","until":"2s","factor":2}])", "host");
  refused("step.json", R"([{"type":"link_down","link":"w0","from":"2s","until":"2s"}])", "until");
  refused("step.json", R"([{"type":"link_degraded","link":"w0","until":"2s","bandwidth":0}])", "bandwidth");
}

}  // namespace ddl
