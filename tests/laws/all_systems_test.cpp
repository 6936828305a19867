// What every training system keeps to, held for each by itself. A system that is added to the table is under these laws
// without a word here: its settings are those of its smoke scenario, of which every system has one.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>
#include <set>

#include "core/base/check.hpp"
#include "core/systems/table.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/run/run.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/support/systems.hpp"

namespace ddl::all_systems_test {
namespace {

using scenario::Override;

const std::filesystem::path smoke = std::filesystem::path(DDLSIM_SOURCE_DIR) / "scenarios/smoke";

// The first smoke scenario of a system, in the order of their names, in which hosts neither come nor go.
std::string scenario_of(const std::string& system) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(smoke)) files.insert(entry.path().string());
  for (const std::string& file : files) {
    const scenario::Scenario scenario = scenario::read_scenario(systems::built_in(), file);
    if (scenario.algorithm->facts().name == system && scenario.faults.empty()) return file;
  }
  return "";
}

scenario::Scenario with(const std::string& file, const std::string& stop, std::vector<Override> more = {}) {
  more.insert(more.begin(), {{"stop", stop}, {"evaluate", R"({"every_iterations": 5})"}});
  return scenario::read_scenario(systems::built_in(), file, more);
}

// Nothing if the scenario is refused: with such settings, or because it has no such host.
std::optional<run::RunResult> run_if_allowed(const std::string& file, const std::string& stop,
                                             std::vector<Override> more = {}) {
  try {
    return run::run(with(file, stop, std::move(more)));
  } catch (const scenario::ScenarioErrors&) {
  } catch (const InputError&) {
  }
  return std::nullopt;
}

std::int64_t all_steps(const run::RunResult& result) {
  return std::accumulate(result.steps.begin(), result.steps.end(), std::int64_t{0});
}

// Calls `law` for every system with its scenario's file.
template <class Law>
void for_all_systems(Law law) {
  for (const auto& system : systems::built_in()) {
    const std::string name = system->facts().name, file = scenario_of(name);
    CAPTURE(name);
    REQUIRE_MESSAGE(file != "", name << " has no scenario without faults in scenarios/smoke");
    law(*system, file);
  }
}

}  // namespace

TEST_CASE("every system has a smoke scenario, and that a golden") {
  for_all_systems([](const System&, const std::string& file) {
    const std::string name = std::filesystem::path(file).stem().string();
    CHECK(std::filesystem::exists(std::filesystem::path(DDLSIM_SOURCE_DIR) / "tests/goldens/data" / (name + ".txt")));
  });
}

TEST_CASE("every system stops when its workers have taken the steps asked for, each of them") {
  for_all_systems([](const System&, const std::string& file) {
    const auto result = run::run(with(file, R"({"iterations": 7})"));
    CHECK(result.stopped_by == "iterations");
    for (const std::int64_t steps : result.steps) CHECK(steps == 7);
  });
}

TEST_CASE("every system stops when the time is over, at that time") {
  for_all_systems([&](const System& system, const std::string& file) {
    const auto result = run_if_allowed(file, R"({"time": "1.5s"})");
    // Only models that serve requests after training need a count of steps.
    if (!result) {
      CHECK(system.facts().is_model_parallel());
      return;
    }
    CHECK(result->stopped_by == "time");
    CHECK(result->simulated_s == doctest::Approx(1.5));
    CHECK(all_steps(*result) > 0);
  });
}

TEST_CASE("every system learns the same with one thread and with three") {
  for_all_systems([](const System&, const std::string& file) {
    const auto scenario = with(file, R"({"iterations": 10})");
    CHECK(results::digest_of(run::run(scenario, {.threads = 1, .progress = nullptr})) ==
          results::digest_of(run::run(scenario, {.threads = 3, .progress = nullptr})));
  });
}

TEST_CASE("every system notices that it diverges, and ends") {
  for_all_systems([](const System&, const std::string& file) {
    const auto result = run::run(
        with(file, R"({"iterations": 50})", {{"training.optimizer", R"({"type": "sgd", "learning_rate": 1e38})"}}));
    CHECK(result.stopped_by == "diverged");
    REQUIRE(result.divergence);
    CHECK(result.divergence->step < 10);
    for (const run::IterationRow& row : result.iterations) {
      if (row.train_loss) CHECK(std::isfinite(*row.train_loss));
    }
  });
}

