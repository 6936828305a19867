#include "lab/studies/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "core/base/counted.hpp"
#include "sim/results/text/table.hpp"
#include "sim/results/writing/whole_file.hpp"

namespace ddl::studies {
namespace {

using Value = Outcome::Value;
using Row = std::vector<std::string>;  // the text of a table's line

std::optional<double> ratio(const Value& value) {
  if (!value.published || !value.simulated || *value.published == 0) return std::nullopt;
  return *value.simulated / *value.published;
}

std::string shown(const std::optional<double>& number, int decimals) {
  return number ? fmt::format("{:.{}f}", *number, decimals) : "-";
}

// With the half-width of its interval, if wanted and there is one to be seen in so many digits.
std::string shown_simulated(const Value& value, int decimals, bool interval) {
  std::string mean = shown(value.simulated, decimals);
  if (!interval || !value.simulated || !value.half_width) return mean;
  const std::string width = shown(value.half_width, decimals);
  return width.find_first_not_of("0.") == std::string::npos ? mean : mean + " ±" + width;
}

// The figures of a table, pivoted: labels of a row, then a group of three numbers per column.
struct Pivot {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::vector<const Value*>> values;  // by row, then column; null where there is none
};

std::size_t index_in(auto& list, const auto& item) {
  const auto found = std::find(list.begin(), list.end(), item);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(item);
  return list.size() - 1;
}

Pivot pivot(const TableLayout& table, const Outcome& outcome) {
  Pivot result;
  for (const std::string& label : table.order) result.rows.push_back({label});
  result.values.resize(result.rows.size());
  for (const Value& value : outcome.values()) {
    if (value.place.table != table.name) continue;
    const std::size_t column = index_in(result.columns, value.place.column);
    const std::size_t row = index_in(result.rows, value.place.row);
    result.values.resize(result.rows.size());
    for (auto& line : result.values) line.resize(result.columns.size(), nullptr);
    result.values[row][column] = &value;
  }
  return result;
}

std::vector<Row> lines_of(const TableLayout& table, const Outcome& outcome, bool intervals) {
  const Pivot cells = pivot(table, outcome);
  std::vector<Row> lines(1, table.row);
  for (const std::string& column : cells.columns) {
    for (const std::string& what : {table.reference, std::string("simulated"), std::string("ratio")}) {
      lines[0].push_back(column + " " + what);
    }
  }
  for (std::size_t row = 0; row < cells.rows.size(); ++row) {
    Row line = cells.rows[row];
    for (const Value* value : cells.values[row]) {
      line.push_back(value ? shown(value->published, table.decimals) : "");
      line.push_back(value ? shown_simulated(*value, table.decimals, intervals) : "");
      line.push_back(value ? shown(ratio(*value), 2) : "");
    }
    lines.push_back(line);
  }
  return lines;
}

constexpr std::size_t abbreviated = 4;  // letters

// Two header lines: the column's name over its three numbers.
std::string aligned(const TableLayout& table, const Outcome& outcome) {
  const Pivot cells = pivot(table, outcome);
  std::vector<Row> lines = lines_of(table, outcome, false);
  Row names(table.row.size());
  for (const std::string& column : cells.columns) names.insert(names.end(), {column, "", ""});
  for (std::size_t i = table.row.size(); i < lines[0].size(); i += 3) {
    lines[0][i] = table.reference.substr(0, abbreviated) + ".";
    lines[0][i + 1] = "simul.";
    lines[0][i + 2] = "ratio";
  }
  std::vector<std::size_t> widths(lines[0].size());
  for (const Row& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text = "  ";
  const auto label_width = [&] {
    std::size_t width = 0;
    for (std::size_t i = 0; i < table.row.size(); ++i) width += widths[i] + 2;
    return width;
  }();
  text += std::string(label_width, ' ');
  for (std::size_t i = table.row.size(); i < names.size(); i += 3) {
    std::size_t width = widths[i] + widths[i + 1] + widths[i + 2] + 4;
    if (names[i].size() > width) widths[i] += names[i].size() - width, width = names[i].size();
    text += fmt::format("{:>{}}  ", names[i], width);
  }
  text += "\n";
  for (const Row& line : lines) {
    text += "  ";
    for (std::size_t i = 0; i < line.size(); ++i) {
      text += i < table.row.size() ? fmt::format("{:<{}}  ", line[i], widths[i])
                                   : fmt::format("{:>{}}  ", line[i], widths[i]);
    }
    text += "\n";
  }
  return text;
}

// --- claims ---

constexpr std::array kinds = {Claim::published, Claim::check, Claim::input};

const char* title_of(Claim::Kind kind) {
  constexpr std::array titles = {"Published claims", "Checks of ours", "Inputs"};
  return titles[static_cast<std::size_t>(kind)];
}

const char* word_of(Claim::Kind kind) {
  constexpr std::array words = {"published", "check", "input"};
  return words[static_cast<std::size_t>(kind)];
}

const char* verdict_of(const JudgedClaim& judged) {
  if (!judged.judged()) return "not judged";
  const bool input = judged.claim->kind == Claim::input;
  return judged.verdict->holds ? (input ? "met" : "holds") : (input ? "missed" : "fails");
}

std::vector<JudgedClaim> of_kind(const std::vector<JudgedClaim>& claims, Claim::Kind kind) {
  std::vector<JudgedClaim> found;
  std::ranges::copy_if(claims, std::back_inserter(found),
                       [&](const auto& judged) { return judged.claim->kind == kind; });
  return found;
}

// "Published claims: 5 of 9 hold, 1 not judged".
std::string count_of(const std::vector<JudgedClaim>& claims, Claim::Kind kind) {
  const std::vector<JudgedClaim> ours = of_kind(claims, kind);
  const auto holding = std::ranges::count_if(ours, [](const auto& judged) { return judged.holds(); });
  const auto open = std::ranges::count_if(ours, [](const auto& judged) { return !judged.judged(); });
  return fmt::format("{}: {} of {} {}{}", title_of(kind), holding, ours.size(), kind == Claim::input ? "met" : "hold",
                     open > 0 ? fmt::format(", {} not judged", open) : "");
}

std::string counts_of(const std::vector<JudgedClaim>& claims) {
  std::string text;
  for (const Claim::Kind kind : kinds) {
    if (of_kind(claims, kind).empty()) continue;
    text += (text.empty() ? "" : ". ") + count_of(claims, kind);
  }
  return text;
}

// An open claim has none: they would take what is not there for a failure.
std::string numbers_of(const JudgedClaim& judged) {
  return judged.verdict && !judged.open ? judged.verdict->numbers : "";
}

// Why a claim fails or cannot be judged, if that is known.
const std::string& reason_of(const JudgedClaim& judged) {
  static const std::string none;
  return judged.holds() || judged.open ? none : judged.claim->if_not;
}

std::string claims_section(const std::vector<JudgedClaim>& claims, Claim::Kind kind) {
  const std::vector<JudgedClaim> ours = of_kind(claims, kind);
  if (ours.empty()) return "";
  std::string text = fmt::format("## {}\n\n", title_of(kind));
  if (kind == Claim::input) {
    text += "Figures that a setting was chosen for. That they come out confirms nothing but the arithmetic.\n\n";
  }
  text += "| claim | verdict | by | accepted |\n| --- | --- | --- | --- |\n";
  for (const JudgedClaim& judged : ours) {
    const std::string verdict = verdict_of(judged);
    text += fmt::format("| {} | {} | {} | {} |\n", judged.claim->text, judged.holds() ? verdict : "**" + verdict + "**",
                        numbers_of(judged), judged.claim->accepted);
  }
  for (const JudgedClaim& judged : ours) {
    if (reason_of(judged).empty()) continue;
    text += fmt::format("\n*{}* {}: {}\n", judged.claim->text, judged.verdict ? verdict_of(judged) : "is not judged",
                        reason_of(judged));
  }
  return text + "\n";
}

const char* title_of(Note::Kind kind) {
  switch (kind) {
    case Note::modelled:
      return "Modelled";
    case Note::calibrated:
      return "Calibrated";
    case Note::assumed:
      return "Assumed";
  }
  return "";
}

// What the page lacks, where it was made before the study was whole.
std::string open_text(const Study& study, const Outcome& outcome) {
  if (outcome.open().empty()) return "";
  return fmt::format(
      "**Not whole**: {} of {} cells are not finished and have no figures, and no claim that needs them is judged. "
      "Open: "
      "{}.\n\n",
      outcome.open().size(), study.cells.size(), fmt::join(outcome.open(), ", "));
}

std::string seeds_text(const Study& study) {
  if (study.seeds.size() == 1) return fmt::format("figures are of one run each, seed {}.", study.seeds[0]);
  const bool some_have_more =
      std::ranges::any_of(study.cells, [&](const Cell& cell) { return cell.seeds.size() > study.seeds.size(); });
  return fmt::format(
      "figures are means of seeds {}{} with their 95 % intervals; one without an interval is of a single run, or is "
      "the same in all.",
      fmt::join(study.seeds, ", "), some_have_more ? " (in some cells further seeds as well)" : "");
}

std::string of_runs(const Outcome::Network& network) { return counted(network.runs, "run"); }

}  // namespace

std::vector<JudgedClaim> judge(const Study& study, const Outcome& outcome) {
  std::vector<JudgedClaim> claims;
  for (const Claim& claim : study.claims) {
    JudgedClaim& judged = claims.emplace_back();
    judged.claim = &claim;
    if (claim.judge) judged.verdict = claim.judge(outcome.noting(judged.open));
  }
  return claims;
}

std::string study_text(const Study& study, const Outcome& outcome) {
  std::string text = study.title + "\n";
  for (const TableLayout& table : study.tables) text += "\n" + table.title + "\n" + aligned(table, outcome);
  const auto claims = judge(study, outcome);
  for (const Claim::Kind kind : kinds) {
    if (of_kind(claims, kind).empty()) continue;
    text += "\n" + count_of(claims, kind) + "\n";
    for (const JudgedClaim& judged : of_kind(claims, kind)) {
      text += fmt::format("  {:<10}  {}{}\n", verdict_of(judged), judged.claim->text,
                          numbers_of(judged).empty() ? "" : ": " + numbers_of(judged));
      if (!reason_of(judged).empty()) text += "              " + reason_of(judged) + "\n";
    }
  }
  if (!outcome.open().empty()) {
    text += fmt::format("\nnot whole: {} of {} cells are not finished\n", outcome.open().size(), study.cells.size());
  }
  if (!outcome.networks().empty()) text += "\nnetwork\n";
  for (const Outcome::Network& network : outcome.networks()) {
    text += fmt::format("  {}: {}\n", of_runs(network), network.text);
  }
  return text;
}

std::string table_csv(const TableLayout& table, const Outcome& outcome) {
  Row titles = table.row;
  titles.insert(titles.end(), {table.column, table.reference, "simulated", "ratio", "half_width"});
  results::Table csv = results::Table::of({titles});
  for (const Value& value : outcome.values()) {
    if (value.place.table != table.name) continue;
    results::TableLine& line = csv.rows.emplace_back(value.place.row.begin(), value.place.row.end());
    line.emplace_back(value.place.column);
    for (const auto& number : {value.published, value.simulated, ratio(value), value.half_width}) {
      line.emplace_back("", number);
    }
  }
  return results::csv_text(csv);
}

std::string claims_csv(const Study& study, const Outcome& outcome) {
  results::Table csv = results::Table::of({{"kind", "claim", "verdict", "numbers", "accepted"}});
  for (const JudgedClaim& judged : judge(study, outcome)) {
    csv.rows.push_back({word_of(judged.claim->kind), judged.claim->text, verdict_of(judged), numbers_of(judged),
                        judged.claim->accepted});
  }
  return results::csv_text(csv);
}

std::string study_page(const Study& study, const Outcome& outcome, const std::string& command) {
  std::string text = "# " + study.title + "\n\nSource: " + study.source + "\n\n";
  if (!study.size.empty()) text += "Size: " + study.size + "\n\n";
  text += "Made by `" + command + (outcome.open().empty() ? "" : " --finished") + "`; " + seeds_text(study) + "\n\n";
  const auto claims = judge(study, outcome);
  text += counts_of(claims) + ".\n\n" + open_text(study, outcome);
  for (const Claim::Kind kind : kinds) text += claims_section(claims, kind);
  text.pop_back();
  for (const TableLayout& table : study.tables) {
    text += "\n## " + table.title + "\n\n" + results::markdown_text(results::Table::of(lines_of(table, outcome, true)));
  }
  text += "\n## What the figures rest on\n";
  for (const Outcome::Network& network : outcome.networks()) {
    text += fmt::format("\n- **Network.** {} in {}.", network.text, of_runs(network));
  }
  for (const Note::Kind kind : {Note::modelled, Note::calibrated, Note::assumed}) {
    for (const Note& note : study.notes) {
      if (note.kind == kind) text += fmt::format("\n- **{}.** {}", title_of(kind), note.text);
    }
  }
  return text + "\n";
}

std::string write_study(const std::string& out, const Study& study, const Outcome& outcome,
                        const std::string& command) {
  const std::filesystem::path folder(out);
  const auto table_file = [&](const std::string& name) {
    return (folder / "tables" / (study.name + "_" + name + ".csv")).string();
  };
  for (const TableLayout& table : study.tables) results::write_whole(table_file(table.name), table_csv(table, outcome));
  results::write_whole(table_file("claims"), claims_csv(study, outcome));
  std::string page = (folder / (study.name + ".md")).string();
  results::write_whole(page, study_page(study, outcome, command));
  return page;
}

}  // namespace ddl::studies
