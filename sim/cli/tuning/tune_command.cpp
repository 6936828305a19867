#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/base/counted.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/cli/tuning/commands.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/results/text/table.hpp"
#include "sim/results/writing/readable.hpp"

namespace ddl::cli {
namespace {

using advise::TunedScenario;
using Json = nlohmann::ordered_json;

std::string settings_text(const TunedScenario& tuned) {
  std::vector<std::string> words;
  for (const scenario::Override& change : tuned.best) {
    words.push_back(change.path.substr(change.path.rfind('.') + 1) + " " + change.value);
  }
  return words.empty() ? "-" : fmt::format("{}", fmt::join(words, ", "));
}

// Of the best settings: "31.2 s", or "not reached (1 of 4)".
std::string time_text(const TunedScenario& tuned) {
  std::vector<double> times;
  for (const auto& time : tuned.times_s) {
    if (time) times.push_back(*time);
  }
  if (times.size() < tuned.times_s.size() || times.empty()) {
    return fmt::format("not reached ({} of {})", times.size(), tuned.times_s.size());
  }
  return results::readable_seconds(results::estimate(times)->mean);
}

std::string at_end_text(const TunedScenario& tuned) {
  const auto mean = results::estimate(tuned.at_end);
  return mean ? fmt::format("{:.4f}", mean->mean) : "-";
}

results::Table table_of(const std::vector<TunedScenario>& all, const advise::Goal& goal) {
  std::vector<std::vector<std::string>> rows = {
      {"scenario", "best", fmt::format("{} at the end", goal.metric.word), "seeds", "runs"}};
  if (goal.target) rows[0].insert(rows[0].begin() + 2, fmt::format("time to {}", *goal.target));
  for (const TunedScenario& tuned : all) {
    rows.push_back({tuned.name, settings_text(tuned), at_end_text(tuned), std::to_string(tuned.at_end.size()),
                    tuned.runs == tuned.planned ? std::to_string(tuned.runs)
                                                : fmt::format("{} of {}", tuned.runs, tuned.planned)});
    if (goal.target) rows.back().insert(rows.back().begin() + 2, time_text(tuned));
  }
  return results::Table::of(rows);
}

Json json_of(const TunedScenario& tuned, const advise::Goal& goal) {
  Json best = Json::object();
  for (const scenario::Override& change : tuned.best) {
    const Json value = Json::parse(change.value, nullptr, false);
    best[change.path] = value.is_discarded() ? Json(change.value) : value;
  }
  Json times = Json::array();
  for (const auto& time : tuned.times_s) times.push_back(time ? Json(*time) : Json());
  return {{"scenario", tuned.file},
          {"best", best},
          {"at_edge", tuned.search.at_edge},
          {fmt::format("{}_at_end", goal.metric.word), tuned.at_end},
          {"time_to_target_s", times},
          {"runs", tuned.runs},
          {"runs_planned", tuned.planned},
          {"runs_failed", tuned.failed},
          {"tuned_scenario", tuned.tuned_file}};
}

void print_notes(const std::vector<TunedScenario>& all, const std::vector<std::uint64_t>& seeds, std::size_t width) {
  std::cout << results::hanging(
      "",
      fmt::format("Seeds {}..{} are for tuning alone; the file of each scenario has its best settings:", seeds.front(),
                  seeds.back()),
      width);
  for (const TunedScenario& tuned : all) {
    if (!tuned.tuned_file.empty()) std::cout << "  " << tuned.tuned_file << "\n";
  }
  for (const TunedScenario& tuned : all) {
    if (tuned.search.at_edge) {
      print_error(tuned.name + ": the best learning rate is at the edge of those tried; one beyond may be better");
    }
    if (tuned.failed > 0)
      print_error(fmt::format("{}: {} failed; see tried.csv", tuned.name, counted(tuned.failed, "run")));
  }
}

}  // namespace

int tune(const Registry& systems, const TuneSettings& settings) {
  const int at_once = settings.jobs > 0 ? settings.jobs : jobs::usable_cores();
  const std::vector<TunedScenario> all =
      with_progress("tune", !settings.quiet && !settings.json, [&](const auto& show) {
        return advise::tuned_scenarios(systems, settings.request, {at_once, show});
      });
  if (settings.json) {
    Json list = Json::array();
    for (const TunedScenario& tuned : all) list.push_back(json_of(tuned, settings.request.goal));
    std::cout << list.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  } else {
    const Terminal out(STDOUT_FILENO);
    std::cout << out.titled(results::terminal_text(table_of(all, settings.request.goal), out.columns())) << "\n";
    print_notes(all, advise::tuning_seeds(settings.request.seeds), out.columns());
  }
  const bool none = std::ranges::any_of(all, [](const TunedScenario& tuned) { return tuned.failed == tuned.runs; });
  return none ? kRunFailed : kDone;
}

}  // namespace ddl::cli
