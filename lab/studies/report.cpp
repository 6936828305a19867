#include "lab/studies/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/base/counted.hpp"
#include "sim/results/text/table.hpp"
#include "sim/results/writing/whole_file.hpp"

namespace ddl::studies {
namespace {

using Value = Outcome::Value;
using Verdicts = std::vector<Verdict>;
using Row = std::vector<std::string>;  // the text of a table's line

std::string shown(const std::optional<double>& number, int decimals) {
  return number ? fmt::format("{:.{}f}", *number, decimals) : "-";
}

// With the half-width of its interval, if there is one to be seen in so many digits.
std::string shown_with_interval(const Value& value, int decimals) {
  const std::string mean = shown(value.simulated, decimals), width = shown(value.half_width, decimals);
  return width.find_first_not_of("0.-") == std::string::npos ? mean : mean + " ±" + width;
}

std::vector<const Value*> values_of(const TableLayout& table, const Outcome& outcome) {
  std::vector<const Value*> values;
  for (const Value& value : outcome.values()) {
    if (value.place.table == table.name) values.push_back(&value);
  }
  return values;
}

std::size_t index_in(auto& list, const auto& item) {
  const auto place = std::find(list.begin(), list.end(), item) - list.begin();
  if (place == std::ssize(list)) list.push_back(item);
  return static_cast<std::size_t>(place);
}

// A line for each row's labels and a column for each column's, with "published/simulated" and its interval, or with
// what is simulated alone where nothing was published in the table.
std::string shown_table(const TableLayout& table, const Outcome& outcome) {
  const std::vector<const Value*> values = values_of(table, outcome);
  const bool with_published =
      std::ranges::any_of(values, [](const Value* value) { return value->published.has_value(); });
  Row columns;
  std::vector<Row> rows, lines;
  for (const Value* value : values) {
    index_in(columns, value->place.column);
    index_in(rows, value->place.row);
  }
  for (const Row& row : rows) {
    lines.push_back(row);
    lines.back().resize(row.size() + columns.size());
  }
  for (const Value* value : values) {
    const std::string published = with_published ? shown(value->published, table.decimals) + "/" : "";
    lines[index_in(rows, value->place.row)][table.row.size() + index_in(columns, value->place.column)] =
        published + shown_with_interval(*value, table.decimals);
  }
  Row titles = table.row;
  titles.insert(titles.end(), columns.begin(), columns.end());
  lines.insert(lines.begin(), titles);
  return fmt::format("\n{}{}:\n\n{}", table.title, with_published ? ", " + table.reference + "/simulated" : "",
                     results::markdown_text(results::Table::of(lines, table.row.size())));
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

// Numbered through all kinds.
std::string claims_section(const Study& study, const Verdicts& verdicts, const KindOfClaims& kind) {
  std::string lines;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const Claim& claim = study.claims[i];
    if (claim.kind != kind.kind) continue;
    const std::string verdict = verdict_of(claim, verdicts[i]), mark = verdicts[i].holds() ? "" : "**";
    lines += fmt::format("| {} | {} | {}{}{} | {} | {} |\n", i + 1, claim.text, mark, verdict, mark,
                         verdicts[i].numbers, claim.accepted);
  }
  if (lines.empty()) return "";
  return fmt::format("## {}\n\n| | claim | verdict | by | accepted |\n| --- | --- | --- | --- | --- |\n{}\n",
                     kind.title, lines);
}

// Of each cause with the places of those of its claims that do not hold, and whose runs are finished; from 1 on.
std::string causes_section(const Study& study, const Verdicts& verdicts) {
  std::string text;
  for (const Cause& cause : study.causes) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const bool is_named = std::ranges::count(cause.claims, study.claims[i].name) > 0;
      if (is_named && !verdicts[i].holds() && !verdicts[i].unfinished) places.push_back(i + 1);
    }
    if (!places.empty()) text += fmt::format("*{}.* {}\n\n", fmt::join(places, ", "), cause.text);
  }
  return text.empty() ? "" : "## Why\n\n" + text;
}

