#include "sim/cli/told.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/cli/report_error.hpp"
#include "sim/results/writing/closing_table.hpp"
#include "sim/results/writing/trace_json.hpp"
#include "sim/results/writing/whole_file.hpp"

namespace ddl::cli {

using Json = nlohmann::ordered_json;

std::string tell_run(const scenario::Scenario& scenario, const experiment::RunResult& result, const std::string& source,
                     const std::filesystem::path& folder) {
  Json notes = Json::array();
  if (const std::string note = results::trace_note(result); !note.empty()) {
    notes.push_back(folder.string() + "/trace.json: " + note);
  }
  if (result.divergence) {
    notes.push_back(source + ": training diverged: " + results::divergence_text(result) + "; results end there");
  }
  const Json told = {{"notes", notes}, {"table", results::closing_table(scenario, result, folder.string())}};
  return told.dump(-1, ' ', false, Json::error_handler_t::ignore);
}

void RunPrinter::print(const std::string& told, const std::filesystem::path& folder) {
  const Json json = Json::parse(told);
  for (const std::string note : json["notes"]) print_error(note);
  if (json_) {
    summaries_.push_back(results::content_of((folder / "summary.json").string()));
    while (summaries_.back().ends_with('\n')) summaries_.back().pop_back();
  } else if (!quiet_) {
    std::cout << (first_ ? "" : "\n") << json["table"].get<std::string>() << std::flush;
  }
  first_ = false;
}

void RunPrinter::end() const {
  if (!json_) return;
  std::string list;
  for (const std::string& summary : summaries_) list += (list.empty() ? "" : ",\n") + summary;
  std::cout << (summaries_.size() == 1 ? list : "[\n" + list + "\n]") << "\n";
}

}  // namespace ddl::cli