// Each worker judged by its own model: with others' gradients summed or models averaged, either all of them end with
// the same bits, as those do which say so, or some do not. The paces are the same, and far apart.
TEST_CASE("the systems that promise equal replicas end with them, and no others do") {
  for (const char* slowdown : {"{}", R"({"w0": 3})"}) {
    CAPTURE(slowdown);
    for_all_systems([&](const System& system, const std::string& file) {
      const auto result =
          run::run(with(file, R"({"iterations": 13})", {{"compute.jitter", "0"}, {"compute.slowdown", slowdown}}));
      if (result.weights_at_servers || result.weights.size() < 2) {
        CHECK_FALSE(system.facts().equal_replicas);
        return;
      }
      REQUIRE(result.weights.size() == result.steps.size());
      bool equal = true;
      for (const std::vector<float>& weights : result.weights) equal = equal && weights == result.weights.front();
      CHECK(equal == system.facts().equal_replicas);
    });
  }
}

// A smoke scenario's own network, and one in which a message takes far longer than a gradient.
TEST_CASE("no system's mean step is shorter than its lower bound, in the long run") {
  for (const char* bandwidth : {"10Gbps", "2Mbps"}) {
    CAPTURE(bandwidth);
    for_all_systems([&](const System&, const std::string& file) {
      const auto result =
          run::run(with(file, R"({"iterations": 60})", {{"platform.bandwidth", bandwidth}, {"compute.jitter", "0"}}));
      const std::int64_t slowest = *std::ranges::min_element(result.steps);
      REQUIRE(slowest > 0);
      CAPTURE(result.bounds.step_s);
      // What is under way at the end has not been waited for: less than two steps of it.
      CHECK(result.simulated_s * (1 + 1e-9) >= result.bounds.step_s * static_cast<double>(slowest - 2));
    });
  }
}

TEST_CASE("a worker's crash, and its return, stop no system that allows them") {
  for_all_systems([&](const System& system, const std::string& file) {
    for (const char* state : {"kept", "lost"}) {
      CAPTURE(state);
      const std::string fault = fmt::format(
          R"([{{"type": "host_crash", "host": "w1", "at": "430ms", "restart": "910ms", "state": "{}"}}])", state);
      const auto result = run_if_allowed(file, R"({"iterations": 20, "time": "60s"})", {{"faults", fault}});
      // Only these may refuse it: all hosts of a split model or an ensemble are needed, and "single" has no w1.
      if (!result) {
        const std::string name = system.facts().name;
        CHECK((with(file, R"({"iterations": 1})").algorithm->needs_all_hosts() || name == "single"));
        continue;
      }
      CHECK(result->stopped_by == "iterations");
      REQUIRE(result->faults);
      CHECK(result->faults->crashes == 1);
    }
  });
}

TEST_CASE("timing only: a system takes the same time and sends the same messages when it learns nothing") {
  for_all_systems([](const System& system, const std::string& file) {
    const std::string stop = R"({"iterations": 12})";
    // Four bytes a parameter, so that vectors of both runs are as long, and cut at the same places.
    const std::size_t parameters = run::run(with(file, R"({"iterations": 1})")).weights.at(0).size();
    std::vector<Override> same = {{"wire.model_bytes", fmt::format("\"{}B\"", 4 * parameters)}};
    // Without layers a vector cannot be cut between them.
    if (keys_of(system).contains("partitioner")) same.push_back({"algorithm.partitioner", "\"even\""});
    for (const char* key : {"bucket_bytes", "fragments"}) {  // of systems that go by layers
      if (keys_of(system).contains(key)) same.push_back({"algorithm.overlap", "\"none\""});
    }
    // Without a model there is no accuracy to evaluate and no weight to record.
    std::vector<Override> timing_only = same;
    timing_only.insert(timing_only.end(),
                       {{"model", "\"none\""}, {"evaluate", "{}"}, {"record", R"({"iterations": true})"}});
    const auto timed = run_if_allowed(file, stop, timing_only);
    // The parts of a split model, and what members of an ensemble get wrong, follow from the model.
    if (!timed) {
      CHECK(system.facts().is_model_parallel());
      return;
    }
    const auto learned = run::run(with(file, stop, same));
    CHECK(timed->weights.empty());
    CHECK_FALSE(learned.weights.empty());
    CHECK(timed->simulated_s == learned.simulated_s);
    CHECK(timed->steps == learned.steps);
    CHECK(timed->bytes_sent == learned.bytes_sent);
    CHECK(timed->messages_sent == learned.messages_sent);
    REQUIRE(timed->iterations.size() == learned.iterations.size());
    for (std::size_t i = 0; i < timed->iterations.size(); ++i) {
      CHECK(timed->iterations[i].end_s == learned.iterations[i].end_s);
      CHECK_FALSE(timed->iterations[i].train_loss.has_value());
    }
  });
}

}  // namespace ddl::all_systems_test
