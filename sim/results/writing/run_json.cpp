#include "sim/results/writing/run_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/nn/math_mode.hpp"
#include "sim/results/identity/identity_json.hpp"

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;

// Files are known by their content: the platform's, those of data and of first weights, the library that the system
// came from, and those of a program that computes the model, among the words of its command.
Json settings_of(const RunIdentity& identity, const Json& json, const run::RunResult& result) {
  Json settings = result.settings.empty() ? Json::object() : Json::parse(result.settings);
  const Json& scenario = json["scenario"];
  if (!identity.command.empty()) {
    settings["model.command"] = identity.command;
    settings["model.version"] = json["model_version"];
  }
  if (scenario["platform"].contains("file")) settings["platform_digest"] = identity.platform_digest;
  if (!identity.data.empty()) settings["data_digest"] = digest_of(identity.data);
  if (const auto& plug_ins = identity.program.plug_ins; !plug_ins.empty()) {
    settings["plug_in_digest"] = plug_ins.front().digest;
  }
  if (settings.value("math.mode", "") == name_of(nn::MathMode::native))
    settings["math.kernels"] = identity.math.kernels;
  return settings;
}

}  // namespace

std::string run_json(const RunIdentity& identity, const std::string& digest, const run::RunResult& result) {
  Json json = identity_json(identity);
  if (result.measured) json["measured"] = Json::parse(result.measured->how);
  if (const auto& network = result.network) {
    json["network"] = {
        {"carried_by", name_of(network->carried_by)}, {"model", name_of(network->model)}, {"why", network->why}};
  }
  json["settings"] = settings_of(identity, json, result);
  json["digest"] = digest;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

// From one folder to another, through no symbolic link; "" if either is unknown.
std::string way(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code unknown;
  const auto start = std::filesystem::weakly_canonical(std::filesystem::absolute(from, unknown), unknown);
  if (unknown) return "";
  const auto end = std::filesystem::weakly_canonical(std::filesystem::absolute(to, unknown), unknown);
  return unknown ? "" : end.lexically_relative(start).string();
}

}  // namespace

std::string timing_json(const scenario::Scenario& scenario, const run::RunResult& result,
                        const std::filesystem::path& folder) {
  nlohmann::ordered_json json;
  json["wall_seconds"] = result.wall_s;
  json["cpu_seconds"] = result.cpu_s;
  json["peak_memory_bytes"] = static_cast<std::int64_t>(result.peak_memory_bytes);
  json["events"] = result.events;
  json["events_per_s"] = result.wall_s > 0 ? static_cast<double>(result.events) / result.wall_s : 0.0;
  json["math_kernels"] = nn::math_kernels(scenario.math.mode);
  json["math_seconds"] = result.math_s;
  json["math_share"] = result.cpu_s > 0 ? result.math_s / result.cpu_s : 0.0;
  json["evaluation_seconds"] = result.evaluation_s;
  json["evaluation_share"] = result.math_s > 0 ? result.evaluation_s / result.math_s : 0.0;
  scenario::Scenario copy = scenario;
  const auto is_relative = [](const std::string* path) { return std::filesystem::path(*path).is_relative(); };
  if (scenario.program || std::ranges::any_of(scenario::content_paths(copy), is_relative)) {
    json["scenario_folder"] = way(folder, scenario::resolve_path(scenario, "."));
  }
  if (result.measured) json["measured"] = nlohmann::ordered_json::parse(result.measured->cost);
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::vector<ColumnEntry> run_json_keys() {
  return {
      {"schema_version", "", "version of these files; raised when their readers must know"},
      {"scenario", "",
       "the resolved scenario, every default filled in, as a scenario file; relative paths start where the scenario "
       "lay; the platform is platform.xml beside it"},
      {"provenance.program", "", "the program's name, ddlsim"},
      {"provenance.version", "", "version of the program"},
      {"provenance.build", "", "digest of the executable, 16 hexadecimal digits"},
      {"provenance.simgrid", "", "version of SimGrid it was built with"},
      {"provenance.plug_ins", "", "digest of the library that the system came from, by its name; absent without one"},
      {"provenance.math_mode", "",
       "mode that ran, also where the scenario says auto; portable: the same bits on every machine; native: another "
       "kind of CPU may differ in the last bits"},
      {"provenance.math_kernels", "",
       "what formed the matrix products; when native, the library and its kernels for this CPU"},
      {"platform_digest", "", "digest of platform.xml"},
      {"data_digests", "", "digest of each data file, by its name"},
      {"model_digests", "",
       "of a model that a program computes: digest of each file that its command names, by its name"},
      {"model_version", "", "likewise: what the program says of itself"},
      {"measured", "", "of a run that was measured over real TCP: how; absent elsewhere, see results/validation"},
      {"network.carried_by", "",
       "what carried the messages: simgrid, accelerator or packets; a measured run has no network.*"},
      {"network.model", "", "network model that ran: TCP, packets or CM02"},
      {"network.why", "", "why messages were carried so; with packets, why with this model"},
      {"settings", "",
       "every setting that took effect, defaults included: an object from path to value; numbers in SI base units "
       "(bit/s, s, bytes, flop/s), lists as lists; without the seed, what changes no result, and the paths of files"},
      {"settings.platform_digest", "", "where the platform is a file's: digest of its text"},
      {"settings.data_digest", "", "where there are files of data or of first weights: digest of them together"},
      {"settings.plug_in_digest", "", "where the system came from a library: its digest"},
      {"settings.model.command", "", "of a model that a program computes: its command, a file's name as its digest"},
      {"settings.model.version", "", "likewise: what the program says of itself"},
      {"settings.math.kernels", "", "where math.mode is native: as in provenance, for they decide the last bits"},
      {"settings.measured", "", "of a measured run: as in measured, instead of platform.network"},
      {"digest", "", "as in summary.json"},
  };
}

std::vector<ColumnEntry> timing_json_keys() {
  return {
      {"wall_seconds", "s", "real time of the run"},
      {"cpu_seconds", "s", "processor time of all its threads"},
      {"peak_memory_bytes", "bytes", "largest resident memory"},
      {"events", "", "messages sent and steps finished"},
      {"events_per_s", "1/s", "events per second of real time"},
      {"math_kernels", "",
       "what formed the matrix products on this CPU: our own kernels, which all give the same bits, or a library and "
       "its kernels"},
      {"math_seconds", "s", "processor time in gradients and evaluations, over all math threads"},
      {"math_share", "share", "math_seconds over cpu_seconds"},
      {"evaluation_seconds", "s", "part of math_seconds in evaluations"},
      {"evaluation_share", "share", "evaluation_seconds over math_seconds"},
      {"scenario_folder", "",
       "way from the result's folder to the scenario's, where it names files by relative paths: run --verify-digest "
       "finds "
       "them so"},
      {"measured", "", "of a measured run: how exact it was, and what else the machine did"},
  };
}

}  // namespace ddl::results
