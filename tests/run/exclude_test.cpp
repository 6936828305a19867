// Hosts and sites that take no part.
#include <doctest/doctest.h>

#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/check.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::exclude_test {
namespace {

scenario::Scenario without(const std::string& excluded, const std::string& platform, const std::string& more = "",
                           const std::string& algorithm = "\"ring_allreduce\"") {
  return scenario_from(fmt::format(R"({{ "platform": {{ {}, "exclude": {} }},
      "data": {{ "train": 400, "test": 50 }}, "model": "softmax", "compute": {{ "seconds_per_batch": "10ms" }},
      "training": {{ "batch_size": 10 }}, "algorithm": {}, "stop": {{ "iterations": 20 }},
      "record": {{ "batches": true }} {} }})",
                                   platform, excluded, algorithm, more));
}

const std::string star = R"("workers": 4, "bandwidth": "100Mbps", "latency": "1ms")";
const std::string sites =
    R"("sites": [{"name": "A", "workers": 2, "bandwidth": "1Gbps"}, {"name": "B", "workers": 2, "bandwidth": "1Gbps"}],
    "links": [{"from": "A", "to": "B", "up": "10Mbps", "latency": "10ms"}])";

using Samples = std::set<std::uint32_t>;
std::map<std::string, Samples> shards(const run::RunResult& result) {
  std::map<std::string, Samples> samples;
  for (const auto& row : result.recorded.shards) {
    std::istringstream numbers(row.samples);
    Samples& of = samples[result.nodes[static_cast<std::size_t>(row.worker)]];
    for (std::uint32_t number = 0; numbers >> number;) of.insert(number);
  }
  return samples;
}

std::string error_of(const scenario::Scenario& scenario) {
  try {
    run::run(scenario);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("those left keep their samples, and the excluded ones' are left out") {
  for (const std::string& platform : {star, sites}) {
    const auto all = shards(run::run(without("[]", platform)));
    REQUIRE(all.size() == 4);
    const std::string second = std::next(all.begin())->first;
    const run::RunResult rest = run::run(without("[\"" + second + "\"]", platform));
    CHECK(rest.workers == 3);
    auto expected = all;
    expected.erase(second);
    CHECK(shards(rest) == expected);
    CHECK(rest.epochs == doctest::Approx(20 * 3 * 10 / 300.0));
  }
}

TEST_CASE("a site is excluded with all of its hosts") {
  const run::RunResult rest = run::run(without("[\"B\"]", sites));
  CHECK(rest.workers == 2);
  CHECK(rest.nodes == std::vector<std::string>{"w0", "w1"});
}

TEST_CASE("one worker that trains alone has the samples of those that take part") {
  const auto all = shards(run::run(without("[]", star)));
  const auto rest = run::run(without(R"(["w1", "w2"])", star, "", "\"single\""));
  Samples expected = all.at("w0");
  expected.insert(all.at("w3").begin(), all.at("w3").end());
  CHECK(rest.epochs == doctest::Approx(20 * 10 / 200.0));
  CHECK(shards(rest).at("w0") == expected);
}

TEST_CASE("a scenario's settings for excluded hosts have no effect, and other unknown hosts are refused") {
  const std::string more =
      R"(, "faults": [{"type": "host_slowed", "host": "w3", "from": "0s", "until": "1s", "factor": 5},
      {"type": "stragglers", "hosts": ["w3"], "mean_every": "1s", "mean_duration": "1s", "factor": 3}])";
  CHECK(run::run(without("[\"w3\"]", star, more)).simulated_s == run::run(without("[\"w3\"]", star)).simulated_s);
  CHECK(error_of(without("[\"w4\"]", star)).find("$.platform.exclude[0]: there is no host or site \"w4\"") !=
        std::string::npos);
  CHECK(error_of(without(R"(["w0", "w1", "w2", "w3"])", star)).find("leaves no worker") != std::string::npos);
  CHECK(error_of(without("[\"w3\"]", star,
                         R"(, "faults": [{"type": "host_slowed", "host": "w9", "from": "0s", "until": "1s",
                                          "factor": 5}])"))
            .find("no such host takes part") != std::string::npos);
}

TEST_CASE("a worker that leaves at 0s is away from the beginning, and may join later") {
  const auto with = [](const std::string& faults, bool by_time = true) {
    scenario::Scenario scenario =
        without("[]", star, R"(, "faults": [)" + faults + "]", R"({"name": "ring_allreduce", "on_failure": "go_on"})");
    if (by_time) {
      scenario.stop = {};
      scenario.stop.time = Seconds{0.5};
    }
    return run::run(scenario);
  };
  const run::RunResult left = with(R"({"type": "leave", "host": "w3", "at": "0s"})");
  CHECK(left.steps[0] > 10);
  CHECK(left.steps[3] == 0);
  CHECK(with(R"({"type": "leave", "host": "w3", "at": "0s"})", false).steps ==
        std::vector<std::int64_t>{20, 20, 20, 0});
  std::string all;
  for (const char* host : {"w0", "w1", "w2", "w3"}) {
    all += fmt::format(R"({}{{"type": "leave", "host": "{}", "at": "0s"}})", all.empty() ? "" : ",", host);
  }
  CHECK(with(all).simulated_s == doctest::Approx(0.5));
  CHECK_THROWS_AS(with(all, false), process::RunFailed);
  const run::RunResult joined = with(R"({"type": "leave", "host": "w3", "at": "0s"},
                                        {"type": "join", "host": "w3", "at": "100ms"})");
  const run::RunResult plain = with(R"({"type": "join", "host": "w3", "at": "100ms"})");
  CHECK(joined.steps[3] > 5);
  CHECK(joined.steps == plain.steps);
  CHECK(joined.bytes_sent == plain.bytes_sent);
}

}  // namespace ddl::exclude_test
