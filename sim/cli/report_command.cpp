#include <filesystem>
#include <iostream>

#include "sim/cli/commands.hpp"
#include "sim/results/reading/find_results.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/view/plots/panels.hpp"
#include "sim/view/report.hpp"

namespace ddl::cli {

void report(const ReportSettings& settings) {
  std::vector<results::FinishedRun> runs;
  for (const auto& folder : results::find_results(settings.results)) runs.push_back(results::read_finished(folder));
  const std::filesystem::path first = settings.results.front();
  const std::string name = runs.size() == 1           ? runs.front().name
                           : first.filename().empty() ? first.parent_path().filename().string()
                                                      : first.filename().string();
  const std::string title = !settings.title.empty()       ? settings.title
                            : settings.results.size() > 1 ? name + " and others"
                                                          : name;
  results::GroupedRuns grouped = results::group_runs(std::move(runs));
  view::drop_what_is_decided(grouped);
  const auto bytes = static_cast<double>(view::write_report(settings.file, title, grouped, settings.answer));
  results::message_stream(settings.file) << settings.file << ", " << results::readable_bytes(bytes) << "\n";
}

}  // namespace ddl::cli
