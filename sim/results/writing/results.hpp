// Result files, written whole or not at all, and the closing table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/experiment/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::results {

// DIR/<name>/<seed>, or, of a measured run's repetition (from 1), DIR/<name>-measured/<seed>, <seed>-2, ... Throws
// InputError if it holds a finished result of another scenario and not `force`, or cannot be written. To be called
// before a run (nothing lost) as well as by write_results.
std::string result_folder(const std::string& out, const scenario::Scenario& scenario, bool force, int repetition = 0);

// One of a result's files; `text` makes what is in it.
struct ResultFile {
  std::string name;
  std::function<std::string()> text;
};
// All but run.json and timing.json: tables first, and events before what is reckoned from them.
std::vector<ResultFile> result_files(const scenario::Scenario& scenario, const experiment::RunResult& result,
                                     const std::string& digest);

// Writes every file of the contract into a temporary folder beside the result and swaps it in. Returns the folder.
std::string write_results(const std::string& out, const scenario::Scenario& scenario,
                          const experiment::RunResult& result, bool force);

// summary.json's text.
std::string summary_json(const scenario::Scenario& scenario, const experiment::RunResult& result);

// What a person reads at the end of a run; `folder` is where the results are, "" when they were not written.
std::string closing_table(const scenario::Scenario& scenario, const experiment::RunResult& result,
                          const std::string& folder = "");

// "w1, step 17 at 3.4 s: its loss is not finite", or "" of a run that did not diverge.
std::string divergence_text(const experiment::RunResult& result);

// The digest over curve, traffic and final weights, 16 hex digits.
std::string digest_of(const experiment::RunResult& result);

}  // namespace ddl::results
