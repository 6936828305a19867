// Tables for programs.
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/results/text/table.hpp"
#include "sim/results/writing/csv.hpp"

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;

// JSON has neither nan nor inf.
Json json_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

std::string field_of(const Cell& cell) {
  return cell.is_number ? csv_field(cell.number) : csv_field(cell.data.value_or(cell.text));
}

}  // namespace

std::string csv_header(const std::vector<Column>& columns) {
  std::string line;
  for (const Column& column : columns) line += (line.empty() ? "" : ",") + csv_field(column.key);
  return line + "\n";
}

std::string csv_line(const TableLine& line) {
  std::string text;
  for (const Cell& cell : line) text += (&cell == &line.front() ? "" : ",") + field_of(cell);
  return text + "\n";
}

std::string csv_text(const Table& table) {
  std::string text = csv_header(table.columns);
  for (const TableLine& line : table.rows) text += csv_line(line);
  return text;
}

nlohmann::ordered_json json_value(const Column& column, const Cell& cell) {
  if (!column.estimated) return cell.is_number ? json_number(cell.number) : Json(cell.data.value_or(cell.text));
  Json json = {{"count", cell.count}, {"mean", json_number(cell.number)}, {"low", nullptr}, {"high", nullptr}};
  if (!cell.interval) return json;
  json["low"] = json_number(cell.interval->low);
  json["high"] = json_number(cell.interval->high);
  return json;
}

}  // namespace ddl::results
