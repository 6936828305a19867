// Tables (files/csv_reader.hpp), plain or compressed with gzip: a row for each sample. Columns are features except the
// label's, the partition's, and ignored ones.
#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/base/printable.hpp"
#include "core/data/categories.hpp"
#include "core/data/files/byte_file.hpp"
#include "core/data/files/csv_reader.hpp"
#include "core/data/key_error.hpp"
#include "core/data/loaders.hpp"
#include "core/data/own_files.hpp"

namespace ddl::data {
namespace {

constexpr std::size_t most_table_bytes = std::size_t{4} << 30, most_lines_named = 6;

// "column 2 ("b")"
std::string column_text(std::size_t column, const std::vector<std::string>& names) {
  return "column " + std::to_string(column + 1) + (names.empty() ? "" : " (" + in_quotes(names[column]) + ")");
}

enum class Role : std::uint8_t { feature, label, group, none };

// The roles of the columns.
struct Columns {
  std::vector<std::string> names;  // empty without a header
  std::vector<Role> roles;
  std::size_t features = 0;

  std::string text(std::size_t column) const { return column_text(column, names); }
  std::string text(Role role) const {
    return text(static_cast<std::size_t>(std::ranges::find(roles, role) - roles.begin()));
  }
};

std::string text_of(const Column& column) {
  if (const auto* name = std::get_if<std::string>(&column.is)) return in_quotes(*name);
  return std::to_string(std::get<int>(column.is));
}

std::size_t place_of(const Column& wanted, const Columns& columns, const CsvReader& table, const std::string& key) {
  const std::size_t count = columns.roles.size();
  if (const auto* number = std::get_if<int>(&wanted.is)) {
    if (*number >= 1 && static_cast<std::size_t>(*number) <= count) return static_cast<std::size_t>(*number) - 1;
    table.fail("has " + counted(static_cast<std::int64_t>(count), "column") + "; data." + key + " asks for number " +
               std::to_string(*number));
  }
  const auto& name = std::get<std::string>(wanted.is);
  const auto found = std::ranges::find(columns.names, name);
  if (columns.names.empty()) {
    table.fail("has no names of columns; data." + key + " asks for " + in_quotes(name) + "; expected its number");
  }
  if (found == columns.names.end()) {
    std::string known;
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 12); ++i) known += ", " + in_quotes(columns.names[i]);
    table.fail("has no column " + in_quotes(name) + ", which data." + key + " asks for; its columns are " +
               known.substr(2) + (count > 12 ? ", ..." : ""));
  }
  if (std::find(found + 1, columns.names.end(), name) != columns.names.end()) {
    table.fail("has two columns " + in_quotes(name) + ", which data." + key + " asks for; expected one, or its number");
  }
  return static_cast<std::size_t>(found - columns.names.begin());
}

bool has_header(const std::vector<std::string>& first, const CsvReader& table, const DataSpec& spec) {
  if (spec.header) return *spec.header;
  for (const auto& column : {spec.label, spec.column}) {
    const auto* name = column ? std::get_if<std::string>(&column->is) : nullptr;
    if (name != nullptr && std::ranges::find(first, *name) != first.end()) return true;
  }
  for (std::size_t column = 0; column < first.size(); ++column) {
    if (!number_of(first[column])) continue;
    table.fail_in_cell(
        column_text(column, {}),
        first[column] +
            " is a number; expected names in the first line, or data.header to be false (or true, if it is a "
            "name)");
  }
  return true;
}

// Columns by the first line.
Columns columns_of(const std::vector<std::string>& first, bool header, const CsvReader& table, const DataSpec& spec) {
  Columns columns;
  if (header) columns.names = first;
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
    table.fail_in_cell(column_text(column, {}),
                       "has no name, as a number of the row; expected one, or data.ignore with its number");
  }
  if (columns.features == 0) {
    table.fail("has no feature; expected a column beside the label's, behind a comma, a semicolon or a tab");
  }
  return columns;
}

// The samples of one file.
struct Rows {
  std::vector<std::string> labels, groups;
  std::vector<float> values;
  std::vector<std::size_t> lines;
};

