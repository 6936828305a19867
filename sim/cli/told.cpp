#include "sim/cli/told.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/cli/report_error.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/results/writing/closing_table.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/results/writing/trace_json.hpp"
#include "sim/results/writing/whole_file.hpp"

namespace ddl::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr double much_of_math = 0.5, worth_saying_s = 5;

// Evaluations are often most of what a run costs, and need not be.
std::string evaluation_hint(const run::RunResult& result) {
  if (result.evaluation_s < worth_saying_s || result.evaluation_s < much_of_math * result.math_s) return "";
  return fmt::format(
      "evaluations took {} of the math, {}; evaluate.samples, or fewer evaluations, make the run quicker",
      results::readable_share(result.evaluation_s / result.math_s), results::readable_seconds(result.evaluation_s));
}

}  // namespace

std::string tell_run(const scenario::Scenario& scenario, const run::RunResult& result, const std::string& source,
                     const std::filesystem::path& folder) {
  Json notes = Json::array();
  if (const std::string note = results::trace_note(result); !note.empty()) {
    notes.push_back(folder.string() + "/trace.json: " + note);
  }
  if (result.divergence) {
    notes.push_back(source + ": training diverged: " + results::divergence_text(result) + "; results end there");
  }
  const Json told = {
      {"notes", notes},
      {"hint", evaluation_hint(result)},
      {"table", results::closing_table(scenario, result, folder.string(), Terminal(STDOUT_FILENO).columns())}};
  return told.dump(-1, ' ', false, Json::error_handler_t::ignore);
}

void RunPrinter::print(const std::string& told, const std::filesystem::path& folder) {
  const Json json = Json::parse(told);
  for (const std::string note : json["notes"]) print_error(note);
  if (const std::string hint = json["hint"]; !hint.empty() && !quiet_) print_note(folder.string() + ": " + hint);
  if (json_) {
    summaries_.push_back(results::content_of((folder / "summary.json").string()));
    while (summaries_.back().ends_with('\n')) summaries_.back().pop_back();
  } else if (!quiet_) {
    std::cout << (first_ ? "" : "\n") << Terminal(STDOUT_FILENO).titled(json["table"].get<std::string>()) << std::flush;
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
