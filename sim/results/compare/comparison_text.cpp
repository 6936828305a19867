#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "sim/results/compare/comparison_table.hpp"
#include "sim/results/text/layout.hpp"

namespace ddl::results {
namespace {

constexpr std::size_t most_named = 5;

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

constexpr const char* method =
    "Noise: t-tests at 5 %, paired by seed (Welch's without three seeds in common),\n"
    "corrected for the number of pairs (Holm); ± is the 95 % interval of a mean.";

bool holds_word(const Table& table, const std::string& word) {
  return std::ranges::any_of(table.rows, [&](const TableLine& line) {
    return std::ranges::any_of(line, [&](const Cell& cell) { return cell.text.find(word) != std::string::npos; });
  });
}

// What the signs mean that are in the table and in the verdict.
std::string signs(const Table& table, const std::string& verdict) {
  std::string text;
  if (holds_word(table, " !")) text += "!: not sooner than one worker alone.\n";
  if (holds_word(table, "never !")) text += "never: one worker gets there with all seeds, this does not.\n";
  if (holds_word(table, "only this")) text += "only this: it gets there with all seeds, one worker does not.\n";
  if (verdict.find(" ~ ") != std::string::npos) text += "a ~ b: within noise of each other.\n";
  return text;
}

// The verdict, and what explains it and the table.
struct Notes {
  Notes(const Comparison& comparison, const Table& table, const std::string& before_condition,
        const std::string& before)
      : verdict(verdict_text(comparison, before_condition, before)),
        legend(signs(table, verdict) + (verdict.empty() ? "" : std::string(method) + "\n")) {}
  std::string verdict, legend;
};

std::string commented(const std::string& text) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) all += (line.empty() ? "%" : "% " + line) + "\n";
  return all;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, std::size_t width) {
  const Table table = comparison_table(comparison, Readers::people, false);
  std::string text = terminal_text(table, width);
  for (const Fidelity& fidelity : comparison.fidelities) {
    text += "\n" + hanging("", fidelity_title(comparison, fidelity), width) +
            terminal_text(fidelity_table(fidelity), width);
  }
  const Notes notes(comparison, table, "", "  ");
  return notes.legend.empty() ? text : text + "\n" + rewrapped(notes.verdict + notes.legend, width);
}

std::string comparison_markdown(const Comparison& comparison) {
  const Table table = comparison_table(comparison, Readers::people, true);
  std::string text = markdown_text(table);
  for (const Fidelity& fidelity : comparison.fidelities) {
    text += "\n" + fidelity_title(comparison, fidelity) + "\n\n" + markdown_text(fidelity_table(fidelity));
  }
  const Notes notes(comparison, table, "\n", "- ");
  if (notes.legend.empty()) return text;
  return text + "\n" + notes.verdict + (notes.verdict.empty() ? "" : "\n") + notes.legend;
}

std::string comparison_latex(const Comparison& comparison) {
  const Table table = comparison_table(comparison, Readers::people, true);
  std::string text = latex_text(table);
  for (const Fidelity& fidelity : comparison.fidelities) {
    text += "\n" + commented(fidelity_title(comparison, fidelity)) + latex_text(fidelity_table(fidelity));
  }
  const Notes notes(comparison, table, "", "  ");
  return text + commented(notes.verdict + notes.legend);
}

}  // namespace ddl::results
