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

// With the half-width of its interval, if there is one to be seen in so many digits.
std::string shown_with_interval(const Value& value, int decimals) {
  const std::string mean = shown(value.simulated, decimals), width = shown(value.half_width, decimals);
  return width.find_first_not_of("0.-") == std::string::npos ? mean : mean + " ±" + width;
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

bool has_published(const TableLayout& table, const Outcome& outcome) {
  return std::ranges::any_of(outcome.values(),
                             [&](const Value& value) { return value.place.table == table.name && value.published; });
}

std::string title_of(const TableLayout& table, const Outcome& outcome) {
  return table.title + (has_published(table, outcome) ? ", " + table.reference + "/simulated" : "");
}

// "published/simulated" with its interval, or what is simulated alone where nothing was published in the table.
results::Table shown_table(const TableLayout& table, const Outcome& outcome) {
  const Pivot cells = pivot(table, outcome);
  const bool with_published = has_published(table, outcome);
  std::vector<Row> lines(1, table.row);
  lines[0].insert(lines[0].end(), cells.columns.begin(), cells.columns.end());
  for (std::size_t row = 0; row < cells.rows.size(); ++row) {
    Row& line = lines.emplace_back(cells.rows[row]);
    for (const Value* value : cells.values[row]) {
      std::string text = value ? shown_with_interval(*value, table.decimals) : "";
      if (value && with_published) text = shown(value->published, table.decimals) + "/" + text;
      line.push_back(text);
    }
  }
  return results::Table::of(lines, table.row.size());
}

// --- claims ---

struct KindOfClaims {
  Claim::Kind kind;
  const char *title, *word;
};
constexpr std::array kinds = {KindOfClaims{Claim::published, "Published claims", "published"},
                              KindOfClaims{Claim::check, "Checks of ours", "check"},
                              KindOfClaims{Claim::input, "Inputs", "input"}};

// In the order in which they are counted; of inputs, and of several claims.
struct WordsOfFinding {
  Finding finding;
  const char *of_one, *of_input, *of_several;
};
constexpr std::array findings = {
    WordsOfFinding{Finding::holds, "holds", "met", "hold"}, WordsOfFinding{Finding::fails, "fails", "missed", "fail"},
    WordsOfFinding{Finding::not_decidable, "not decidable", "not decidable", "not decidable"},
    WordsOfFinding{Finding::not_judged, "not judged", "not judged", "not judged"}};

const char* verdict_of(const Claim& claim, const Verdict& verdict) {
  const WordsOfFinding& words = *std::ranges::find(findings, verdict.finding, &WordsOfFinding::finding);
  return claim.kind == Claim::input ? words.of_input : words.of_one;
}

// "Published claims: 5 hold, 3 fail, 1 not judged"; empty where there are none.
std::string count_of(const Study& study, const std::vector<Verdict>& verdicts, const KindOfClaims& kind) {
  std::string counts;
  for (const WordsOfFinding& words : findings) {
    int count = 0;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      count += study.claims[i].kind == kind.kind && verdicts[i].finding == words.finding ? 1 : 0;
    }
    if (count == 0) continue;
    const char* word = kind.kind == Claim::input ? words.of_input : count == 1 ? words.of_one : words.of_several;
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, word);
  }
  return counts.empty() ? "" : fmt::format("{}: {}", kind.title, counts);
}

std::string counts_of(const Study& study, const std::vector<Verdict>& verdicts) {
  std::string text;
  for (const KindOfClaims& kind : kinds) {
    const std::string counts = count_of(study, verdicts, kind);
    if (!counts.empty()) text += (text.empty() ? "" : ". ") + counts;
  }
  return text;
}

// Numbered through all kinds.
std::string claims_section(const Study& study, const std::vector<Verdict>& verdicts, const KindOfClaims& kind) {
  std::string lines;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const Claim& claim = study.claims[i];
    if (claim.kind != kind.kind) continue;
    const std::string verdict = verdict_of(claim, verdicts[i]);
    lines += fmt::format("| {} | {} | {} | {} | {} |\n", i + 1, claim.text,
                         verdicts[i].holds() ? verdict : "**" + verdict + "**", verdicts[i].numbers, claim.accepted);
  }
  if (lines.empty()) return "";
  return fmt::format("## {}\n\n| | claim | verdict | by | accepted |\n| --- | --- | --- | --- | --- |\n{}\n",
                     kind.title, lines);
}

