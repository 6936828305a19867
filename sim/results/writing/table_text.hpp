// Rows as comma-separated text, by the columns that stand beside them (sim/experiment/rows.hpp). Numbers are the
// shortest decimals that read back as the same double, so equal results give equal bytes; what is absent is an empty
// field.
#pragma once

#include <string>
#include <vector>

#include "sim/experiment/rows.hpp"
#include "sim/results/writing/csv.hpp"

namespace ddl::results {

// One column, for people.
struct ColumnEntry {
  std::string name, unit, meaning;
};

template <class Row>
std::vector<ColumnEntry> dictionary_of() {
  std::vector<ColumnEntry> entries;
  experiment::Table<Row>::columns([&](const char* name, const char* unit, const char* meaning, const auto&) {
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

template <class Row>
class RowWriter {
 public:
  RowWriter(std::string& text, const std::vector<std::string>& nodes) : text_(text), nodes_(nodes) {}

  void write(const Row& row) {
    row_ = &row;
    first_ = true;
    experiment::Table<Row>::columns(*this);
    text_ += '\n';
  }

  template <class Value>
  void operator()(const char*, const char*, const char*, Value Row::*member) {
    add(row_->*member);
  }
  void operator()(const char*, const char*, const char*, experiment::NodeColumn<Row> node) {
    add(nodes_.at(static_cast<std::size_t>(row_->*node.index)));
  }
  template <class Function>
  void operator()(const char*, const char*, const char*, const Function& value) {
    add(value(*row_));
  }

 private:
  template <class Value>
  void add(const Value& value) {
    if (!first_) text_ += ',';
    first_ = false;
    add_csv_field(text_, value);
  }

  std::string& text_;
  const std::vector<std::string>& nodes_;  // names, by number
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

}  // namespace ddl::results
