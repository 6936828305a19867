// What a search tried, as a table: a row per run, with its settings, how it did, and whether they were the best in the
// end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/advise/tuning.hpp"

namespace ddl::advise {

inline constexpr const char* tried_file = "tried.csv";

// `columns` come first: what tells apart schemes whose rows are in one table.
std::string tried_header(const std::vector<std::string>& columns, const SearchSpace& space);
// Of a scheme, as far as its search is known; `values` are those of the columns.
std::string tried_rows(const std::vector<std::string>& values, const Tuning& tuning, std::size_t scheme, Lab& lab);

}  // namespace ddl::advise