float feature_of(const std::string& cell, std::size_t column, const Columns& columns, const CsvReader& table) {
  const auto refuse = [&](const std::string& why) { table.fail_in_cell(columns.text(column), why); };
  const auto value = number_of(cell);
  const float single = value ? static_cast<float>(*value) : 0;
  if (cell.empty()) refuse("is empty; expected a number");
  if (!value && is_missing(cell)) refuse(in_quotes(cell) + " is no value; expected a number: gaps are filled before");
  if (!value && cell.find(',') != std::string::npos) {
    refuse(in_quotes(cell) + " is no number; expected one, with a point before its decimals");
  }
  if (!value) refuse(in_quotes(cell) + " is no number; expected one");
  if (!std::isfinite(single)) refuse(in_quotes(cell) + " is beyond float32; expected a number below 3.4e38");
  return single;
}

void read_row(const Columns& columns, const CsvReader& table, bool features, Rows& rows) {
  const std::vector<std::string>& cells = table.cells();
  if (cells.size() != columns.roles.size()) {
    table.fail_in_row("has " + counted(static_cast<std::int64_t>(cells.size()), "cell") + "; expected " +
                      std::to_string(columns.roles.size()) + ", as the first line has");
  }
  for (std::size_t column = 0; column < cells.size(); ++column) {
    const Role role = columns.roles[column];
    if (role == Role::feature && features) rows.values.push_back(feature_of(cells[column], column, columns, table));
    if (role != Role::label && role != Role::group) continue;
    if (cells[column].empty()) table.fail_in_cell(columns.text(column), "is empty; expected a word or number");
    (role == Role::label ? rows.labels : rows.groups).push_back(cells[column]);
  }
  rows.lines.push_back(table.line());
}

// A whole file. `features`: read their values, too.
struct File {
  std::string path;
  Columns columns;
  Rows rows;
};
File read_file(const std::string& path, const DataSpec& spec, bool features) {
  const std::string text = ByteFile(path).read_all(most_table_bytes);
  CsvReader table(text, path + ": ");
  bool more = table.next();
  if (!more) table.fail("is empty; expected a line for each sample");
  const bool header = has_header(table.cells(), table, spec);
  File file{path, columns_of(table.cells(), header, table, spec), {}};
  if (header) more = table.next();
  for (; more; more = table.next()) read_row(file.columns, table, features, file.rows);
  if (file.rows.labels.empty()) table.fail("has no sample; expected lines below the names of its columns");
  return file;
}

// "NaN" in 4 lines (9, 59, 109, 159)
std::string places_text(const std::vector<std::size_t>& rows, const std::vector<std::string>& words, const File& file) {
  std::string lines;
  for (std::size_t i = 0; i < std::min(rows.size(), most_lines_named); ++i) {
    lines += (i == 0 ? "" : ", ") + std::to_string(file.rows.lines[rows[i]]);
  }
  return in_quotes(words[rows.front()]) + " in " + counted(static_cast<std::int64_t>(rows.size()), "line") + " (" +
         lines + (rows.size() > most_lines_named ? ", ...)" : ")");
}

// Oddities of a column with classes or groups. Throws InputError if some words are missing values and all others are
// numbers; among words, "none" may be a name.
std::vector<std::string> notes_on_words(Role role, const File& file) {
  const std::vector<std::string>& words = role == Role::label ? file.rows.labels : file.rows.groups;
  const std::string where = file.path + ": " + file.columns.text(role) + ": has ";
  std::vector<std::size_t> missing, others;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!number_of(words[i])) (is_missing(words[i]) ? missing : others).push_back(i);
  }
  const bool numbers = missing.size() + others.size() < words.size();
  if (numbers && others.empty() && !missing.empty()) {
    throw InputError(where + places_text(missing, words, file) + ", which is no value; expected a number in each line");
  }
  std::vector<std::string> notes;
  if (!missing.empty()) notes.push_back(where + places_text(missing, words, file) + ", which is taken as a word");
  if (numbers && !others.empty()) {
    notes.push_back(where + "numbers and words such as " + places_text(others, words, file) + ", so all are words");
  }
  return notes;
}

