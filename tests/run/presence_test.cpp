// Laws of every training system that permits hosts to come and go.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/systems/table.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::presence_test {
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

// Each system that permits hosts to come and go, with each of its policies.
std::vector<std::string> systems_with_policies() {
  std::vector<std::string> found;
  for (const auto& system : systems::built_in()) {
    for (const char* policy :
         {"", R"(, "on_failure": "go_on")", R"(, "on_failure": "time_out", "failure_timeout": "9s")"}) {
      const std::string name(system->facts().name);
      // A newcomer of diloco waits for an outer step, by default longer than it is there.
      const std::string settings = name == "diloco" ? R"(, "sync_every": 2)" : "";
      const std::string algorithm = fmt::format(R"({{"name": "{}"{}{}}})", name, settings, policy);
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
        // Their work before they went is enough here.
        const std::string few =
            std::string(stop).find("iter") != std::string::npos ? R"({"iterations": 1})" : R"({"samples": 20})";
        CHECK_NOTHROW(run::run(scenario_from(text(algorithm, faults, few))));
      }
    }
  }
}

TEST_CASE("workers that all join in one instant train as from the start of a run") {
  for (const std::string& algorithm : systems_with_policies()) {
    CAPTURE(algorithm);
    const std::string never = R"([{"type": "leave", "host": "w0", "at": "1000s"}])";
    const run::RunResult from_start = run::run(scenario_from(text(algorithm, never, R"({"time": "20.5s"})")));
    for (const std::string& faults :
         {of_all(algorithm, R"("type": "join", "at": "2s")"),
          std::string(R"([{"type": "availability", "presence": [{"client": "x", "from": "2s", "until": "99s"}]}])")}) {
      CAPTURE(faults);
      const run::RunResult late = run::run(scenario_from(text(algorithm, faults, R"({"time": "22.5s"})")));
      CHECK(late.bytes_sent == from_start.bytes_sent);
      CHECK(late.steps == from_start.steps);
      REQUIRE(late.iterations.size() == from_start.iterations.size());
      for (std::size_t i = 0; i < late.iterations.size(); ++i) {
        CHECK(late.iterations[i].end_s == doctest::Approx(from_start.iterations[i].end_s + 2).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("workers that join in one instant start together, also again, and also beside others") {
  const std::string beside_others =
      R"([{"type": "join", "host": "w1", "at": "4.5s"}, {"type": "leave", "host": "w1", "at": "9.5s"},
      {"type": "join", "host": "w2", "at": "4.5s"}, {"type": "leave", "host": "w2", "at": "9.5s"}])";
  const std::string lost = R"("type": "host_crash", "at": "4.5s", "restart": "10s", "state": "lost")";
  for (const std::string& algorithm : systems_with_policies()) {
    if (algorithm.starts_with(R"({"name": "single")")) continue;
    CAPTURE(algorithm);
    for (const std::string& faults : {trace(R"(, "repeat_every": "10s")"), beside_others, of_all(algorithm, lost)}) {
      CAPTURE(faults);
      const run::RunResult result = run::run(scenario_from(text(algorithm, faults, R"({"time": "26s"})")));
      std::map<int, std::vector<double>> begins;  // by worker: after a pause, or at first
      std::map<int, double> last;
      for (const run::IterationRow& row : result.iterations) {
        const auto before = last.find(row.worker);
        if (before == last.end() || row.start_s > before->second + 4) begins[row.worker].push_back(row.start_s);
        last[row.worker] = row.end_s;
      }
      CHECK(begins[1].size() == (faults == beside_others ? 1 : begins[0].size()));
      REQUIRE(begins[1].size() == begins[2].size());
      for (std::size_t k = 0; k < begins[1].size(); ++k) {
        CHECK(std::abs(begins[1][k] - begins[2][k]) < 0.1);
        if (faults != beside_others) CHECK(std::abs(begins[1][k] - begins[0][k]) < 0.1);
      }
    }
  }
}

}  // namespace ddl::presence_test
