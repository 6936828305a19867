#include "sim/scenario/files/headed_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "core/base/counted.hpp"
#include "core/base/printable.hpp"

namespace ddl::scenario {

HeadedTable::HeadedTable(std::string_view text, std::initializer_list<std::string_view> headers) : rows_(text, "") {
  std::vector<std::string> expected;
  for (const std::string_view header : headers) expected.push_back(in_quotes(header));
  const bool any = rows_.next();
  columns_ = rows_.cells().size();
  const std::string found = fmt::format("{}", fmt::join(rows_.cells(), ","));
  for (const std::string_view header : headers) {
    if (any && found == header) return;
  }
  if (!any) rows_.fail(fmt::format("is empty; expected the header {}", fmt::join(expected, " or ")));
  refuse(fmt::format("is no header; expected {}", fmt::join(expected, " or ")));
}

bool HeadedTable::next() {
  if (!rows_.next()) return false;
  const std::size_t cells = rows_.cells().size();
  if (cells != columns_) {
    refuse(fmt::format("has {}; expected {}, as the header has", counted(static_cast<std::int64_t>(cells), "cell"),
                       columns_));
  }
  return true;
}

void HeadedTable::refuse(const std::string& what) const { rows_.fail_in_row(in_quotes(rows_.row()) + " " + what); }

}  // namespace ddl::scenario
