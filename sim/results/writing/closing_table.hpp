// The table that a run shows when it ends.
#pragma once

#include <string>

#include "sim/results/text/layout.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::results {

// `folder` is where the results are, "" when they are not written. Lines have at most `width` letters.
std::string closing_table(const scenario::Scenario& scenario, const run::RunResult& result,
                          const std::string& folder = "", std::size_t width = text_columns);

// "w1, step 17 at 3.4 s: its loss is not finite", or "" of a run that did not diverge.
std::string divergence_text(const run::RunResult& result);

}  // namespace ddl::results
