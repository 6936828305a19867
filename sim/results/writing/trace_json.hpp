// trace.json, which Perfetto and chrome://tracing open, and links.csv: a traced run moment by moment.
//
// A process per node. Its thread "steps" has a span per step with the gradients in it and the waiting between them;
// what overlaps lies in as many threads "send", "receive" and "work" as are needed, so that the spans of a thread never
// cross. A sender is busy until the last byte has left, a receiver from when the first arrives: one latency later each.
// An arrow leads from each sending to its receiving. Counters: how busy each
// link is; per node staleness, messages that wait, test accuracy and loss. An instant per evaluation. Times are
// microseconds, to the nanosecond. Source: Trace Event Format,
// docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
#pragma once

#include <string>
#include <vector>

#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::results {

// `result` has a trace.
std::string trace_json(const scenario::Scenario& scenario, const run::RunResult& result);
// The rows of links.csv.
std::vector<run::LinkPeriod> link_periods(const run::RunResult& result);

// One line about a trace that had to end before the run, or "".
std::string trace_note(const run::RunResult& result);

}  // namespace ddl::results
