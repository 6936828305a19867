#include "sim/results/writing/run_json.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "core/nn/kernels/blas.hpp"
#include "core/nn/math_mode.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;

Json program() {
  return {{"program", "ddlsim"},
          {"version", DDLSIM_VERSION},
          {"build", program_digest()},
          {"simgrid", DDLSIM_SIMGRID_VERSION}};
}

// Of what the scenario does not decide, without regard to order.
std::string identity_of(nlohmann::json provenance, const nlohmann::json& schema_version) {
  provenance.erase("math_mode");
  provenance.erase("math_kernels");
  return schema_version.dump() + provenance.dump();
}

// The part of a scenario's provenance that is the machine's.
Json math_of(const scenario::Scenario& scenario) {
  const nn::MathMode math = nn::math_that_runs(scenario.math.mode);
  const bool native = math == nn::MathMode::native;
  return {{"math_mode", name_of(math)},
          {"math_kernels", native ? nn::blas_kernels() : "own, the same bits on every CPU"}};
}

// How the math of a run with this provenance was made: of native math also the library and its kernels for the CPU,
// which decide the last bits.
std::string math_in(const nlohmann::json& provenance) {
  const auto word = [&](const char* key) {
    const nlohmann::json value = provenance.value(key, nlohmann::json());
    return value.is_string() ? value.get<std::string>() : "";
  };
  const std::string mode = word("math_mode");
  return mode == name_of(nn::MathMode::native) ? mode + ", " + word("math_kernels") : mode;
}

Json json_of(const std::vector<FileDigest>& files) {
  auto json = Json::object();
  for (const FileDigest& file : files) json[file.name] = file.digest;
  return json;
}

// A scenario with what its platform and its data are in place of where they lie.
nlohmann::json by_content(nlohmann::json scenario, const nlohmann::json& digests) {
  const auto replace = [&](const char* part, const char* path, const char* digest) {
    if (!scenario.contains(part) || !scenario[part].is_object() || !scenario[part].contains(path)) return;
    scenario[part].erase(path);
    scenario[part]["content"] = digests.value(digest, nlohmann::json::object());
  };
  replace("platform", "file", "platform_digest");
  replace("data", "path", "data_digests");
  return scenario;
}

// Without what changes no result.
nlohmann::json compared(nlohmann::json scenario, const nlohmann::json& digests) {
  scenario.erase("description");
  return by_content(std::move(scenario), digests);
}

}  // namespace

std::string run_json(const scenario::Scenario& scenario, const Inputs& inputs, const std::string& digest,
                     const std::optional<run::Measurement>& measured,
                     const std::optional<platform::NetworkPlan>& network) {
  Json json;
  json["schema_version"] = result_schema_version;
  json["scenario"] = Json::parse(scenario::describe_run(scenario));
  json["provenance"] = program();
  json["provenance"].update(math_of(scenario));
  if (measured) {
    json["measured"] = {{"kernel", measured->kernel},
                        {"congestion_control", measured->congestion_control},
                        {"links", measured->links},
                        {"queue_s", measured->queue_bytes > 0 ? Json() : Json(measured->queue_s)},
                        {"queue_bytes", measured->queue_bytes > 0 ? Json(measured->queue_bytes) : Json()},
                        {"jitter_s", measured->jitter_s},
                        {"loss", measured->loss},
                        {"slow_start_after_idle", measured->slow_start_after_idle},
                        {"compute", measured->compute},
                        {"repetition", measured->repetition}};
  }
  json["platform_digest"] = inputs.platform_digest;
  json["data_digests"] = json_of(inputs.data);
  if (network) {
    json["network"] = {{"carried_by", name_of(network->carried_by)},
                       {"model", name_of(network->model)},
                       {"sharing", network->sharing ? Json(name_of(*network->sharing)) : Json()},
                       {"why", network->why}};
  }
  json["digest"] = digest;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string program_identity() { return identity_of(program(), result_schema_version); }

EarlierRun compare_with_run_json(const scenario::Scenario& scenario, const Inputs& inputs, const std::string& text,
                                 bool measured) {
  using Unordered = nlohmann::json;
  const Unordered run = Unordered::parse(text, nullptr, false);
  if (!run.is_object() || !run.contains("schema_version") || !run.contains("scenario") ||
      !run["scenario"].is_object()) {
    return {};
  }
  const Unordered theirs = compared(run["scenario"], run);
  const Unordered ours =
      compared(Unordered::parse(scenario::describe_run(scenario)),
               {{"platform_digest", inputs.platform_digest}, {"data_digests", json_of(inputs.data)}});
  std::set<std::string> keys;
  for (const auto& [key, value] : theirs.items()) keys.insert(key);
  for (const auto& [key, value] : ours.items()) keys.insert(key);
  EarlierRun earlier{.readable = true, .differences = {}, .identity = "", .other_math = {}};
  const Unordered provenance = run.value("provenance", Unordered());
  if (provenance.is_object()) {
    earlier.identity = identity_of(provenance, run["schema_version"]);
    const std::string math = math_in(provenance);
    if (!scenario.model.none() && math != math_in(math_of(scenario))) earlier.other_math = math;
  }
  if (run.contains("measured") != measured) earlier.differences.push_back("measured");
  for (const std::string& key : keys) {
    if (theirs.value(key, Unordered()) != ours.value(key, Unordered())) earlier.differences.push_back(key);
  }
  return earlier;
}

bool is_run_json_of(const scenario::Scenario& scenario, const Inputs& inputs, const std::string& identity,
                    const std::string& text) {
  const EarlierRun earlier = compare_with_run_json(scenario, inputs, text);
  return earlier.readable && earlier.differences.empty() && earlier.identity == identity && !earlier.other_math;
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
  const std::filesystem::path data = scenario.data.path;
  if (!data.empty() && data.is_relative()) json["scenario_folder"] = way(folder, scenario::resolve_path(scenario, "."));
  if (const auto& measured = result.measured) {
    json["measured"] = {{"precedence", measured->precedence},
                        {"late_mean_s", measured->late_mean_s},
                        {"late_max_s", measured->late_max_s},
                        {"retransmitted_share", measured->retransmitted_share},
                        {"own_share", measured->own_share},
                        {"busy_share", measured->busy_share},
                        {"soft_interrupt_share", measured->soft_interrupt_share}};
    if (const auto& box = measured->delay_box) {
      json["measured"]["delay_box"] = {{"packets", box->packets},
                                       {"dropped", box->dropped},
                                       {"lost", box->lost},
                                       {"error_mean_s", box->error_mean_s},
                                       {"error_p99_s", box->error_p99_s},
                                       {"error_max_s", box->error_max_s},
                                       {"processor_share", box->processor_share}};
    }
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ddl::results
