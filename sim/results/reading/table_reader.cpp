#include "sim/results/reading/table_reader.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <fstream>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::results {

// Splits text into fields as RFC 4180 quotes them.
class TableReader {
 public:
  explicit TableReader(const std::filesystem::path& file) : file_(file), stream_(file, std::ios::binary) {
    if (!stream_) fail_with(file.string() + ": cannot be read", errno);
  }

  // Fills `fields` and `line`; false at the end.
  bool next(std::vector<std::string>& fields, std::size_t& line) {
    fields.clear();
    line = line_;
    if (stream_.peek() == std::ifstream::traits_type::eof()) return false;
    while (true) {
      const bool more = field(fields.emplace_back(), line);
      if (!more) return true;
    }
  }

  void fill(TableRow& row, const std::function<void(const TableRow&)>& use) {
    while (next(row.fields_, row.line_)) {
      if (row.fields_.size() != row.columns_.size()) {
        refuse(row.line_,
               fmt::format("has {} fields; expected the {} of the header", row.fields_.size(), row.columns_.size()));
      }
      use(row);
    }
  }

  [[noreturn]] void refuse(std::size_t line, const std::string& what) const {
    throw InputError(fmt::format("{}: line {}: {}", file_.string(), line, what));
  }

 private:
  // One field; true if another one follows in this row.
  bool field(std::string& text, std::size_t line) {
    bool quoted = stream_.peek() == '"';
    if (quoted) stream_.get();
    for (int letter; (letter = stream_.get()) != std::ifstream::traits_type::eof();) {
      if (letter == '\n') ++line_;
      if (quoted && letter == '"') {
        if (stream_.peek() != '"') {
          quoted = false;
          continue;
        }
        stream_.get();
      } else if (!quoted && letter == ',') {
        return true;
      } else if (!quoted && letter == '\n') {
        return false;
      }
      text += static_cast<char>(letter);
    }
    refuse(line, "is cut off; expected a line break at its end");
  }

  const std::filesystem::path& file_;
  std::ifstream stream_;
  std::size_t line_ = 1;
};

void TableRow::refuse(std::size_t column, const char* expected) const {
  throw InputError(fmt::format("{}: line {}: {}: {} is wrong; expected {}", file_.string(), line_, columns_.at(column),
                               scenario::in_quotes(text(column)), expected));
}

double TableRow::number(std::size_t column) const {
  const std::string& field = text(column);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (field.empty() || error != std::errc() || end != field.data() + field.size()) refuse(column, "a number");
  return value;
}

std::optional<double> TableRow::number_if_any(std::size_t column) const {
  return text(column).empty() ? std::nullopt : std::optional(number(column));
}

std::int64_t TableRow::whole(std::size_t column) const {
  const std::string& field = text(column);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (field.empty() || error != std::errc() || end != field.data() + field.size()) refuse(column, "a whole number");
  return value;
}

void read_table(const std::filesystem::path& file, std::string_view header,
                const std::function<void(const TableRow&)>& row) {
  TableReader reader(file);
  std::vector<std::string> columns;
  std::size_t line = 0;
  if (!reader.next(columns, line)) reader.refuse(1, "is missing; expected the names of columns");
  std::string found;
  for (const std::string& column : columns) found += (found.empty() ? "" : ",") + column;
  if (!header.empty() && found != header) {
    reader.refuse(
        1, fmt::format("has the columns {}; expected {}", scenario::in_quotes(found), scenario::in_quotes(header)));
  }
  TableRow current(file, columns);
  reader.fill(current, row);
}

}  // namespace ddl::results
