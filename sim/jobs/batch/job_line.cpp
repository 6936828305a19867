#include "sim/jobs/batch/job_line.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "core/base/field_value.hpp"
#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/reader.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::jobs {
namespace fs = std::filesystem;
namespace {

using scenario::Place;

// A job as it is written.
struct JobFile {
  AsWritten id, scenario;
  std::optional<std::string> folder, out;
  std::map<std::string, AsWritten> set;
  std::optional<std::uint64_t> seed;
  bool force = false;
};
template <class Visitor>
void fields(Visitor& visit, JobFile& job) {
  visit("id", job.id, Rule{});
  visit("scenario", job.scenario, Rule{});
  visit("folder", job.folder, Rule{});
  visit("set", job.set, Rule{.example = R"({"algorithm.partitions": 4})"});
  visit("seed", job.seed, Rule{});
  visit("out", job.out, Rule{});
  visit("force", job.force, Rule{});
}

void add_scenario(const JobFile& file, JobLine& job, const Place& root) {
  const Place place = root.at("scenario");
  if (file.scenario.text.empty()) return place.error("is missing; expected a scenario's file, or a scenario");
  const auto scenario = nlohmann::ordered_json::parse(file.scenario.text);
  if (scenario.is_string()) {
    job.file = scenario.get<std::string>();
    if (job.file.empty()) place.error("is empty; expected a scenario's file, or a scenario");
    if (file.folder) {
      root.at("folder").error(
          "is given, but the paths of a scenario in a file start where that lies; expected no "
          "such key, or a scenario as an object");
    }
  } else if (scenario.is_object()) {
    job.file = (fs::path(file.folder.value_or("")) / "scenario.json").string();
    job.text = file.scenario.text;
  } else {
    place.error(scenario::shown(scenario) + " is neither; expected a scenario's file, or a scenario");
  }
}

void check_out(const JobLine& job, const Place& place) {
  const std::string name = job.place().filename().string();
  if (!job.out.empty() && !name.empty() && !name.starts_with('.')) return;
  place.error(scenario::in_quotes(job.out) + " is no name of a folder; expected the run's own, such as " +
              "\"results/mine/1\"");
}

void read_job(const nlohmann::ordered_json& object, JobLine& job, const Place& root) {
  JobFile file;
  scenario::read_object(
      object, [&](FieldVisitor& visit) { fields(visit, file); }, {}, root);
  job.out = file.out.value_or("");
  job.seed = file.seed;
  job.force = file.force;
  add_scenario(file, job, root);
  for (const auto& [path, value] : file.set) job.overrides.push_back({path, value.text});
  const Place out = root.at("out");
  if (!file.out) return out.error("is missing; expected the run's own folder");
  if (root.findings.clean(out.path)) check_out(job, out);
}

}  // namespace

fs::path JobLine::place() const {
  std::error_code unknown;
  fs::path path = fs::weakly_canonical(fs::absolute(out, unknown), unknown);
  if (unknown) path = out;
  path = path.lexically_normal();
  return path.has_filename() ? path : path.parent_path();  // a slash at the end
}

JobLine read_job_line(const std::string& line, const std::string& name) {
  JobLine job;
  scenario::Findings findings(name);
  nlohmann::ordered_json object;
  const bool is_json = scenario::parse_json(line, findings, object);
  const Place root{findings, "$"};
  if (is_json && !object.is_object()) {
    root.error(scenario::shown(object) + " is no job; expected {\"id\": ..., \"scenario\": ..., \"out\": ...}");
  } else if (is_json) {
    if (object.contains("id")) job.id = object["id"];
    if (object.size() == 1 && object.contains("cancel")) {
      job.cancel = object["cancel"];
    } else {
      read_job(object, job, root);
    }
  }
  job.errors = findings.lines();
  return job;
}

}  // namespace ddl::jobs
