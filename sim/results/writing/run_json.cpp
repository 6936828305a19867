#include "sim/results/writing/run_json.hpp"

#include <algorithm>

#include "core/nn/math_mode.hpp"
#include "sim/results/identity/identity_json.hpp"

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;
using run::RunResult;

// Files are known by their content: the platform's, those of data and of first weights, the library that the system
// came from, and those of a program that computes the model, among the words of its command.
Keys file_settings(const RunIdentity& identity, const Json& settings) {
  const bool is_programs = !identity.command.empty();
  const Json scenario = Json::parse(identity.scenario, nullptr, false);
  const bool has_file = scenario.is_object() && scenario["platform"].contains("file");
  const bool is_native = settings.value("math.mode", "") == name_of(nn::MathMode::native);
  const auto& plug_ins = identity.program.plug_ins;
  return {
      {"settings.model.command", "", "of a model that a program computes: its command, a file's name as its digest",
       is_programs ? Json(identity.command) : left_out()},
      {"settings.model.version", "", "likewise: what the program says of itself",
       is_programs ? or_null(identity.model_version) : left_out()},
      {"settings.platform_digest", "", "where the platform is a file's: digest of its text",
       has_file ? Json(identity.platform_digest) : left_out()},
      {"settings.data_digest", "", "where there are files of data or of first weights: digest of them together",
       identity.data.empty() ? left_out() : Json(digest_of(identity.data))},
      {"settings.plug_in_digest", "", "where the system came from a library: its digest",
       plug_ins.empty() ? left_out() : Json(plug_ins.front().digest)},
      {"settings.math.kernels", "", "where math.mode is native: as in provenance, for they decide the last bits",
       is_native ? Json(identity.math.kernels) : left_out()},
  };
}

Keys run_keys(const RunIdentity& identity, const RunResult& result, const std::string& digest) {
  const auto& network = result.network;
  const Json settings = result.settings.empty() ? Json::object() : Json::parse(result.settings);
  Keys keys = identity_keys(identity);
  const auto add = [&](const Keys& more) { keys.insert(keys.end(), more.begin(), more.end()); };
  add({
      {"measured", "",
       "of a run over real TCP: how it was measured (results/validation/README.md); settings have it, too",
       result.measured ? Json::parse(result.measured->how) : left_out()},
      {"network.carried_by", "",
       "what carried the messages: simgrid, accelerator or packets; a measured run has no network.*",
       network ? Json(name_of(network->carried_by)) : left_out()},
      {"network.model", "", "network model that ran: TCP, packets or CM02",
       network ? Json(name_of(network->model)) : left_out()},
      {"network.why", "", "why messages were carried so; with packets, why with this model",
       network ? Json(network->why) : left_out()},
      {"settings", "",
       "every setting that took effect, defaults included: an object from path to value; numbers in SI base units "
       "(bit/s, s, bytes, flop/s), lists as lists; without the seed, what changes no result, and the paths of files",
       settings},
  });
  add(file_settings(identity, settings));
  add({{"digest", "", "as in summary.json", digest}});
  return keys;
}

// From one folder to another, through no symbolic link; "" if either is unknown.
std::string way(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code unknown;
  const auto start = std::filesystem::weakly_canonical(std::filesystem::absolute(from, unknown), unknown);
  if (unknown) return "";
  const auto end = std::filesystem::weakly_canonical(std::filesystem::absolute(to, unknown), unknown);
  return unknown ? "" : end.lexically_relative(start).string();
}

// True if a scenario names files by paths relative to its own folder.
bool has_relative_paths(scenario::Scenario scenario) {
  return scenario.program || std::ranges::any_of(scenario::content_paths(scenario), [](const std::string* path) {
           return std::filesystem::path(*path).is_relative();
         });
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

Keys timing_keys(const scenario::Scenario& scenario, const RunResult& result, const std::filesystem::path& folder) {
  return {
      {"wall_seconds", "s", "real time of the run", result.wall_s},
      {"cpu_seconds", "s", "processor time of all its threads", result.cpu_s},
      {"peak_memory_bytes", "bytes", "largest resident memory", count_number(result.peak_memory_bytes)},
      {"is_replay", "", "true where losses and models are what another run learned, of other times: it computed none",
       result.is_replay ? Json(true) : left_out()},
      {"events", "", "messages sent and steps finished", result.events},
      {"events_per_s", "1/s", "events per second of real time",
       share(static_cast<double>(result.events), result.wall_s)},
      {"math_kernels", "",
       "what formed the matrix products on this CPU: our own kernels, which all give the same bits, or a library and "
       "its kernels",
       nn::math_kernels(scenario.math.mode)},
      {"math_seconds", "s", "processor time in gradients and evaluations, over all math threads", result.math_s},
      {"math_share", "share", "math_seconds over cpu_seconds", share(result.math_s, result.cpu_s)},
      {"evaluation_seconds", "s", "part of math_seconds in evaluations", result.evaluation_s},
      {"evaluation_share", "share", "evaluation_seconds over math_seconds", share(result.evaluation_s, result.math_s)},
      {"scenario_folder", "",
       "way from the result's folder to the scenario's, where it names files by relative paths: run --verify-digest "
       "finds them so",
       has_relative_paths(scenario) ? Json(way(folder, scenario::resolve_path(scenario, "."))) : left_out()},
      {"measured", "", "how exact a measured run was, and what else the machine did (results/validation/README.md)",
       result.measured ? Json::parse(result.measured->cost) : left_out()},
  };
}

}  // namespace

std::string run_json(const RunIdentity& identity, const std::string& digest, const RunResult& result) {
  return json_text(run_keys(identity, result, digest));
}

std::string timing_json(const scenario::Scenario& scenario, const RunResult& result,
                        const std::filesystem::path& folder) {
  return json_text(timing_keys(scenario, result, folder));
}

std::vector<ColumnEntry> run_json_keys() { return dictionary_of(run_keys({}, {}, "")); }

std::vector<ColumnEntry> timing_json_keys() { return dictionary_of(timing_keys({}, {}, {})); }

}  // namespace ddl::results
