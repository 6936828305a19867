// Tables of comma-separated values (RFC 4180), plain or compressed with gzip: a line for each sample. Cells may be in
// quotes, but do not span lines. All columns are features but the label's, the partition's, and those to ignore.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/data/categories.hpp"
#include "core/data/files/byte_file.hpp"
#include "core/data/key_error.hpp"
#include "core/data/loaders.hpp"
#include "core/data/own_files.hpp"

namespace ddl::data {
namespace {

constexpr std::size_t most_table_bytes = std::size_t{4} << 30, most_columns = 100'000, longest_quote = 60;

std::string cited(std::string_view cell) {
  const bool cut = cell.size() > longest_quote;
  return "\"" + std::string(cell.substr(0, longest_quote)) + (cut ? "..." : "") + "\"";
}

// The lines of one file, as cells.
class Table {
 public:
  explicit Table(std::string path)
      : path_(std::move(path)), text_(ByteFile(path_).read_all(most_table_bytes)), rest_(text_) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
    while (rest_.ends_with('\n') || rest_.ends_with('\r')) rest_.remove_suffix(1);
    if (rest_.empty()) fail("is empty; expected a line for each sample");
  }

  const std::string& path() const { return path_; }

  // The next line; none after the last.
  const std::vector<std::string_view>* next() {
    if (over_) return nullptr;
    ++line_;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    split(line);
    over_ = end == std::string_view::npos;
    if (!over_) rest_.remove_prefix(end + 1);
    return &cells_;
  }

  [[noreturn]] void fail(const std::string& why) const { throw InputError(path_ + ": " + why); }
  [[noreturn]] void fail_in_line(const std::string& why) const { fail("line " + std::to_string(line_) + ": " + why); }
  [[noreturn]] void fail_in_cell(std::size_t column, const std::string& name, const std::string& why) const {
    const std::string named = name.empty() ? "" : " (" + cited(name) + ")";
    fail("line " + std::to_string(line_) + ", column " + std::to_string(column + 1) + named + ": " + why);
  }

 private:
  static std::string_view trimmed(std::string_view cell) {
    while (cell.starts_with(' ') || cell.starts_with('\t')) cell.remove_prefix(1);
    while (cell.ends_with(' ') || cell.ends_with('\t')) cell.remove_suffix(1);
    return cell;
  }

  void split(std::string_view line) {
    cells_.clear();
    for (;;) {
      if (cells_.size() == most_columns) fail_in_line("has more than 100,000 cells; expected at most as many");
      std::size_t end = line.find(',');
      const std::size_t quote = line.find_first_not_of(" \t");
      if (quote != std::string_view::npos && line[quote] == '"') {
        end = end_of_quoted(line, quote);
        cells_.push_back(trimmed(line.substr(0, end)));
        cells_.back().remove_prefix(1);
        cells_.back().remove_suffix(1);
      } else {
        cells_.push_back(trimmed(line.substr(0, end)));
      }
      if (end == std::string_view::npos) return;
      line.remove_prefix(end + 1);
    }
  }

  // Where the comma is behind the cell in quotes that starts at `quote`. Two quotes within it are one of its letters.
  std::size_t end_of_quoted(std::string_view line, std::size_t quote) const {
    std::size_t at = quote + 1;
    for (;; ++at) {
      at = line.find('"', at);
      if (at == std::string_view::npos) {
        fail_in_cell(cells_.size(), "", "has no closing quote in its line; expected cells that end where they begin");
      }
      if (at + 1 == line.size() || line[at + 1] != '"') break;
      ++at;
    }
    const std::size_t comma = line.find(',', at);
    if (!trimmed(line.substr(at + 1, comma == std::string_view::npos ? comma : comma - at - 1)).empty()) {
      fail_in_cell(cells_.size(), "", "goes on behind its closing quote; expected a comma there");
    }
    return comma;
  }

  const std::string path_, text_;
  std::string_view rest_;
  std::vector<std::string_view> cells_;
  std::size_t line_ = 0;
  bool over_ = false;
};

enum class Role : std::uint8_t { feature, label, group, none };

// What the columns are.
struct Columns {
  std::vector<std::string> names;  // none without a header
  std::vector<Role> roles;
  std::size_t features = 0;

