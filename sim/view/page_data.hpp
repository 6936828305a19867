// The data of the page, as JSON; page/model.js reads it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/results/reading/groups.hpp"

namespace ddl::view {

// Limits on what a page shows of a run, so that it opens quickly.
struct PageLimits {
  std::size_t curve_points = 300;
  std::size_t links = 24;
  std::size_t periods = 120;  // of each link, over time
  std::size_t matrix_nodes = 48;
  std::size_t timeline_workers = 32, timeline_servers = 8, timeline_spans = 600;
  std::size_t curve_workers = 16;       // of each run, with curves of their own
  std::size_t worker_values = 300'000;  // of all their curves together
};

nlohmann::ordered_json page_data(const results::GroupedRuns& runs, const PageLimits& limits = {});

// The parts of one run: its drawings.
nlohmann::ordered_json timeline_of(const results::FinishedRun& run, const PageLimits& limits);
// Curves of its first workers: of the evaluations `kept` at most `most_points`; "at" says which of them.
nlohmann::ordered_json worker_curves_of(const results::FinishedRun& run, std::size_t most_points,
                                        const std::vector<std::size_t>& kept, const PageLimits& limits);
nlohmann::ordered_json pairs_of(const results::FinishedRun& run, const PageLimits& limits);

// Six significant digits: enough for any screen. Values that are not finite become null.
nlohmann::ordered_json shortened(double number);

}  // namespace ddl::view
