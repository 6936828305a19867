#include <fmt/format.h>

#include <iostream>
#include <numbers>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/runtime/run.hpp"

namespace ddl::cli {
namespace {

std::string forecast_text(const experiment::Forecast& forecast) {
  const network::Bounds& bounds = forecast.bounds;
  std::string text;
  const auto add = [&](const char* label, const std::string& value) {
    text += fmt::format("  {:<18}{}\n", label, value);
  };
  add("least time a step",
      fmt::format("{} on the slowest worker in the long run, {}-bound", results::readable_seconds(bounds.step_s),
                  bounds.network_bound ? "network" : "compute"));
  add("gradient", fmt::format("{} on the slowest worker", results::readable_seconds(bounds.compute_s)));
  if (bounds.bottleneck.empty()) {
    add("network", "nothing has to travel");
  } else {
    add("network", fmt::format("{} sent per worker and step", results::readable_bytes(bounds.bytes_per_step)));
    if (bounds.random_peers) add("", "on average, for peers are drawn at random");
    add("bottleneck", fmt::format("{}: {} per step of every worker, at least {}", bounds.bottleneck,
                                  results::readable_bytes(bounds.bottleneck_bytes_per_step),
                                  results::readable_seconds(bounds.network_s)));
  }
  add("network model", platform::text_of(forecast.network));
  add("", forecast.network.why);
  return text;
}

std::string consensus_text(const graph::Consensus& consensus) {
  const auto rounds = [&](double share) { return fmt::format("{:.0f}", consensus.rounds_to(share)); };
  return fmt::format("  {:<18}models' distance times {:.4f} a step, spectral gap {:.4f}\n", "averaging",
                     consensus.factor, consensus.spectral_gap()) +
         fmt::format("  {:<18}to 1/e of the distance in {} steps, to 1/1000 in {}\n", "consensus",
                     rounds(1 / std::numbers::e), rounds(1e-3));
}

}  // namespace

std::string consensus_text(const scenario::Scenario& scenario) {
  if (!scenario.algorithm->has_consensus()) return "";
  try {
    const auto consensus = runtime::forecast_of(scenario).consensus;
    return consensus ? consensus_text(*consensus) : "";
  } catch (const InputError&) {
    return "";  // of what only a run needs, such as data
  }
}

void check_scenarios(const std::vector<std::string>& files, const std::vector<scenario::Override>& overrides) {
  const std::vector<scenario::Scenario> scenarios = read_all(files, overrides);
  std::string report;
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < files.size(); ++i) {
    try {
      const experiment::Forecast forecast = runtime::forecast_of(scenarios[i]);
      report += files[i] + ": ok\n" + forecast_text(forecast);
      if (forecast.consensus) report += consensus_text(*forecast.consensus);
    } catch (const InputError& error) {
      problems.push_back(error.what());
    }
  }
  if (!problems.empty()) throw scenario::ScenarioErrors(problems);
  std::cout << report;
}

}  // namespace ddl::cli
