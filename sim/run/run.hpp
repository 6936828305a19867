// The whole program as one function.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "sim/process/failures.hpp"
#include "sim/run/forecast.hpp"
#include "sim/run/progress.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

struct RunOptions {
  int threads = 0;                                // math threads; 0: all cores
  std::function<void(const Progress&)> progress;  // called now and then, in the run's own process
  // Simulations only: called there with the mean row of each evaluation, in order, once its score is known.
  std::function<void(const CurveRow&)> evaluated{};
  // When timing only, how the model divides; none: into as many equal layers as compute.layers says.
  std::optional<scenario::ModelShape> shape{};
  // Simulations only: what runs of the same learning_settings() have told, LearnedBytes by `from` (see
  // RunResult::learned). A run replays the one that suits it, or learns and tells. Null: it learns, and tells nothing.
  const std::map<std::string, std::string>* learned = nullptr;
};

// Runs in this process, which can do so once: SimGrid's clock is never reset.
RunResult run_here(const scenario::Scenario& scenario, const RunOptions& options);

// Adds the file's name to each line that begins with a setting's path ("$.stop: ...").
std::string with_origin(const std::string& text, const std::string& file);

// `work` on a scenario in a child process, its InputErrors with the scenario's file.
std::string in_child_of(const scenario::Scenario& scenario, const std::function<std::string()>& work);

// The scenario as it would take effect, as text (scenario::describe), from a child process. Throws InputError.
std::string described(const scenario::Scenario& scenario);

// Forecast of a run without running it, from a child process. Throws InputError.
Forecast forecast_of(const scenario::Scenario& scenario, Programs programs = Programs::are_left_alone);

}  // namespace ddl::run
