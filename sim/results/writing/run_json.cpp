#include "sim/results/writing/run_json.hpp"

#include <nlohmann/json.hpp>

#include "core/nn/math_mode.hpp"
#include "sim/results/identity/identity_json.hpp"

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const run::Measurement& measured) {
  return {{"kernel", measured.kernel},
          {"congestion_control", measured.congestion_control},
          {"links", measured.links},
          {"queue_s", measured.queue_bytes > 0 ? Json() : Json(measured.queue_s)},
          {"queue_bytes", measured.queue_bytes > 0 ? Json(measured.queue_bytes) : Json()},
          {"jitter_s", measured.jitter_s},
          {"loss", measured.loss},
          {"slow_start_after_idle", measured.slow_start_after_idle},
          {"compute", measured.compute},
          {"repetition", measured.repetition}};
}

}  // namespace

std::string run_json(const RunIdentity& identity, const std::string& digest,
                     const std::optional<run::Measurement>& measured,
                     const std::optional<platform::NetworkPlan>& network) {
  Json json = identity_json(identity);
  if (measured) json["measured"] = json_of(*measured);
  if (network) {
    json["network"] = {
        {"carried_by", name_of(network->carried_by)}, {"model", name_of(network->model)}, {"why", network->why}};
  }
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
