// Rows as comma-separated text, by the columns that stand beside them (sim/run/rows/rows.hpp). Numbers are the
// shortest decimals that read back as the same double, so equal results give equal bytes; what is absent is an empty
// field.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/results/writing/csv.hpp"
#include "sim/run/rows/rows.hpp"

namespace ddl::results {

// One column or key, for people.
struct ColumnEntry {
  std::string name, unit, meaning;
};
// Columns of a result's file, or its keys of JSON, "a.b" for the key b of a; in the file's order.
struct FileDictionary {
  std::string file;
  std::vector<ColumnEntry> entries;
};

template <class Row>
std::vector<ColumnEntry> dictionary_of() {
  std::vector<ColumnEntry> entries;
  run::Table<Row>::columns([&](const char* name, const char* unit, const char* meaning, const auto&) {
    entries.push_back({name, unit, meaning});
  });
  return entries;
}

// "time_s,worker,...".
template <class Row>
std::string header_of() {
  std::string names;
  for (const ColumnEntry& column : dictionary_of<Row>()) names += (names.empty() ? "" : ",") + column.name;
  return names;
}

// Columns to write: with or without those in seconds.
enum class Columns { all, untimed };

template <class Row>
class RowWriter {
 public:
  RowWriter(std::string& text, const std::vector<std::string>& nodes, Columns columns = Columns::all)
      : text_(text), nodes_(nodes), columns_(columns) {}

  void write(const Row& row) {
    row_ = &row;
    first_ = true;
    run::Table<Row>::columns(*this);
    text_ += '\n';
  }

  template <class Value>
  void operator()(const char*, const char* unit, const char*, Value Row::*member) {
    if (is_written(unit)) add(row_->*member);
  }
  void operator()(const char*, const char*, const char*, run::NodeColumn<Row> node) {
    add(nodes_.at(static_cast<std::size_t>(row_->*node.index)));
  }
  template <class Function>
  void operator()(const char*, const char* unit, const char*, const Function& value) {
    if (is_written(unit)) add(value(*row_));
  }

 private:
  bool is_written(std::string_view unit) const { return columns_ == Columns::all || unit != "s"; }

  template <class Value>
  void add(const Value& value) {
    if (!first_) text_ += ',';
    first_ = false;
    add_csv_field(text_, value);
  }

  std::string& text_;
  const std::vector<std::string>& nodes_;  // names, by number
  Columns columns_;
  const Row* row_ = nullptr;
  bool first_ = true;
};

// The whole table, with its header.
template <class Row>
std::string table_text(const std::vector<Row>& rows, const std::vector<std::string>& nodes) {
  std::string text = header_of<Row>() + "\n";
  RowWriter<Row> writer(text, nodes);
  for (const Row& row : rows) writer.write(row);
  return text;
}

// Its rows without times.
template <class Row>
std::string untimed_rows(const std::vector<Row>& rows, const std::vector<std::string>& nodes) {
  std::string text;
  RowWriter<Row> writer(text, nodes, Columns::untimed);
  for (const Row& row : rows) writer.write(row);
  return text;
}

}  // namespace ddl::results
