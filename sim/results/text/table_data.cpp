// Tables for programs.
#include "sim/results/text/table.hpp"
#include "sim/results/writing/csv.hpp"

namespace ddl::results {
namespace {

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

}  // namespace ddl::results
