#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/results/compare/comparison.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/results/writing/readable.hpp"

namespace ddl::results {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t most_named = 5;

std::string shown(double value, ComparedMeasure::Kind kind) {
  switch (kind) {
    case ComparedMeasure::seconds:
      return readable_seconds(value);
    case ComparedMeasure::bytes:
      return readable_bytes(value);
    case ComparedMeasure::accuracy:
      return fmt::format("{:.4f}", value);
    case ComparedMeasure::share:
      return readable_share(value);
    case ComparedMeasure::updates:
      return fmt::format("{:.3g}", value);
  }
  return "";
}

// The link that is busiest in all runs.
std::string link_of(const RunGroup& group) {
  const std::string& link = group.runs.front().busiest_link;
  const bool all = std::all_of(group.runs.begin(), group.runs.end(),
                               [&](const FinishedRun& run) { return run.busiest_link == link; });
  return all && !link.empty() ? link + " " : "";
}

// " ± 0.0120", or " (0.9120 .. 1.0000)" where the interval is cut at what the values can be.
std::string spread_of(const Estimate& estimate, const ComparedMeasure& measure) {
  const auto interval = interval_of(estimate, 0, most_of_measure(measure.key));
  if (!interval) return "";
  const bool cut =
      interval->low > estimate.mean - *estimate.half_width || interval->high < estimate.mean + *estimate.half_width;
  if (!cut) return " ± " + shown(*estimate.half_width, measure.kind);
  return " (" + shown(interval->low, measure.kind) + " .. " + shown(interval->high, measure.kind) + ")";
}

std::string cell(const RunGroup& group, const ComparedMeasure& measure) {
  const auto estimate = group.estimate_of(measure.key);
  if (!estimate) return measure.target ? "not reached" : "-";
  std::string text = shown(estimate->mean, measure.kind);
  if (measure.judged) text += spread_of(*estimate, measure);
  // A mean over those that got there flatters.
  if (estimate->count < group.runs.size()) text += fmt::format(" ({} of {})", estimate->count, group.runs.size());
  return measure.key == "busiest_link.utilisation" ? link_of(group) + text : text;
}

// "2.31x", or "0.87x !" of what one worker alone beats.
std::string cell_of(const std::optional<AgainstOne>& against) {
  if (!against) return "-";
  const std::string mark = against->beats ? "" : " !";
  if (against->speed_up) return fmt::format("{:.2f}x", *against->speed_up) + mark;
  return against->beats ? "only this" : "never" + mark;
}

bool is_replicated(const GroupedRuns& grouped) {
  return std::ranges::any_of(grouped.groups, [](const RunGroup& group) { return group.runs.size() > 1; });
}

// `targets_named`: each column over one worker names its target, for it may not be read beside the time to it.
std::vector<Row> table_of(const Comparison& comparison, bool targets_named) {
  std::vector<Row> table(1, Row{"scheme"});
  const bool replicated = is_replicated(comparison.grouped);
  for (const std::string& path : comparison.grouped.varied) table[0].push_back(path);
  if (replicated) table[0].emplace_back("seeds");
  const bool baselines = comparison.has_baselines();
  for (const ComparedMeasure& measure : comparison.measures) {
    table[0].push_back(measure.title);
    if (!baselines || !measure.target) continue;
    table[0].push_back(targets_named ? fmt::format("over one worker, to {}", *measure.target) : "over one worker");
  }
  for (std::size_t index = 0; index < comparison.grouped.groups.size(); ++index) {
    const RunGroup& group = comparison.grouped.groups[index];
    Row& row = table.emplace_back(Row{group.scheme});
    if (const std::size_t diverged = group.diverged(); diverged > 0) {
      row[0] += diverged == group.runs.size() ? " (diverged)" : fmt::format(" ({} diverged)", diverged);
    }
    if (const std::size_t collapsed = group.collapsed(); collapsed > 0) {
      row[0] += collapsed == group.runs.size() ? " (collapsed)" : fmt::format(" ({} collapsed)", collapsed);
    }
    for (const std::string& value : group.varied) row.push_back(value.empty() ? "none" : value);
    if (replicated) row.push_back(std::to_string(group.runs.size()));
    for (const ComparedMeasure& measure : comparison.measures) {
      row.push_back(cell(group, measure));
      if (baselines && measure.target) row.push_back(cell_of(comparison.against_one(index, *measure.target)));
    }
  }
  return table;
}

std::string named(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() > most_named ? text + fmt::format(" and {} more", names.size() - most_named) : text;
}

// A group's name within its condition.
std::string name_in(const Comparison& comparison, const Condition& condition, std::size_t index) {
  const RunGroup& group = comparison.grouped.groups[index];
  const auto& varied = comparison.grouped.varied;
  if (condition.label.empty()) return group.label(varied);
  const auto seed = std::find(varied.begin(), varied.end(), "seed");
  return seed == varied.end()
             ? group.scheme
             : group.scheme + ", seed " + group.varied[static_cast<std::size_t>(seed - varied.begin())];
}

// "time to 0.8: not sooner than one worker alone: gossip, ps_sync"
std::vector<std::string> beaten_by_one(const Comparison& comparison, const Condition& condition) {
  std::vector<std::string> lines;
  for (const ComparedMeasure& measure : comparison.measures) {
    if (!measure.target) continue;
    std::vector<std::string> names;
    for (const std::size_t index : condition.groups) {
      const auto against = comparison.against_one(index, *measure.target);
      if (against && !against->beats) names.push_back(name_in(comparison, condition, index));
    }
    if (!names.empty()) lines.push_back(measure.title + ": not sooner than one worker alone: " + named(names));
  }
  return lines;
}

// "final accuracy: best ako; within noise of it: gossip. Within noise: a ~ b"
std::vector<std::string> verdicts(const Comparison& comparison, const Condition& condition) {
  std::vector<std::string> lines;
  for (std::size_t m = 0; m < comparison.measures.size(); ++m) {
    if (!condition.best[m]) continue;
    const std::size_t best = *condition.best[m];
    std::vector<std::string> near, pairs, tied;
    std::vector<std::size_t> equal = {best};  // groups; pairs with the best come first
    bool judged = true, compared = false;     // `judged`: a test of every pair that the best is in
    for (const ComparedPair& pair : condition.pairs) {
      if (pair.measure != m) continue;
      compared = true;
      if (pair.better == best || pair.other == best) judged = judged && pair.p.has_value();
      if (!pair.within_noise() && !pair.is_tie()) continue;
      const std::string better = name_in(comparison, condition, pair.better);
      const std::string other = name_in(comparison, condition, pair.other);
      if (pair.is_tie() && (pair.better == best || pair.other == best)) {
        tied.push_back(pair.better == best ? other : better);
        equal.push_back(pair.better == best ? pair.other : pair.better);
      } else if (pair.better == best || pair.other == best) {
        near.push_back(pair.better == best ? other : better);
      } else if (std::ranges::count(equal, pair.better) == 0 || std::ranges::count(equal, pair.other) == 0) {
        pairs.push_back(better + " ~ " + other);
      }
    }
    if (!compared) continue;
    std::string line = comparison.measures[m].title + ": ";
    if (tied.empty()) {
      line += "best " + name_in(comparison, condition, best);
    } else {
      tied.insert(tied.begin(), name_in(comparison, condition, best));
      line += "a tie of " + named(tied);
    }
    if (!judged) line += "; fewer than three seeds do not tell whether that is noise";
    if (judged && near.empty() && tied.empty()) line += ", beyond noise";
    if (!near.empty()) line += "; within noise of it: " + named(near);
    if (!pairs.empty()) line += "; among the others: " + named(pairs);
    lines.push_back(line);
  }
  const auto beaten = beaten_by_one(comparison, condition);
  lines.insert(lines.end(), beaten.begin(), beaten.end());
  return lines;
}

std::string verdict_text(const Comparison& comparison, const std::string& before_condition, const std::string& before) {
  std::string text;
  for (const Condition& condition : comparison.conditions) {
    const auto lines = verdicts(comparison, condition);
    if (lines.empty()) continue;
    if (!condition.label.empty()) text += before_condition + condition.label + "\n";
    for (const std::string& line : lines) text += before + line + "\n";
  }
  return text;
}

// A table per measured group: "quantity  measured  simulated  error".
std::vector<Row> fidelity_table(const Fidelity& fidelity) {
  std::vector<Row> table(1, Row{"quantity", "measured", "simulated", "error"});
  const auto text_of = [](const Estimate& estimate, ComparedMeasure::Kind kind) {
    const std::string mean = shown(estimate.mean, kind);
    return estimate.half_width ? mean + " ± " + shown(*estimate.half_width, kind) : mean;
  };
  for (const Fidelity::Row& row : fidelity.rows) {
    const auto error = row.error();
    table.push_back({row.title, text_of(row.measured, row.kind), text_of(row.simulated, row.kind),
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

std::string markdown_of(const std::vector<Row>& table) {
  std::string text;
  for (std::size_t i = 0; i < table.size(); ++i) {
    text += "|";
    for (std::string field : table[i]) {
      for (std::size_t at = 0; (at = field.find('|', at)) != std::string::npos; at += 2) field.insert(at, "\\");
      text += " " + field + " |";
    }
    text += "\n";
    if (i > 0) continue;
    text += "|";
    for (std::size_t column = 0; column < table[0].size(); ++column) text += " --- |";
    text += "\n";
  }
  return text;
}

constexpr const char* method =
    "Noise: t-tests at 5 %, paired by seed (Welch's without three seeds in common),\n"
    "corrected for the number of pairs (Holm); ± is the 95 % interval of a mean.";

bool holds_word(const std::vector<Row>& table, const std::string& word) {
  return std::ranges::any_of(table, [&](const Row& row) {
    return std::ranges::any_of(row, [&](const std::string& cell) { return cell.find(word) != std::string::npos; });
  });
}

// What the signs mean that are in the table and in the verdict.
std::string signs(const std::vector<Row>& table, const std::string& verdict) {
  std::string text;
  if (holds_word(table, " !")) text += "!: not sooner than one worker alone.\n";
  if (holds_word(table, "never !")) text += "never: one worker gets there with all seeds, this does not.\n";
  if (holds_word(table, "only this")) text += "only this: it gets there with all seeds, one worker does not.\n";
  if (verdict.find(" ~ ") != std::string::npos) text += "a ~ b: within noise of each other.\n";
  return text;
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  const GroupedRuns& grouped = comparison.grouped;
  const std::vector<Row> table = table_of(comparison, false);
  std::string text = text_table(table, 1 + grouped.varied.size() + (is_replicated(grouped) ? 1 : 0));
  for (const Fidelity& fidelity : comparison.fidelities) {
    text += "\n" + hanging("", fidelity_title(comparison, fidelity)) + text_table(fidelity_table(fidelity), 1);
  }
  const std::string verdict = verdict_text(comparison, "", "  ");
  const std::string legend = signs(table, verdict) + (verdict.empty() ? "" : std::string(method) + "\n");
  return legend.empty() ? text : text + "\n" + rewrapped(verdict + legend);
}

std::string comparison_markdown(const Comparison& comparison) {
  const std::vector<Row> table = table_of(comparison, true);
  std::string text = markdown_of(table);
  for (const Fidelity& fidelity : comparison.fidelities) {
    text += "\n" + fidelity_title(comparison, fidelity) + "\n\n" + markdown_of(fidelity_table(fidelity));
  }
  const std::string verdict = verdict_text(comparison, "\n", "- ");
  const std::string legend = signs(table, verdict) + (verdict.empty() ? "" : std::string(method) + "\n");
  return legend.empty() ? text : text + "\n" + verdict + (verdict.empty() ? "" : "\n") + legend;
}

}  // namespace ddl::results
