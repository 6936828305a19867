#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/results/compare/comparison.hpp"
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

std::string cell(const RunGroup& group, const ComparedMeasure& measure) {
  const auto estimate = group.estimate_of(measure.key);
  if (!estimate) return measure.kind == ComparedMeasure::seconds ? "not reached" : "-";
  std::string text = shown(estimate->mean, measure.kind);
  if (measure.judged && estimate->half_width) text += " ± " + shown(*estimate->half_width, measure.kind);
  // A mean over those that got there flatters.
  if (estimate->count < group.runs.size()) text += fmt::format(" ({} of {})", estimate->count, group.runs.size());
  return measure.key == "busiest_link.utilisation" ? link_of(group) + text : text;
}

std::vector<Row> table_of(const Comparison& comparison) {
  std::vector<Row> table(1, Row{"scheme"});
  const bool replicated = std::any_of(comparison.grouped.groups.begin(), comparison.grouped.groups.end(),
                                      [](const RunGroup& group) { return group.runs.size() > 1; });
  for (const std::string& path : comparison.grouped.varied) table[0].push_back(path);
  if (replicated) table[0].emplace_back("seeds");
  for (const ComparedMeasure& measure : comparison.measures) table[0].push_back(measure.title);
  for (const RunGroup& group : comparison.grouped.groups) {
    Row& row = table.emplace_back(Row{group.scheme});
    if (const std::size_t diverged = group.diverged(); diverged > 0) {
      row[0] += diverged == group.runs.size() ? " (diverged)" : fmt::format(" ({} diverged)", diverged);
    }
    for (const std::string& value : group.varied) row.push_back(value.empty() ? "none" : value);
    if (replicated) row.push_back(std::to_string(group.runs.size()));
    for (const ComparedMeasure& measure : comparison.measures) row.push_back(cell(group, measure));
  }
  return table;
}

// Letters, not bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char letter) { return (letter & 0xc0) != 0x80; }));
}

std::string aligned(const std::vector<Row>& table) {
  std::vector<std::size_t> widths(table[0].size());
  for (const Row& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const Row& row : table) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += row[i] + std::string(widths[i] - width_of(row[i]) + 2, ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
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

// "final accuracy: best ako; within noise of it: gossip. Within noise: a ~ b"
std::vector<std::string> verdicts(const Comparison& comparison, const Condition& condition) {
  std::vector<std::string> lines;
  for (std::size_t m = 0; m < comparison.measures.size(); ++m) {
    if (!condition.best[m]) continue;
    const std::size_t best = *condition.best[m];
    std::vector<std::string> near, pairs;
    bool judged = true, compared = false;  // `judged`: a test of every pair that the best is in
    for (const ComparedPair& pair : condition.pairs) {
      if (pair.measure != m) continue;
      compared = true;
      if (pair.better == best || pair.other == best) judged = judged && pair.p.has_value();
      if (!pair.within_noise()) continue;
      const std::string better = name_in(comparison, condition, pair.better);
      const std::string other = name_in(comparison, condition, pair.other);
      if (pair.better == best || pair.other == best) {
        near.push_back(pair.better == best ? other : better);
      } else {
        pairs.push_back(better + " ~ " + other);
      }
    }
    if (!compared) continue;
    std::string line = comparison.measures[m].title + ": best " + name_in(comparison, condition, best);
    if (!judged) line += "; single runs do not tell whether that is noise";
    if (judged && near.empty()) line += ", beyond noise";
    if (!near.empty()) line += "; within noise of it: " + named(near);
    if (!pairs.empty()) line += "; among the others: " + named(pairs);
    lines.push_back(line);
  }
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

constexpr const char* method = "Noise: Welch's t-test at 5 %, each pair by itself; ± is the 95 % interval of a mean.";

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::string text = aligned(table_of(comparison));
  for (const Fidelity& fidelity : comparison.fidelities) {
    text += "\n" + fidelity_title(comparison, fidelity) + "\n" + aligned(fidelity_table(fidelity));
  }
  const std::string verdict = verdict_text(comparison, "", "  ");
  return verdict.empty() ? text : text + "\n" + verdict + method + "\n";
}

std::string comparison_markdown(const Comparison& comparison) {
  std::string text = markdown_of(table_of(comparison));
  for (const Fidelity& fidelity : comparison.fidelities) {
    text += "\n" + fidelity_title(comparison, fidelity) + "\n\n" + markdown_of(fidelity_table(fidelity));
  }
  const std::string verdict = verdict_text(comparison, "\n", "- ");
  return verdict.empty() ? text : text + "\n" + verdict + "\n" + method + "\n";
}

}  // namespace ddl::results