// The places of those claims of a cause that do not hold, and whose runs are finished; from 1 on.
std::vector<std::size_t> explained_by(const Study& study, const std::vector<Verdict>& verdicts, const Cause& cause) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const bool is_named = std::ranges::count(cause.claims, study.claims[i].name) > 0;
    if (is_named && !verdicts[i].holds() && !verdicts[i].unfinished) places.push_back(i + 1);
  }
  return places;
}

std::string causes_section(const Study& study, const std::vector<Verdict>& verdicts) {
  std::string text;
  for (const Cause& cause : study.causes) {
    const std::vector<std::size_t> places = explained_by(study, verdicts, cause);
    if (!places.empty()) text += fmt::format("*{}.* {}\n\n", fmt::join(places, ", "), cause.text);
  }
  return text.empty() ? "" : "## Why\n\n" + text;
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
      "Open: {}.\n\n",
      outcome.open().size(), study.cells.size(), fmt::join(outcome.open(), ", "));
}

std::string seeds_text(const Study& study) {
  if (study.seeds.size() == 1) return fmt::format("figures are of one run each, seed {}.", study.seeds[0]);
  const bool some_have_more =
      std::ranges::any_of(study.cells, [&](const Cell& cell) { return cell.seeds.size() > study.seeds.size(); });
  return fmt::format("figures are means of seeds {}{} with their 95 % intervals, where these differ.",
                     fmt::join(study.seeds, ", "), some_have_more ? " (in some cells more)" : "");
}

std::string of_runs(const Outcome::Network& network) { return counted(network.runs, "run"); }

}  // namespace

std::vector<Verdict> judge(const Study& study, const Outcome& outcome) {
  std::vector<Verdict> verdicts;
  for (const Claim& claim : study.claims) {
    bool open = false;
    Verdict& verdict = verdicts.emplace_back(claim.judge ? claim.judge(outcome.noting(open)) : Verdict{});
    if (open) verdict = {.numbers = "", .unfinished = true};  // its numbers take what is not there for a failure
  }
  return verdicts;
}

std::string study_text(const Study& study, const Outcome& outcome, std::size_t width) {
  std::string text = study.title + "\n";
  for (const TableLayout& table : study.tables) {
    text += "\n" + title_of(table, outcome) + "\n" + results::terminal_text(shown_table(table, outcome), width);
  }
  const std::vector<Verdict> verdicts = judge(study, outcome);
  for (const KindOfClaims& kind : kinds) {
    const std::string count = count_of(study, verdicts, kind);
    if (!count.empty()) text += "\n" + count + "\n";
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (study.claims[i].kind != kind.kind) continue;
      const std::string& numbers = verdicts[i].numbers;
      text += fmt::format("{:>4}  {:<13}  {}{}\n", i + 1, verdict_of(study.claims[i], verdicts[i]),
                          study.claims[i].text, numbers.empty() ? "" : ": " + numbers);
    }
  }
  for (const Cause& cause : study.causes) {
    const std::vector<std::size_t> places = explained_by(study, verdicts, cause);
    if (!places.empty()) text += fmt::format("\n{}: {}\n", fmt::join(places, ", "), cause.text);
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
  const std::vector<Verdict> verdicts = judge(study, outcome);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const Claim& claim = study.claims[i];
    const auto kind = std::ranges::find(kinds, claim.kind, &KindOfClaims::kind);
    csv.rows.push_back({kind->word, claim.text, verdict_of(claim, verdicts[i]), verdicts[i].numbers, claim.accepted});
  }
  return results::csv_text(csv);
}

std::string study_page(const Study& study, const Outcome& outcome, const std::string& command) {
  const std::vector<Verdict> verdicts = judge(study, outcome);
  std::string text = "# " + study.title + "\n\n**" + counts_of(study, verdicts) + ".**\n\n" + open_text(study, outcome);
  text += "Source: " + study.source + "\n\n";
  if (!study.size.empty()) text += "Size: " + study.size + "\n\n";
  text += "Made by `" + command + (outcome.open().empty() ? "" : " --finished") + "`; " + seeds_text(study) + "\n\n";
  for (const KindOfClaims& kind : kinds) text += claims_section(study, verdicts, kind);
  text += causes_section(study, verdicts) + "## Figures\n";
  std::string files;
  for (const TableLayout& table : study.tables) {
    files += fmt::format("{}[{}](tables/{}_{}.csv)", files.empty() ? "" : ", ", table.name, study.name, table.name);
    if (!table.on_page) continue;
    text += fmt::format("\n{}:\n\n{}", title_of(table, outcome), results::markdown_text(shown_table(table, outcome)));
  }
  text += "\nAll, with intervals: " + files + ".\n\n## What the figures rest on\n";
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
