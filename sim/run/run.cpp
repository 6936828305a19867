#include "sim/run/run.hpp"

#include <chrono>
#include <sstream>
#include <string>

#include "core/base/check.hpp"
#include "sim/process/child.hpp"
#include "sim/run/effective.hpp"
#include "sim/run/rows/collection.hpp"
#include "sim/run/simulation.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::run {

std::string with_origin(const std::string& text, const std::string& file) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!result.empty()) result += "\n";
    result += line.starts_with("$") ? file + ": " + line : line;
  }
  return result;
}

std::string in_child_of(const scenario::Scenario& scenario, const std::function<std::string()>& work) {
  try {
    return process::in_child(work);
  } catch (const InputError& error) {
    throw InputError(with_origin(error.what(), scenario.file));
  }
}

RunResult run_here(const scenario::Scenario& scenario, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  RunResult result = Simulation(scenario, options).run();
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  add_process_cost(result);
  return result;
}

std::string described(const scenario::Scenario& scenario) {
  return in_child_of(scenario, [&] { return scenario::describe(effective_here(scenario)); });
}

Forecast forecast_of(const scenario::Scenario& scenario, Programs programs) {
  return forecast_from(in_child_of(scenario, [&] { return forecast_as_bytes(scenario, programs); }));
}

}  // namespace ddl::run
