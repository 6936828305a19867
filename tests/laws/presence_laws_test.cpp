// Whoever comes, goes or is away: what holds in every training system whose hosts may do so.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/systems/table.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::presence_laws_test {
namespace {

constexpr int workers = 3;

std::string text(const std::string& algorithm, const std::string& faults, const std::string& stop) {
  const bool one_trains = algorithm.starts_with(R"({"name": "single")");
  return fmt::format(
      R"({{"name": "law", "platform": {{"topology": "star", "workers": {}, "servers": {}, "bandwidth": "80Mbps",
          "latency": "1ms", {}}}, "model": "none", "training": {{"batch_size": 10}}, "wire": {{"model_bytes": "10kB"}},
          "compute": {{"seconds_per_batch": "1s", "jitter": 0}}, "algorithm": {}, "stop": {}, "faults": {}}})",
      one_trains ? 1 : workers, one_trains ? 0 : 1, textbook, algorithm, stop, faults);
}

// Each system that takes hosts which come and go, with each policy that it has.
std::vector<std::string> systems_with_policies() {
  std::vector<std::string> found;
  for (const auto& system : systems::built_in()) {
    for (const char* policy :
         {"", R"(, "on_failure": "go_on")", R"(, "on_failure": "time_out", "failure_timeout": "9s")"}) {
      const std::string name(system->facts().name);
      const std::string algorithm = fmt::format(R"({{"name": "{}"{}}})", name, policy);
      try {
        scenario_from(text(algorithm, R"([{"type": "leave", "host": "w0", "at": "4s"}])", R"({"time": "9s"})"));
        found.push_back(algorithm);
      } catch (const scenario::ScenarioErrors&) {
        CHECK_MESSAGE((*policy != 0 || system->needs_all_hosts()), name);
      }
    }
  }
  CHECK(found.size() > 30);
  return found;
}

std::string of_all(const std::string& algorithm, const std::string& rest) {
  std::string list;
  for (int worker = 0; worker < (algorithm.starts_with(R"({"name": "single")") ? 1 : workers); ++worker) {
    list += fmt::format(R"({}{{"host": "w{}", {}}})", worker == 0 ? "" : ", ", worker, rest);
  }
  return "[" + list + "]";
}

std::string trace(const std::string& more = "") {
  return R"([{"type": "availability", "presence": [{"client": "x", "from": "2s", "until": "5s"}])" + more + "}]";
}

}  // namespace

TEST_CASE("a run ends at stop.time, whoever is away then") {
  for (const std::string& algorithm : systems_with_policies()) {
    CAPTURE(algorithm);
    const std::vector<std::string> all_away = {
        trace(),
        trace(R"(, "repeat_every": "10s")"),
        of_all(algorithm, R"("type": "leave", "at": "5s")"),
        of_all(algorithm, R"("type": "join", "at": "50s")"),
        of_all(algorithm, R"("type": "host_crash", "at": "5.5s")"),
        of_all(algorithm, R"("type": "host_crash", "at": "5.5s", "restart": "50s")")};
    for (const std::string& faults : all_away) {
      CAPTURE(faults);
      std::int64_t steps = 0;
      for (const char* stop : {R"({"time": "23s"})", R"({"time": "28s", "iterations": 1000, "samples": 100000})"}) {
        CAPTURE(stop);
        const run::RunResult result = run::run(scenario_from(text(algorithm, faults, stop)));
        CHECK(result.stopped_by == "time");
        CHECK(result.simulated_s == (std::string(stop).find("23s") != std::string::npos ? 23 : 28));
        std::int64_t done = 0;
        for (const std::int64_t of_worker : result.steps) done += of_worker;
        CHECK((done > 0) == (faults.find("50s\"}") == std::string::npos || faults.find("crash") != std::string::npos));
        CHECK(done >= steps);
        steps = done;
      }
    }
  }
}

TEST_CASE("where all have gone for good, a number of steps or samples is never reached, and the run fails at once") {
  for (const std::string& algorithm : systems_with_policies()) {
    for (const char* stop : {R"({"iterations": 1000})", R"({"samples": 100000})"}) {
      for (const std::string& faults : {trace(), of_all(algorithm, R"("type": "leave", "at": "5s")")}) {
        CAPTURE(algorithm);
        CAPTURE(faults);
        CHECK_THROWS_AS(run::run(scenario_from(text(algorithm, faults, stop))), process::RunFailed);
        // What was done before they went is enough here.
        const std::string few =
            std::string(stop).find("iter") != std::string::npos ? R"({"iterations": 1})" : R"({"samples": 20})";
        CHECK_NOTHROW(run::run(scenario_from(text(algorithm, faults, few))));
      }
    }
  }
}

}  // namespace ddl::presence_laws_test
