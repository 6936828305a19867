#include <fmt/format.h>

#include <iostream>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/record/readable.hpp"
#include "sim/runtime/run.hpp"

namespace ddl {
namespace {

std::string bounds_text(const Bounds& bounds) {
  std::string text;
  const auto add = [&](const char* label, const std::string& value) {
    text += fmt::format("  {:<18}{}\n", label, value);
  };
  add("least time a step",
      fmt::format("{}, {}-bound", readable_seconds(bounds.step_s), bounds.network_bound ? "network" : "compute"));
  add("gradient", fmt::format("{} on the slowest worker", readable_seconds(bounds.compute_s)));
  if (bounds.bottleneck.empty()) {
    add("network", "nothing travels");
  } else {
    add("network", fmt::format("{} sent per worker and step", readable_bytes(bounds.bytes_per_step)));
    add("bottleneck",
        fmt::format("{}: {} per step of every worker, at least {}", bounds.bottleneck,
                    readable_bytes(bounds.bottleneck_bytes_per_step), readable_seconds(bounds.network_s)));
  }
  return text;
}

}  // namespace

void check_scenarios(const std::vector<std::string>& files, const std::vector<Override>& overrides) {
  const std::vector<Scenario> scenarios = read_all(files, overrides);
  std::string report;
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < files.size(); ++i) {
    try {
      report += files[i] + ": ok\n" + bounds_text(bounds_of(scenarios[i]));
    } catch (const InputError& error) {
      problems.push_back(error.what());
    }
  }
  if (!problems.empty()) throw ScenarioErrors(problems);
  std::cout << report;
}

}  // namespace ddl
