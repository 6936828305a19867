#include "tests/soak/soak.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/check.hpp"
#include "sim/process/child.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/results/writing/summary.hpp"
#include "sim/run/run.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/soak/random_scenario.hpp"
#include "tests/support/lower_bound.hpp"

namespace ddl {
namespace {

// Laws of every run, from its rows alone.
std::string broken_law(const scenario::Scenario& scenario, const run::RunResult& result) {
  std::int64_t messages = 0;
  double bytes = 0;
  for (const run::PairRow& pair : result.pairs) messages += pair.messages, bytes += pair.bytes;
  if (messages != result.messages_sent) return "messages of pairs are not those of the run";
  if (std::abs(bytes - result.bytes_sent) > 1e-9 * bytes) return "bytes of pairs are not those of the run";
  if (result.bytes_delivered > result.bytes_sent * (1 + 1e-12)) return "more bytes were delivered than sent";
  double last_s = 0;
  for (const run::CurveRow& row : result.curve) {
    if (row.time_s < last_s) return "the curve goes back in time";
    last_s = row.time_s;
  }
  if (scenario.stop.time && result.simulated_s > scenario.stop.time->value * (1 + 1e-12))
    return "it ran beyond stop.time";
  for (const std::int64_t steps : result.steps) {
    if (scenario.stop.iterations && steps > *scenario.stop.iterations) return "a worker took too many steps";
  }
  for (const run::TrafficRow& row : result.traffic) {
    if (row.bytes < 0 || row.utilisation < 0) return "a link carried less than nothing";
  }
  return "";
}

// All of a run's results as text; in a child, which the system ends after `most_seconds` of a processor.
std::string said_by(const scenario::Scenario& scenario, int threads, unsigned most_seconds) {
  return process::in_child([&] {
    const rlimit limit{most_seconds, most_seconds};
    setrlimit(RLIMIT_CPU, &limit);
    const run::RunResult result = run::run_here(scenario, {.threads = threads, .progress = {}});
    if (const std::string law = broken_law(scenario, result); !law.empty()) throw InternalError(law);
    nlohmann::ordered_json rows = {{"stopped_by", result.stopped_by},
                                   {"digest", results::digest_of(result)},
                                   {"summary", results::summary_json(scenario, result, results::digest_of(result))}};
    for (const run::IterationRow& row : result.iterations) {
      rows["iterations"].push_back({row.worker, row.iteration, row.start_s, row.compute_s, row.end_s, row.staleness});
    }
    return rows.dump();
  });
}

struct Said {
  std::string text, ended;
};

Said try_run(const scenario::Scenario& scenario, int threads, unsigned most_seconds) {
  try {
    const std::string text = said_by(scenario, threads, most_seconds);
    return {text, nlohmann::json::parse(text)["stopped_by"]};
  } catch (const InputError& error) {
    return {error.what(), "refused"};
  } catch (const process::RunFailed& error) {
    return {error.what(), "failed"};
  }
}

constexpr std::int64_t long_steps = 200;
constexpr double most_bytes_in_packets = 20e3;

scenario::Scenario long_and_steady(const std::string& text, bool timing_only) {
  scenario::Scenario scenario = scenario::parse_scenario(systems::built_in(), text, "soak.json");
  scenario.faults.clear();
  scenario.compute.jitter = 0;
  scenario.record = {};
  scenario.stop = {};
  const bool by_packets = scenario.platform.network.model == scenario::NetworkModel::packets;  // cost by bytes and hops
  scenario.stop.iterations = timing_only && !by_packets ? long_steps : long_steps / 4;
  scenario.evaluate = {};
  if (timing_only) {
    scenario.model = {"none", {}};
    if (!scenario.compute.seconds_per_batch) scenario.compute.seconds_per_batch = Seconds{0.1};
    if (!scenario.wire.model_bytes) scenario.wire.model_bytes = Bytes{1e6};
    if (by_packets) {
      scenario.wire.model_bytes = Bytes{std::min(scenario.wire.model_bytes->value, most_bytes_in_packets)};
    }
  } else {
    scenario.evaluate.every_iterations = long_steps;
  }
  return scenario::parse_scenario(systems::built_in(), scenario::describe(scenario), "soak.json");
}

}  // namespace

BoundOutcome soak_bound(std::uint64_t seed, unsigned most_seconds) {
  BoundOutcome outcome;
  const std::string text = random_scenario(seed);
  std::optional<scenario::Scenario> scenario;
  for (const bool timing_only : {true, false}) {
    try {
      scenario = long_and_steady(text, timing_only);
      outcome.algorithm = scenario->algorithm->facts().name;
      outcome.scenario = scenario::describe(*scenario);
      const std::string said = process::in_child([&] {
        const rlimit limit{most_seconds, most_seconds};
        setrlimit(RLIMIT_CPU, &limit);
        const run::RunResult result = run::run_here(*scenario, {.threads = 1, .progress = {}});
        const auto steps = static_cast<double>(*scenario->stop.iterations);
        double free_steps = 3 + sum_of_counts(nlohmann::json::parse(scenario::describe(*scenario))["algorithm"]);
        if (result.bounds.random_peers) free_steps += 4 * std::sqrt(steps * result.workers);
        if (free_steps > steps / 2 || result.stopped_by != "iterations") return std::string("too short");
        return beaten_bound(result, free_steps);
      });
      outcome.judged = said != "too short";
      if (outcome.judged) outcome.problem = said;
      return outcome;
    } catch (const scenario::ScenarioErrors&) {  // no timing only
    } catch (const InputError&) {
    }
  }
  return outcome;
}

SoakOutcome soak(std::uint64_t seed, unsigned most_seconds) {
  SoakOutcome outcome;
  try {
    outcome.scenario = random_scenario(seed);
    const scenario::Scenario scenario = scenario::parse_scenario(systems::built_in(), outcome.scenario, "soak.json");
    outcome.algorithm = scenario.algorithm->facts().name;
    const Said first = try_run(scenario, 1, most_seconds), second = try_run(scenario, 3, most_seconds);
    outcome.ended = first.ended;
    if (first.ended == "refused") outcome.refusal = first.text;
    if (first.text != second.text) outcome.problem = "two runs differ: " + first.ended + ", " + second.ended;
    // A host that crashes and does not come back may leave others waiting; nothing else does.
    const bool may_fail = std::ranges::any_of(scenario.faults, scenario::changes_hosts);
    if (first.ended == "failed" && !may_fail) outcome.problem = "failed: " + first.text;
  } catch (const std::exception& error) {
    outcome.problem = error.what();
  }
  return outcome;
}

}  // namespace ddl