constexpr std::array kinds_of_notes = {"Modelled", "Calibrated", "Assumed"};

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
  const auto differs = [&](const Cell& cell) { return !cell.seeds.empty() && cell.seeds.size() != study.seeds.size(); };
  return fmt::format("figures are means of seeds {}{} with their 95 % intervals, where these differ.",
                     fmt::join(study.seeds, ", "),
                     std::ranges::any_of(study.cells, differs) ? " (in some cells more or fewer)" : "");
}

}  // namespace

std::string counts_of(const Study& study, const Verdicts& verdicts) {
  std::string text;
  for (const KindOfClaims& kind : kinds) {
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
    if (!counts.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : ". ", kind.title, counts);
  }
  return text;
}

std::string table_csv(const TableLayout& table, const Outcome& outcome) {
  Row titles = table.row;
  titles.insert(titles.end(), {table.column, table.reference, "simulated", "ratio", "half_width"});
  results::Table csv = results::Table::of({titles});
  for (const Value* value : values_of(table, outcome)) {
    results::TableLine& line = csv.rows.emplace_back(value->place.row.begin(), value->place.row.end());
    line.emplace_back(value->place.column);
    const bool has_ratio = value->simulated && value->published.value_or(0) != 0;
    const auto ratio = has_ratio ? std::optional(*value->simulated / *value->published) : std::nullopt;
    for (const auto& number : {value->published, value->simulated, ratio, value->half_width}) {
      line.emplace_back("", number);
    }
  }
  return results::csv_text(csv);
}

std::string claims_csv(const Study& study, const Outcome& outcome) {
  results::Table csv = results::Table::of({{"kind", "claim", "verdict", "numbers", "accepted"}});
  const Verdicts verdicts = judge(study, outcome);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const Claim& claim = study.claims[i];
    csv.rows.push_back(
        {kinds[claim.kind].word, claim.text, verdict_of(claim, verdicts[i]), verdicts[i].numbers, claim.accepted});
  }
  return results::csv_text(csv);
}

std::string study_page(const Study& study, const Outcome& outcome, const std::string& command) {
  const Verdicts verdicts = judge(study, outcome);
  std::string text = "# " + study.title + "\n\n**" + counts_of(study, verdicts) + ".**\n\n" + open_text(study, outcome);
  text += "Source: " + study.source + "\n\n";
  if (!study.size.empty()) text += "Size: " + study.size + "\n\n";
  text += "Made by `" + command + (outcome.open().empty() ? "" : " --finished") + "`; " + seeds_text(study) + "\n\n";
  for (const KindOfClaims& kind : kinds) text += claims_section(study, verdicts, kind);
  text += causes_section(study, verdicts) + "## Figures\n";
  std::string files;
  for (const TableLayout& table : study.tables) {
    files += fmt::format("{}[{}](tables/{}_{}.csv)", files.empty() ? "" : ", ", table.name, study.name, table.name);
    if (table.on_page) text += shown_table(table, outcome);
  }
  text += "\nAll, with intervals: " + files + ".\n\n## What the figures rest on\n";
  for (const Outcome::Network& network : outcome.networks()) {
    text += fmt::format("\n- **Network.** {} in {}.", network.text, counted(network.runs, "run"));
  }
  for (std::size_t kind = 0; kind < kinds_of_notes.size(); ++kind) {
    for (const Note& note : study.notes) {
      if (note.kind == kind) text += fmt::format("\n- **{}.** {}", kinds_of_notes[kind], note.text);
    }
  }
  return text + "\n";
}

std::string write_study(const std::string& out, const Study& study, const Outcome& outcome,
                        const std::string& command) {
  const std::filesystem::path folder(out);
  const auto write_table = [&](const std::string& name, const std::string& csv) {
    results::write_whole((folder / "tables" / (study.name + "_" + name + ".csv")).string(), csv);
  };
  for (const TableLayout& table : study.tables) write_table(table.name, table_csv(table, outcome));
  write_table("claims", claims_csv(study, outcome));
  std::string page = (folder / (study.name + ".md")).string();
  results::write_whole(page, study_page(study, outcome, command));
  return page;
}

}  // namespace ddl::studies
