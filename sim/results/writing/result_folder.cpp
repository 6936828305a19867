#include "sim/results/writing/result_folder.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/check.hpp"
#include "sim/results/identity/earlier_run.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/results/writing/whole_file.hpp"

namespace ddl::results {
namespace fs = std::filesystem;
namespace {

using scenario::Scenario;

std::string joined(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

// Whether something stands at `place` of which the question is what it is: no empty folder.
bool is_taken(const fs::path& place, Replace replace) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(place, error);
  if (!fs::exists(status)) return false;
  if (!fs::is_directory(status)) throw InputError(place.string() + ": is not a folder; results need one of this name");
  return replace != Replace::anything && (!fs::is_empty(place, error) || error);
}

// Throws unless what stands at `place` is a result that this run's may replace.
void check_replaceable(const fs::path& place, const RunIdentity& identity, bool measured, Replace replace) {
  EarlierRun earlier = compare_with_earlier(identity, content_of((place / "run.json").string()), measured);
  if (!earlier.readable) {
    throw InputError(place.string() + ": holds no result of ddlsim (no readable run.json) and is left alone; use " +
                     "another name or --out");
  }
  std::erase(earlier.differences, "record");  // more or fewer files of the same run
  if (replace == Replace::same_scenario && !earlier.differences.empty()) {
    const bool only_stop = std::ranges::all_of(earlier.differences, [](const std::string& key) {
      return key == "stop" || key == "evaluate";  // whose default follows the end
    });
    throw InputError(place.string() + ": holds the result of another scenario (" + joined(earlier.differences) +
                     (earlier.differences.size() == 1 ? " differs" : " differ") +
                     "); use --force to replace it, or another name or --out" +
                     (only_stop ? "; a run with another stop starts at 0 again, it does not go on" : ""));
  }
}

}  // namespace

// `name` must be the name of one folder: results of one scenario never land among another's, or outside.
fs::path result_folder(const std::string& out, const Scenario& scenario) {
  const std::string& name = scenario.name;
  if (name.empty() || name.starts_with('.') || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos) {
    throw InputError("the scenario's name \"" + name +
                     "\" cannot name the results' folder; expected no slash and no dot in front");
  }
  return fs::path(out.empty() ? "." : out) / name / std::to_string(scenario.seed);
}

void check_place(const fs::path& place, const Scenario& scenario, Replace replace, bool measured) {
  if (is_taken(place, replace)) check_replaceable(place, Identities().of(scenario), measured, replace);
  check_can_make(place);
}

void publish_result(StagedFolder& folder, const fs::path& place, const RunIdentity& identity, bool measured,
                    Replace replace) {
  // Another program may put a result there at any time; then the question is whether that one may be replaced.
  constexpr int most_attempts = 100;
  for (int attempt = 1;; ++attempt) {
    if (is_taken(place, replace)) check_replaceable(place, identity, measured, replace);
    try {
      return folder.publish(is_result_file);
    } catch (const TargetAppeared&) {
      if (attempt == most_attempts) throw;
    }
  }
}

}  // namespace ddl::results
