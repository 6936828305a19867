// The parts of the study validation: its measured cells, and what is claimed of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/studies/reproduce/study.hpp"

namespace ddl::studies::validation {

// How long a link's queue was when it was measured, in seconds of traffic.
constexpr const char* short_queue = "0.05";
constexpr const char* long_queue = "0.2";

// The latency of cells on local networks, in milliseconds one way.
constexpr const char* local_ms = "0.1";

struct MeasuredCell {
  std::string network, workers, megabytes, scheme, queue_s, latency_ms, compute_ms, stop_s;  // as texts of the table
  std::vector<std::uint64_t> seeds;
  std::vector<double> cycles_s;  // by seed
  double mean() const;
  bool is_local() const { return latency_ms == local_ms; }
};

// The tables that measure.sh and measure_wan.sh in results/validation write. Cells in order of network, workers,
// message size, and as in the table; those with TCP as it is usually set.
std::vector<MeasuredCell> read_measured(std::string_view csv);

// `column`: of local networks the sharing, else the network model.
TablePosition place_of(const MeasuredCell& cell, const char* column);

std::vector<Claim> claims(const std::vector<MeasuredCell>& cells);

}  // namespace ddl::studies::validation