  std::string name(std::size_t column) const { return names.empty() ? "" : names[column]; }
};

std::string text_of(const Column& column) {
  if (const auto* name = std::get_if<std::string>(&column.is)) return cited(*name);
  return std::to_string(std::get<int>(column.is));
}

std::size_t place_of(const Column& wanted, const Columns& columns, const Table& table, const std::string& key) {
  const std::size_t count = columns.roles.size();
  if (const auto* number = std::get_if<int>(&wanted.is)) {
    if (*number >= 1 && static_cast<std::size_t>(*number) <= count) return static_cast<std::size_t>(*number) - 1;
    table.fail("has " + counted(static_cast<std::int64_t>(count), "column") + "; data." + key + " asks for number " +
               std::to_string(*number));
  }
  const auto& name = std::get<std::string>(wanted.is);
  const auto found = std::ranges::find(columns.names, name);
  if (columns.names.empty()) {
    table.fail("has no names of columns; data." + key + " asks for " + cited(name) + "; expected its number");
  }
  if (found == columns.names.end()) {
    std::string known;
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 12); ++i) known += ", " + cited(columns.names[i]);
    table.fail("has no column " + cited(name) + ", which data." + key + " asks for; its columns are " +
               known.substr(2) + (count > 12 ? ", ..." : ""));
  }
  if (std::find(found + 1, columns.names.end(), name) != columns.names.end()) {
    table.fail("has two columns " + cited(name) + ", which data." + key + " asks for; expected one, or its number");
  }
  return static_cast<std::size_t>(found - columns.names.begin());
}

bool has_header(const std::vector<std::string_view>& first, const Table& table, const DataSpec& spec) {
  if (spec.header) return *spec.header;
  for (const auto& column : {spec.label, spec.column}) {
    const auto* name = column ? std::get_if<std::string>(&column->is) : nullptr;
    if (name != nullptr && std::ranges::find(first, *name) != first.end()) return true;
  }
  for (std::size_t column = 0; column < first.size(); ++column) {
    if (!number_of(first[column])) continue;
    table.fail_in_cell(column, "",
                       std::string(first[column]) +
                           " is a number; expected names in the first line, or data.header to be false "
                           "(or true, if it is a name)");
  }
  return true;
}

// Of the first line.
Columns columns_of(const std::vector<std::string_view>& first, bool header, const Table& table, const DataSpec& spec) {
  Columns columns;
  if (header) columns.names.assign(first.begin(), first.end());
  columns.roles.assign(first.size(), Role::feature);
  const auto assign = [&](const Column& column, Role role, const char* key) {
    Role& its = columns.roles[place_of(column, columns, table, key)];
    if (its != Role::feature) {
      table.fail("column " + text_of(column) + " has two uses; data." + key + " is one; expected one for each column");
    }
    its = role;
  };
  assign(spec.label.value_or(Column{static_cast<int>(first.size())}), Role::label, "label");
  if (spec.column) assign(*spec.column, Role::group, "column");
  for (const Column& column : spec.ignore) assign(column, Role::none, "ignore");
  columns.features = static_cast<std::size_t>(std::ranges::count(columns.roles, Role::feature));
  for (std::size_t column = 0; header && column < first.size(); ++column) {
    if (columns.roles[column] != Role::feature || !first[column].empty()) continue;
    table.fail_in_cell(column, "", "has no name, as a number of the row; expected one, or data.ignore with its number");
  }
  if (columns.features == 0) table.fail("has no feature; expected a column beside the label's");
  return columns;
}

// The samples of one file.
struct Rows {
  std::vector<std::string> labels, groups;
  std::vector<float> values;
};

float feature_of(std::string_view cell, std::size_t column, const Columns& columns, const Table& table) {
  if (const auto value = number_of(cell)) {
    const auto single = static_cast<float>(*value);
    if (std::isfinite(single)) return single;
  }
  table.fail_in_cell(column, columns.name(column),
                     cell.empty() ? "is empty; expected a number" : cited(cell) + " is no number; expected one");
}

