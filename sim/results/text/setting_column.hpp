// A setting of several runs as a column: to people as scenarios have it, to programs in base units.
#pragma once

#include <string>
#include <vector>

#include "sim/results/text/table.hpp"

namespace ddl::results {

struct SettingColumn {
  // Where values are quantities, its key has their unit: platform.bandwidth_bit_per_s, platform.latency_s,
  // wire.model_bytes, platform.speed_flop_per_s.
  Column column;
  std::vector<Cell> cells;  // by run
};

// `values` are bare texts or JSON; "" and "none": the run has no such setting. Quantities of one kind, alone or in
// lists, become numbers; where a value is none, all stay as they are.
SettingColumn setting_column(const std::string& path, const std::vector<std::string>& values);

}  // namespace ddl::results
