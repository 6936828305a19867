// The parts of the study validation: its measured cells, and what is claimed of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/reproduce/study.hpp"

namespace ddl::validation {

struct MeasuredCell {
  std::string network, workers, megabytes, scheme, stop_s;  // as texts of the table
  std::vector<double> cycles_s;                             // by run
  double mean() const;
};

// The table that results/validation/measure.sh writes. Cells in order of network, workers and message size.
std::vector<MeasuredCell> read_measured(std::string_view csv);

Place place_of(const MeasuredCell& cell, const char* sharing);

std::vector<Claim> claims(const std::vector<MeasuredCell>& cells);

}  // namespace ddl::validation