void read_row(const std::vector<std::string_view>& cells, const Columns& columns, const Table& table, bool features,
              Rows& rows) {
  if (cells.size() != columns.roles.size()) {
    table.fail_in_line("has " + counted(static_cast<std::int64_t>(cells.size()), "cell") + "; expected " +
                       std::to_string(columns.roles.size()) + ", as the first line has");
  }
  for (std::size_t column = 0; column < cells.size(); ++column) {
    const Role role = columns.roles[column];
    if (role == Role::feature && features) rows.values.push_back(feature_of(cells[column], column, columns, table));
    if (role != Role::label && role != Role::group) continue;
    if (cells[column].empty()) table.fail_in_cell(column, columns.name(column), "is empty; expected a word or number");
    (role == Role::label ? rows.labels : rows.groups).emplace_back(cells[column]);
  }
}

// A whole file. `features`: whether their values are read, too.
struct File {
  Columns columns;
  Rows rows;
};
File read_file(const std::string& path, const DataSpec& spec, bool features) {
  Table table(path);
  const auto* cells = table.next();
  const bool header = has_header(*cells, table, spec);
  File file{columns_of(*cells, header, table, spec), {}};
  if (header) cells = table.next();
  for (; cells != nullptr; cells = table.next()) read_row(*cells, file.columns, table, features, file.rows);
  if (file.rows.labels.empty()) table.fail("has no sample; expected lines below the names of its columns");
  return file;
}

void expect_same_columns(const File& test, const File& train, const DataSpec& spec) {
  if (test.columns.names == train.columns.names && test.columns.roles.size() == train.columns.roles.size()) return;
  throw InputError(spec.test_path + ": has other columns than " + spec.path + "; expected the same, in the same order");
}

Categories classes_of(const File& file, const DataSpec& spec) {
  Categories classes(file.rows.labels);
  check_classes(classes.size(), [&](const std::string& why) { throw InputError(spec.path + ": " + why); });
  return classes;
}

Dataset samples_of(File file, const Categories& classes, const std::string& path) {
  Dataset data;
  data.shape = {static_cast<int>(file.columns.features), 1, 1};
  data.classes = static_cast<int>(classes.size());
  data.mean.assign(file.columns.features, 0);
  data.scale.assign(file.columns.features, 1);
  for (const std::string& label : file.rows.labels) {
    const auto place = classes.place(label);
    if (!place) throw InputError(path + ": has the label " + cited(label) + ", which no training sample has");
    data.labels.push_back(static_cast<std::uint8_t>(*place));
  }
  data.values = std::move(file.rows.values);
  if (file.rows.groups.empty()) return data;
  const Categories groups(file.rows.groups);
  for (const std::string& group : file.rows.groups) data.groups.push_back(*groups.place(group));
  return data;
}

void expect_path(const DataSpec& spec) {
  if (spec.path.empty()) throw KeyError("path", "is missing; expected a CSV file");
}

}  // namespace

DataSplit read_csv(const DataSpec& spec, std::uint64_t seed) {
  expect_path(spec);
  File train = read_file(spec.path, spec, true);
  const Categories classes = classes_of(train, spec);
  WholeData whole{{}, {}, spec.path, spec.test_path};
  if (!spec.test_path.empty()) {
    File test = read_file(spec.test_path, spec, true);
    expect_same_columns(test, train, spec);
    whole.test = samples_of(std::move(test), classes, spec.test_path);
  }
  whole.train = samples_of(std::move(train), classes, spec.path);
  return divided(std::move(whole), spec, seed);
}

DataShape csv_shape(const DataSpec& spec) {
  expect_path(spec);
  const File train = read_file(spec.path, spec, false);
  DataShape data{{static_cast<int>(train.columns.features), 1, 1}, static_cast<int>(classes_of(train, spec).size()), 4};
  data.train = static_cast<std::int64_t>(train.rows.labels.size());
  if (!spec.test_path.empty()) {
    data.test = static_cast<std::int64_t>(read_file(spec.test_path, spec, false).rows.labels.size());
  }
  return data;
}

std::vector<std::string> csv_files(const DataSpec& spec) {
  expect_path(spec);
  if (spec.test_path.empty()) return {spec.path};
  return {spec.path, spec.test_path};
}

}  // namespace ddl::data
