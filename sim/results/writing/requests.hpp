// Requests for predictions and their answers: the figures of summary.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/results/writing/summary.hpp"
#include "sim/run/rows/run_result.hpp"

namespace ddl::results {

// Answers given by one node.
struct ExitSummary {
  int node = 0;
  double share = 0;     // among all requests
  double accuracy = 0;  // over its own answers
};

// The answers at one threshold; without thresholds, all.
struct RequestSummary {
  std::optional<double> threshold;
  std::int64_t requests = 0;
  double accuracy = 0;
  Distribution latency_s;
  double bytes_per_request = 0;
  std::vector<ExitSummary> exits;  // by node; those that answered
};

std::vector<RequestSummary> summarise_requests(const std::vector<Answer>& answers);

}  // namespace ddl::results
