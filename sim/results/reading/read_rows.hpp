// The tables of a finished run, read back row by row as the structs that they were written from.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/results/reading/table_reader.hpp"
#include "sim/results/writing/table_text.hpp"
#include "sim/run/rows/rows.hpp"

namespace ddl::results {

// Hosts by number, in the order in which they come. What is read into one object has the same numbers.
class NodeNames {
 public:
  int number_of(const std::string& name) {
    const auto [place, fresh] = numbers_.emplace(name, static_cast<int>(names_.size()));
    if (fresh) names_.push_back(name);
    return place->second;
  }
  const std::string& operator[](int number) const { return names_.at(static_cast<std::size_t>(number)); }

 private:
  std::vector<std::string> names_;
  std::map<std::string, int> numbers_;
};

template <class Row>
class RowReader {
 public:
  RowReader(const TableRow& fields, NodeNames& nodes) : fields_(fields), nodes_(nodes) {}

  Row row() {
    run::Table<Row>::columns(*this);
    return std::move(row_);
  }

  template <class Value>
  void operator()(const char*, const char*, const char*, Value Row::*member) {
    get(row_.*member);
  }
  void operator()(const char*, const char*, const char*, run::NodeColumn<Row> node) {
    row_.*node.index = nodes_.number_of(fields_.text(column_++));
  }
  template <class Function>
  void operator()(const char*, const char*, const char*, const Function&) {
    fields_.number(column_++);
  }

 private:
  void get(double& value) { value = fields_.number(column_++); }
  void get(std::optional<double>& value) { value = fields_.number_if_any(column_++); }
  void get(std::int64_t& value) { value = fields_.whole(column_++); }
  void get(bool& value) { value = fields_.whole(column_++) != 0; }
  void get(std::string& value) { value = fields_.text(column_++); }

  const TableRow& fields_;
  NodeNames& nodes_;
  Row row_{};
  std::size_t column_ = 0;
};

// Calls `use` for each row of the result's table, in order. False if the result does without the table, which only
// those do whose scenario does not ask for it. Throws InputError.
template <class Row>
bool read_rows(const std::filesystem::path& folder, NodeNames& nodes, const std::function<void(const Row&)>& use) {
  const std::filesystem::path file = folder / run::Table<Row>::file;
  if (!run::Table<Row>::always && !std::filesystem::exists(file)) return false;
  read_table(file, header_of<Row>(), [&](const TableRow& fields) { use(RowReader<Row>(fields, nodes).row()); });
  return true;
}

// The same of tables without hosts' numbers.
template <class Row>
bool read_rows(const std::filesystem::path& folder, const std::function<void(const Row&)>& use) {
  NodeNames unused;
  return read_rows<Row>(folder, unused, use);
}

}  // namespace ddl::results
