// The parts of the study validation: its measured cells, and what is claimed of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/studies/reproduce/study.hpp"

namespace ddl::studies::validation {

// How long a link's queue was when it was measured, in seconds of traffic.
constexpr const char* short_queue = "0.05";
constexpr const char* long_queue = "0.2";

struct MeasuredCell {
  std::string network, workers, megabytes, scheme, queue_s, stop_s;  // as texts of the table
  std::vector<double> cycles_s;                                      // by run
  double mean() const;
};

// The table that results/validation/measure.sh writes. Cells in order of network, workers, message size, scheme and
// queue.
std::vector<MeasuredCell> read_measured(std::string_view csv);

TablePosition place_of(const MeasuredCell& cell, const char* sharing);

std::vector<Claim> claims(const std::vector<MeasuredCell>& cells);

}  // namespace ddl::studies::validation
