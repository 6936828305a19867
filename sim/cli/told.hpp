// Messages from a run's process to the command that started it, beside the files of the result.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::cli {

// In the run's process, as text. `source` is what the user calls the scenario, `folder` where its result goes.
std::string tell_run(const scenario::Scenario& scenario, const run::RunResult& result, const std::string& source,
                     const std::filesystem::path& folder);

// Prints runs as they end: their closing tables, or with --json all summaries at the end, as one JSON text.
class RunPrinter {
 public:
  RunPrinter(bool json, bool quiet) : json_(json), quiet_(quiet) {}
  // `told` is what tell_run said of the result that is now in `folder`.
  void print(const std::string& told, const std::filesystem::path& folder);
  void end() const;

 private:
  bool json_, quiet_;
  bool first_ = true;
  std::vector<std::string> summaries_;
};

}  // namespace ddl::cli
