#include "sim/jobs/batch/job_line.hpp"

#include <system_error>

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/read_scalars.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::jobs {
namespace fs = std::filesystem;
namespace {

using scenario::Place;

const std::vector<std::string> keys_of_jobs = {"id", "scenario", "folder", "set", "seed", "out", "force"};

void read_scenario(const nlohmann::json& object, JobLine& job, const Place& root) {
  const auto found = object.find("scenario");
  const Place place = root.at("scenario");
  if (found == object.end()) return place.error("is missing; expected a scenario's file, or a scenario");
  std::string folder;
  if (object.contains("folder")) scenario::read_text(object["folder"], folder, root.at("folder"));
  if (found->is_string()) {
    job.file = *found;
    if (job.file.empty()) place.error("is empty; expected a scenario's file, or a scenario");
    if (object.contains("folder")) {
      root.at("folder").error(
          "is given, but the paths of a scenario in a file start where that lies; expected no "
          "such key, or a scenario as an object");
    }
  } else if (found->is_object()) {
    job.file = (fs::path(folder) / "scenario.json").string();
    job.text = found->dump();
  } else {
    place.error(scenario::shown(*found) + " is neither; expected a scenario's file, or a scenario");
  }
}

void read_changes(const nlohmann::json& object, JobLine& job, const Place& root) {
  const auto found = object.find("set");
  if (found == object.end()) return;
  if (!found->is_object()) {
    return root.at("set").error(scenario::shown(*found) + " is no object; expected {\"algorithm.partitions\": 4}");
  }
  for (const auto& [path, value] : found->items()) job.overrides.push_back({path, value.dump()});
}

void read_out(const nlohmann::json& object, JobLine& job, const Place& root) {
  const Place place = root.at("out");
  if (!object.contains("out")) return place.error("is missing; expected the run's own folder");
  scenario::read_text(object["out"], job.out, place);
  const std::string name = job.place().filename().string();
  if (object["out"].is_string() && (job.out.empty() || name.empty() || name.starts_with('.'))) {
    place.error(scenario::in_quotes(job.out) + " is no name of a folder; expected the run's own, such as " +
                "\"results/mine/1\"");
  }
}

void read_job(const nlohmann::json& object, JobLine& job, const Place& root) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(keys_of_jobs, key) != keys_of_jobs.end()) continue;
    root.at(key).error("is an unknown key; " +
                       scenario::nearest_or(key, keys_of_jobs, "known keys are " + scenario::listed(keys_of_jobs)));
  }
  read_scenario(object, job, root);
  read_changes(object, job, root);
  read_out(object, job, root);
  if (object.contains("seed")) scenario::read_unsigned(object["seed"], job.seed.emplace(), {}, root.at("seed"));
  if (object.contains("force")) scenario::read_bool(object["force"], job.force, root.at("force"));
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
  nlohmann::json object;
  const bool is_json = scenario::parse_json(line, findings, object);
  const Place root{findings, "$"};
  if (is_json && !object.is_object()) {
    root.error(scenario::shown(object) + " is no job; expected {\"id\": ..., \"scenario\": ..., \"out\": ...}");
  } else if (is_json) {
    job.id = object.value("id", nlohmann::json());
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
