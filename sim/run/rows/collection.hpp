// Puts together what a finished run hands on.
#pragma once

#include <vector>

#include "sim/network/totals.hpp"
#include "sim/run/experiment.hpp"
#include "sim/run/learning/learning_node.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/run/run_end.hpp"

namespace ddl::run {

// All that any runtime knows, checked; its own is left: faults, trace, measurement, and what the run cost. A
// run that learns has ended with an evaluation of these states. Throws InternalError.
RunResult collect(Experiment& experiment, const RunEnd& end, const std::vector<const LearningNode*>& nodes,
                  const std::vector<NodeState>& states, const network::Totals& network);

// Adds the cost of this process so far: cpu_s and peak_memory_bytes.
void add_process_cost(RunResult& result);

// Processor seconds of this process so far.
double cpu_seconds();

}  // namespace ddl::run
