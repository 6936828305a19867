// The parts of the study validation: its measured cells, and what is claimed of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/studies/study.hpp"

namespace ddl::studies::validation {

// How long a link's queue was when it was measured, in seconds of traffic.
constexpr const char* short_queue = "0.05";
constexpr const char* long_queue = "0.2";

// The latency of cells on local networks, in milliseconds one way.
constexpr const char* local_ms = "0.1";

// How TCP is usually set.
constexpr const char* usual_congestion = "cubic";
constexpr const char* usual_after_idle = "on";

struct MeasuredCell {
  // As texts of the table. `after_idle`: whether a window that is not used shrinks ("on" or "off").
  std::string network, workers, megabytes, scheme, queue_s, latency_ms, compute_ms, stop_s, congestion, after_idle;
  std::vector<std::uint64_t> seeds;
  std::vector<double> cycles_s;  // by seed
  bool is_held_out = false;      // measured after the rules of the models were settled
  double mean() const;
  bool is_local() const { return latency_ms == local_ms; }
  bool has_usual_tcp() const { return congestion == usual_congestion && after_idle == usual_after_idle; }
};

// The tables that measure.sh and measure_wan.sh in results/validation write. Cells in order of network, workers,
// message size, and as in the table.
std::vector<MeasuredCell> read_measured(std::string_view csv);

// `column`: the network model; of local networks "tcp" is TCP, and "fair" was TCP with equal shares.
TablePosition place_of(const MeasuredCell& cell, const char* column);

std::vector<Claim> claims(const std::vector<MeasuredCell>& cells);

}  // namespace ddl::studies::validation
