#include "sim/studies/reproduce/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/results/writing/csv.hpp"
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

std::vector<Row> lines_of(const TableLayout& table, const Outcome& outcome) {
  const Pivot cells = pivot(table, outcome);
  std::vector<Row> lines(1, table.row);
  for (const std::string& column : cells.columns) {
    for (const char* what : {" published", " simulated", " ratio"}) lines[0].push_back(column + what);
  }
  for (std::size_t row = 0; row < cells.rows.size(); ++row) {
    Row line = cells.rows[row];
    for (const Value* value : cells.values[row]) {
      line.push_back(value ? shown(value->published, table.decimals) : "");
      line.push_back(value ? shown(value->simulated, table.decimals) : "");
      line.push_back(value ? shown(ratio(*value), 2) : "");
    }
    lines.push_back(line);
  }
  return lines;
}

// Two header lines: the column's name over its three numbers.
std::string aligned(const TableLayout& table, const Outcome& outcome) {
  const Pivot cells = pivot(table, outcome);
  std::vector<Row> lines = lines_of(table, outcome);
  Row names(table.row.size());
  for (const std::string& column : cells.columns) names.insert(names.end(), {column, "", ""});
  for (std::size_t i = table.row.size(); i < lines[0].size(); i += 3) {
    lines[0][i] = "publ.";
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

std::string markdown(const std::vector<Row>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += "|";
    for (const std::string& field : lines[i]) text += " " + field + " |";
    text += "\n";
    if (i > 0) continue;
    text += "|";
    for (std::size_t column = 0; column < lines[0].size(); ++column) text += " --- |";
    text += "\n";
  }
  return text;
}

std::string held(const std::vector<JudgedClaim>& claims) {
  const auto count = std::count_if(claims.begin(), claims.end(), [](const auto& claim) { return claim.verdict.holds; });
  return fmt::format("{} of {} claims hold", count, claims.size());
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

std::string of_runs(const Outcome::Network& network) {
  return fmt::format("{} run{}", network.runs, network.runs == 1 ? "" : "s");
}

}  // namespace

std::vector<JudgedClaim> judge(const Study& study, const Outcome& outcome) {
  std::vector<JudgedClaim> claims;
  for (const Claim& claim : study.claims) claims.push_back({&claim, claim.judge(outcome)});
  return claims;
}

std::string study_text(const Study& study, const Outcome& outcome) {
  std::string text = study.title + "\n";
  for (const TableLayout& table : study.tables) text += "\n" + table.title + "\n" + aligned(table, outcome);
  const auto claims = judge(study, outcome);
  text += "\n" + held(claims) + "\n";
  for (const auto& [claim, verdict] : claims) {
    text += fmt::format("  {}  {}: {}\n", verdict.holds ? "holds" : "FAILS", claim->text, verdict.numbers);
    if (!verdict.holds && !claim->if_not.empty()) text += "         " + claim->if_not + "\n";
  }
  if (!outcome.networks().empty()) text += "\nnetwork\n";
  for (const Outcome::Network& network : outcome.networks()) {
    text += fmt::format("  {}: {}\n", of_runs(network), network.text);
  }
  return text;
}

std::string table_csv(const TableLayout& table, const Outcome& outcome) {
  std::string text;
  for (const std::string& header : table.row) text += results::csv_field(header) + ",";
  text += results::csv_field(table.column) + ",published,simulated,ratio\n";
  for (const Value& value : outcome.values()) {
    if (value.place.table != table.name) continue;
    for (const std::string& label : value.place.row) text += results::csv_field(label) + ",";
    text += results::csv_field(value.place.column) + "," + results::csv_field(value.published) + "," +
            results::csv_field(value.simulated) + "," + results::csv_field(ratio(value)) + "\n";
  }
  return text;
}

std::string claims_csv(const Study& study, const Outcome& outcome) {
  std::string text = "claim,holds,numbers\n";
  for (const auto& [claim, verdict] : judge(study, outcome)) {
    text += results::csv_field(claim->text) + (verdict.holds ? ",yes," : ",no,") + results::csv_field(verdict.numbers) +
            "\n";
  }
  return text;
}

std::string study_page(const Study& study, const Outcome& outcome, const std::string& command) {
  std::string text = "# " + study.title + "\n\nSource: " + study.source + "\n\nMade by `" + command +
                     "`; every figure is the mean of seeds ";
  for (std::size_t i = 0; i < study.seeds.size(); ++i) text += (i ? ", " : "") + std::to_string(study.seeds[i]);
  const auto claims = judge(study, outcome);
  text += ". " + held(claims) + ".\n\n## Claims\n\n| claim | verdict | by |\n| --- | --- | --- |\n";
  for (const auto& [claim, verdict] : claims) {
    text += fmt::format("| {} | {} | {} |\n", claim->text, verdict.holds ? "holds" : "**fails**", verdict.numbers);
  }
  for (const auto& [claim, verdict] : claims) {
    if (!verdict.holds && !claim->if_not.empty()) text += "\n*" + claim->text + "* fails: " + claim->if_not + "\n";
  }
  for (const TableLayout& table : study.tables) {
    text += "\n## " + table.title + "\n\n" + markdown(lines_of(table, outcome));
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
  const std::string page = (folder / (study.name + ".md")).string();
  results::write_whole(page, study_page(study, outcome, command));
  return page;
}

}  // namespace ddl::studies
