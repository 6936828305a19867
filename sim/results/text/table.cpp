// Tables for people and papers.
#include "sim/results/text/table.hpp"

#include <algorithm>
#include <utility>

namespace ddl::results {
namespace {

struct Replacement {
  std::string_view of, by;
};

std::string replaced(std::string_view text, const std::vector<Replacement>& replacements) {
  std::string result;
  while (!text.empty()) {
    const auto found = std::ranges::find_if(replacements, [&](const auto& one) { return text.starts_with(one.of); });
    if (found == replacements.end()) {
      result += text.front();
      text.remove_prefix(1);
    } else {
      result += found->by;
      text.remove_prefix(found->of.size());
    }
  }
  return result;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + replaced(cell, {{"|", "\\|"}}) + " |";
  return text + "\n";
}

std::vector<std::string> titles_of(const Table& table) {
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(column.title);
  return titles;
}

std::vector<std::string> texts_of(const TableLine& line) {
  std::vector<std::string> texts;
  for (const Cell& cell : line) texts.push_back(cell.text);
  return texts;
}

}  // namespace

Table Table::of(const std::vector<std::vector<std::string>>& rows, std::size_t keys) {
  Table table{.columns = {}, .rows = {}, .keys = keys};
  for (const std::string& title : rows.front()) table.columns.push_back({.key = title, .title = title});
  for (std::size_t i = 1; i < rows.size(); ++i) table.rows.emplace_back(rows[i].begin(), rows[i].end());
  return table;
}

std::string markdown_text(const Table& table) {
  std::string text = markdown_row(titles_of(table)) + "|";
  for (std::size_t column = 0; column < table.columns.size(); ++column) text += " --- |";
  text += "\n";
  for (const TableLine& line : table.rows) text += markdown_row(texts_of(line));
  return text;
}

}  // namespace ddl::results
