#include "sim/results/compare/comparison_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/results/text/setting_column.hpp"

namespace ddl::results {
namespace {

// The link that is busiest in all runs.
std::string link_of(const RunGroup& group) {
  const std::string& link = group.runs.front().busiest_link;
  const bool all = std::all_of(group.runs.begin(), group.runs.end(),
                               [&](const FinishedRun& run) { return run.busiest_link == link; });
  return all && !link.empty() ? link + " " : "";
}

// " ± 0.0120", or " (0.9120 .. 1.0000)" where the interval is cut at what the values can be.
std::string spread_text(const Estimate& estimate, const std::optional<Interval>& interval, Kind kind) {
  if (!interval) return "";
  const bool cut =
      interval->low > estimate.mean - *estimate.half_width || interval->high < estimate.mean + *estimate.half_width;
  if (!cut) return " ± " + shown(*estimate.half_width, kind);
  return " (" + shown(interval->low, kind) + " .. " + shown(interval->high, kind) + ")";
}

Cell measure_cell(const RunGroup& group, const ComparedMeasure& measure) {
  const auto estimate = group.estimate_of(measure.key);
  if (!estimate) return {measure.target ? "not reached" : "-", std::nullopt};
  Cell cell("", estimate->mean);
  cell.interval = interval_of(*estimate, 0, most_of_measure(measure.key));
  cell.count = estimate->count;
  cell.text = shown(estimate->mean, measure.kind);
  if (measure.judged) cell.text += spread_text(*estimate, cell.interval, measure.kind);
  // A mean over those that got there flatters.
  if (estimate->count < group.runs.size()) cell.text += fmt::format(" ({} of {})", estimate->count, group.runs.size());
  if (measure.key == "busiest_link.utilisation") cell.text = link_of(group) + cell.text;
  return cell;
}

// "2.31x", or "0.87x !" of what one worker alone beats.
Cell speed_up_cell(const std::optional<AgainstOne>& against) {
  if (!against) return {"-", std::nullopt};
  const std::string mark = against->beats ? "" : " !";
  if (against->speed_up) return {fmt::format("{:.2f}x", *against->speed_up) + mark, against->speed_up};
  return {against->beats ? "only this" : "never" + mark, std::nullopt};
}

std::string name_of_group(const RunGroup& group) {
  std::string name = group.scheme;
  const auto add = [&](std::size_t runs, const char* what) {
    if (runs > 0) name += runs == group.runs.size() ? fmt::format(" ({})", what) : fmt::format(" ({} {})", runs, what);
  };
  add(group.diverged(), "diverged");
  add(group.collapsed(), "collapsed");
  return name;
}

}  // namespace

Table comparison_table(const Comparison& comparison, Readers readers, bool targets_named) {
  const GroupedRuns& grouped = comparison.grouped;
  const bool people = readers == Readers::people;
  const bool runs_told =
      !people || std::ranges::any_of(grouped.groups, [](const RunGroup& group) { return group.runs.size() > 1; });
  const bool baselines = comparison.has_baselines();
  Table table;
  table.columns.push_back({.key = "scheme", .title = comparison.label.empty() ? "scheme" : comparison.label});
  std::vector<SettingColumn> settings;  // those varied, then those chosen
  for (std::size_t i = 0; i < grouped.varied.size(); ++i) {
    std::vector<std::string> values;
    for (const RunGroup& group : grouped.groups) values.push_back(group.varied[i]);
    table.columns.push_back(settings.emplace_back(setting_column(grouped.varied[i], values)).column);
  }
  if (runs_told) table.columns.push_back({.key = "runs", .title = "seeds"});
  table.keys = table.columns.size();
  for (const ComparedColumn& column : comparison.columns) {
    if (!column.measure) {
      table.columns.push_back(settings.emplace_back(setting_column(column.key, column.values)).column);
      continue;
    }
    const ComparedMeasure& measure = comparison.measures[*column.measure];
    table.columns.push_back({.key = measure.key, .title = measure.title, .kind = measure.kind, .estimated = true});
    if (!baselines || !measure.target) continue;
    table.columns.push_back(
        {.key = measure.key + ".speed_up_over_one_worker",
         .title = targets_named ? fmt::format("over one worker, to {}", *measure.target) : "over one worker",
         .kind = Kind::number});
  }
  for (std::size_t index = 0; index < grouped.groups.size(); ++index) {
    const RunGroup& group = grouped.groups[index];
    TableLine& line = table.rows.emplace_back();
    line.emplace_back(people ? name_of_group(group) : group.scheme);
    auto setting = settings.begin();
    for (std::size_t i = 0; i < grouped.varied.size(); ++i) line.push_back((setting++)->cells[index]);
    if (runs_told) line.emplace_back(std::to_string(group.runs.size()));
    for (const ComparedColumn& column : comparison.columns) {
      if (!column.measure) {
        line.push_back((setting++)->cells[index]);
        continue;
      }
      const ComparedMeasure& measure = comparison.measures[*column.measure];
      line.push_back(measure_cell(group, measure));
      if (baselines && measure.target) line.push_back(speed_up_cell(comparison.against_one(index, *measure.target)));
    }
  }
  return table;
}

Table fidelity_table(const Fidelity& fidelity) {
  Table table{.columns = {{.key = "quantity", .title = "quantity"},
                          {.key = "measured", .title = "measured"},
                          {.key = "simulated", .title = "simulated"},
                          {.key = "error", .title = "error"}},
              .rows = {}};
  const auto text_of = [](const Estimate& estimate, Kind kind) {
    const std::string mean = shown(estimate.mean, kind);
    return estimate.half_width ? mean + " ± " + shown(*estimate.half_width, kind) : mean;
  };
  for (const Fidelity::Row& row : fidelity.rows) {
    const auto error = row.error();
    table.rows.push_back({row.title, text_of(row.measured, row.kind), text_of(row.simulated, row.kind),
                          error ? fmt::format("{:+.1f} %", 100 * *error) : "-"});
  }
  return table;
}

std::string fidelity_title(const Comparison& comparison, const Fidelity& fidelity) {
  const GroupedRuns& grouped = comparison.grouped;
  // Several simulations of it differ in how the network is simulated.
  const auto same = std::ranges::count(comparison.fidelities, fidelity.measured, &Fidelity::measured);
  return (same > 1 ? grouped.groups[fidelity.simulated].label(grouped.varied) + " (simulated) against "
                   : "Simulated against measured: ") +
         grouped.groups[fidelity.measured].label(grouped.varied) + (same > 1 ? " (measured)" : "");
}

}  // namespace ddl::results
