#include <filesystem>
#include <iostream>

#include "sim/cli/commands.hpp"
#include "sim/record/readable.hpp"
#include "sim/record/whole_file.hpp"
#include "sim/report/report.hpp"
#include "sim/results/find_results.hpp"

namespace ddl {

void report(const ReportSettings& settings) {
  std::vector<FinishedRun> runs;
  for (const auto& folder : find_results(settings.results)) runs.push_back(read_finished(folder));
  const std::filesystem::path first = settings.results.front();
  const std::string name = runs.size() == 1           ? runs.front().name
                           : first.filename().empty() ? first.parent_path().filename().string()
                                                      : first.filename().string();
  const std::string title = !settings.title.empty()       ? settings.title
                            : settings.results.size() > 1 ? name + " and others"
                                                          : name;
  const auto bytes = static_cast<double>(write_report(settings.file, title, group_runs(std::move(runs))));
  beside(settings.file) << settings.file << ", " << readable_bytes(bytes) << "\n";
}

}  // namespace ddl
