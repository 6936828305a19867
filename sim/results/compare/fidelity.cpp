// Measured runs beside the simulated ones of the same scenario.
#include <algorithm>
#include <utility>

#include "sim/results/compare/comparison.hpp"

namespace ddl::results {
namespace {

struct ComparedQuantity {
  const char* key;
  const char* title;
  Kind kind;
};

constexpr ComparedQuantity quantities[] = {
    {"seconds_per_batch.mean", "time per step, mean", Kind::seconds},
    {"seconds_per_batch.median", "time per step, median", Kind::seconds},
    {"seconds_per_batch.p95", "time per step, 95 % below", Kind::seconds},
    {"simulated_seconds", "time of the run", Kind::seconds},
    {"iterations", "steps", Kind::number},
    {"bytes_sent", "bytes sent", Kind::bytes},
    {"messages_sent", "messages sent", Kind::number},
    {"busiest_link.utilisation", "busiest link", Kind::share},
    {"compute_utilisation", "computing", Kind::share},
    {"staleness.mean", "staleness", Kind::number},
    {"final_accuracy.mean", "final accuracy", Kind::score},
};

// What the two have in common: all settings but how the network is simulated, platforms and data by their content, and
// the seeds where each run is a group.
std::vector<std::pair<std::string, std::string>> identity_of(const RunGroup& group, bool each_run) {
  std::vector<std::pair<std::string, std::string>> identity;
  for (const Setting& setting : by_content(group.runs.front().settings)) {
    if (setting.path != "measured" && !is_of_network_model(setting.path))
      identity.emplace_back(setting.path, setting.value);
  }
  if (each_run) identity.emplace_back("seed", std::to_string(group.runs.front().seed));
  return identity;
}

}  // namespace

std::optional<double> Fidelity::Row::error() const {
  if (measured.mean == 0) return std::nullopt;
  return simulated.mean / measured.mean - 1;
}

std::vector<Fidelity> fidelities_of(const GroupedRuns& grouped) {
  const bool each_run = std::ranges::find(grouped.varied, "seed") != grouped.varied.end();
  std::vector<Fidelity> found;
  for (std::size_t m = 0; m < grouped.groups.size(); ++m) {
    const RunGroup& measured = grouped.groups[m];
    if (!measured.runs.front().measured) continue;
    for (std::size_t s = 0; s < grouped.groups.size(); ++s) {
      const RunGroup& simulated = grouped.groups[s];
      if (simulated.runs.front().measured) continue;
      if (identity_of(simulated, each_run) != identity_of(measured, each_run)) continue;
      Fidelity& fidelity = found.emplace_back(Fidelity{m, s, {}});
      for (const ComparedQuantity& quantity : quantities) {
        const auto here = measured.estimate_of(quantity.key), there = simulated.estimate_of(quantity.key);
        if (here && there) fidelity.rows.push_back({quantity.title, quantity.kind, *here, *there});
      }
    }
  }
  return found;
}

}  // namespace ddl::results