void expect_same_columns(const File& test, const File& train, const DataSpec& spec) {
  if (test.columns.names == train.columns.names && test.columns.roles.size() == train.columns.roles.size()) return;
  throw InputError(spec.test_path + ": has other columns than " + spec.path + "; expected the same, in the same order");
}

// Labels of training samples.
struct TableLabels {
  Categories classes;
  std::vector<std::string> notes;
};
TableLabels labels_of(const File& train, const DataSpec& spec) {
  TableLabels labels{Categories(train.rows.labels), notes_on_words(Role::label, train)};
  const auto add = [&](const std::vector<std::string>& notes) {
    labels.notes.insert(labels.notes.end(), notes.begin(), notes.end());
  };
  if (spec.column) add(notes_on_words(Role::group, train));
  Classes classes{labels.classes.names(), std::vector<std::size_t>(labels.classes.size())};
  for (const std::string& label : train.rows.labels) ++classes.samples[*labels.classes.place(label)];
  const char* why = spec.label ? "" : ", the last one, for data.label names none";
  add(notes_on(classes, train.path + ": " + train.columns.text(Role::label) + why));
  return labels;
}

Dataset samples_of(File file, const Categories& classes) {
  Dataset data;
  data.shape = {static_cast<int>(file.columns.features), 1, 1};
  data.classes = static_cast<int>(classes.size());
  data.class_names = classes.names();
  data.mean.assign(file.columns.features, 0);
  data.scale.assign(file.columns.features, 1);
  for (std::size_t i = 0; i < file.rows.labels.size(); ++i) {
    const auto place = classes.place(file.rows.labels[i]);
    if (!place) {
      throw InputError(file.path + ": line " + std::to_string(file.rows.lines[i]) + ": has the label " +
                       in_quotes(file.rows.labels[i]) + ", which no training sample has");
    }
    data.labels.push_back(static_cast<std::uint8_t>(*place));
  }
  data.values = std::move(file.rows.values);
  if (file.rows.groups.empty()) return data;
  const Categories groups(file.rows.groups);
  for (const std::string& group : file.rows.groups) data.groups.push_back(*groups.place(group));
  return data;
}

DataSpec by_numbers(DataSpec spec, const Columns& columns) {
  spec.header = !columns.names.empty();
  spec.ignore.clear();
  for (std::size_t i = 0; i < columns.roles.size(); ++i) {
    const Column column{static_cast<int>(i + 1)};
    if (columns.roles[i] == Role::label) spec.label = column;
    if (columns.roles[i] == Role::group) spec.column = column;
    if (columns.roles[i] == Role::none) spec.ignore.push_back(column);
  }
  return spec;
}

void expect_path(const DataSpec& spec) {
  if (spec.path.empty()) throw KeyError("path", "is missing; expected a CSV file");
}

}  // namespace

DataSplit read_csv(const DataSpec& spec, std::uint64_t seed) {
  expect_path(spec);
  File train = read_file(spec.path, spec, true);
  const Categories classes = labels_of(train, spec).classes;
  WholeData whole{{}, {}, spec.path, spec.test_path};
  if (!spec.test_path.empty()) {
    File test = read_file(spec.test_path, spec, true);
    expect_same_columns(test, train, spec);
    whole.test = samples_of(std::move(test), classes);
  }
  whole.train = samples_of(std::move(train), classes);
  return divided(std::move(whole), spec, seed);
}

DataShape csv_shape(const DataSpec& spec) {
  expect_path(spec);
  const File train = read_file(spec.path, spec, false);
  TableLabels labels = labels_of(train, spec);
  DataShape data{{static_cast<int>(train.columns.features), 1, 1}, static_cast<int>(labels.classes.size()), 4};
  data.notes = std::move(labels.notes);
  data.train = static_cast<std::int64_t>(train.rows.labels.size());
  data.spec = by_numbers(spec, train.columns);
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
