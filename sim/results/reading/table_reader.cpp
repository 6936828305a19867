#include "sim/results/reading/table_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/base/check.hpp"
#include "core/data/files/byte_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::results {
namespace {

constexpr std::size_t most_bytes = std::size_t{4} << 30;

}  // namespace

void TableRow::refuse(std::size_t column, const char* expected) const {
  rows_.fail_in_cell(columns_.at(column),
                     fmt::format("{} is wrong; expected {}", scenario::in_quotes(text(column)), expected));
}

template <class Number>
Number TableRow::parsed(std::size_t column, const char* expected) const {
  const std::string& field = text(column);
  Number value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (field.empty() || error != std::errc() || end != field.data() + field.size()) refuse(column, expected);
  return value;
}

double TableRow::number(std::size_t column) const { return parsed<double>(column, "a number"); }

std::optional<double> TableRow::number_if_any(std::size_t column) const {
  return text(column).empty() ? std::nullopt : std::optional(number(column));
}

std::int64_t TableRow::whole(std::size_t column) const { return parsed<std::int64_t>(column, "a whole number"); }

void read_table(const std::filesystem::path& file, std::string_view header,
                const std::function<void(const TableRow&)>& use) {
  const std::string text = data::ByteFile(file.string()).read_all(most_bytes);
  data::CsvReader rows(text, file.string() + ": ");
  if (!rows.next()) rows.fail("is empty; expected the names of columns");
  const std::vector<std::string> columns = rows.cells();
  const std::string found = fmt::format("{}", fmt::join(columns, ","));
  if (!header.empty() && found != header) {
    rows.fail_in_row(
        fmt::format("has the columns {}; expected {}", scenario::in_quotes(found), scenario::in_quotes(header)));
  }
  if (!text.ends_with('\n')) {
    throw InputError(fmt::format("{}: line {}: is cut off; expected a line break at its end", file.string(),
                                 std::ranges::count(text, '\n') + 1));
  }
  const TableRow row(rows, columns);
  while (rows.next()) {
    if (rows.cells().size() != columns.size()) {
      rows.fail_in_row(
          fmt::format("has {} fields; expected the {} of the header", rows.cells().size(), columns.size()));
    }
    use(row);
  }
}

}  // namespace ddl::results
