#include "sim/results/text/table.hpp"

namespace ddl::results {

Table Table::of(const std::vector<std::vector<std::string>>& rows, std::size_t keys) {
  Table table{.columns = {}, .rows = {}, .keys = keys};
  for (const std::string& title : rows.front()) table.columns.push_back({.key = title, .title = title});
  for (std::size_t i = 1; i < rows.size(); ++i) table.rows.emplace_back(rows[i].begin(), rows[i].end());
  return table;
}

}  // namespace ddl::results
