// What a search tried, as a table: a row per run, with its settings, how it did, and whether they were the best in the
// end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/advise/tuning.hpp"
#include "sim/results/text/table.hpp"

namespace ddl::advise {

inline constexpr const char* tried_file = "tried.csv";

class TriedTable {
 public:
  // `columns` come first: what tells apart schemes whose rows are in one table.
  TriedTable(std::vector<std::string> columns, const SearchSpace& space, const Goal& goal);

  // The rows of a scheme, as far as its search is known; `values` are those of the columns.
  void add(const std::vector<std::string>& values, const Tuning& tuning, std::size_t scheme, Lab& lab);
  std::string csv() const;

 private:
  struct Row {
    std::vector<std::string> settings;
    results::TableLine rest;
  };
  std::vector<std::string> paths_;
  std::string word_;  // of the goal's metric
  std::vector<Row> rows_;
};

}  // namespace ddl::advise
