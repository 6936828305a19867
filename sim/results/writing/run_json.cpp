#include "sim/results/writing/run_json.hpp"

#include <algorithm>
#include <iterator>
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

// A measured run has how it was measured, instead of how networks are simulated.
void put_measured(Json& settings, const Json& measured) {
  for (auto setting = settings.begin(); setting != settings.end();) {
    const bool simulated = setting.key().starts_with("platform.network.") && setting.key() != "platform.network.draw";
    setting = simulated ? settings.erase(setting) : std::next(setting);
  }
  for (const auto& [key, value] : measured.items()) {
    if (key != "repetition" && !value.is_null()) settings["measured." + key] = value;
  }
}

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
  if (json.contains("measured")) put_measured(settings, json["measured"]);
  return settings;
}

}  // namespace

std::string run_json(const RunIdentity& identity, const std::string& digest, const run::RunResult& result) {
  Json json = identity_json(identity);
  if (result.measured) json["measured"] = json_of(*result.measured);
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
      {"measured.kernel", "", "kernel that had the TCP"},
      {"measured.congestion_control", "", "congestion control of every connection"},
      {"measured.links", "", "how links are made: token buckets, or delay box, over which TCP meets real round trips"},
      {"measured.queue_s", "s",
       "most time that traffic waits for a link, at its bandwidth; null if queue_bytes says it"},
      {"measured.queue_bytes", "bytes", "the same in bytes; null if queue_s says it"},
      {"measured.jitter_s", "s", "most by which the latency of a packet at a link differs, drawn uniformly"},
      {"measured.loss", "share", "share of packets that each link loses at random"},
      {"measured.slow_start_after_idle", "", "whether TCP forgets its window while a connection is idle (RFC 5681)"},
      {"measured.compute", "", "slept (gradients last as long as simulated) or real (as long as their math)"},
      {"measured.repetition", "", "number of the repetition, from 1"},
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
      {"measured.precedence", "", "precedence of the run's threads over other work: real-time, nice -20 or none"},
      {"measured.late_mean_s", "s", "mean time by which a sleep ended late: what the machine adds to a gradient"},
      {"measured.late_max_s", "s", "most time by which a sleep ended late"},
      {"measured.retransmitted_share", "share",
       "share of TCP's segments that were sent again because the network had dropped them"},
      {"measured.own_share", "share", "share of all cores' time that the run's threads took"},
      {"measured.busy_share", "share", "share of it that all programs took"},
      {"measured.soft_interrupt_share", "share",
       "share of it that the kernel took in soft interrupts, such as its TCP"},
      {"measured.delay_box.packets", "", "packets that hosts sent"},
      {"measured.delay_box.dropped", "", "packets that full queues dropped"},
      {"measured.delay_box.lost", "", "packets lost at random"},
      {"measured.delay_box.error_mean_s", "s", "mean time from when a packet should have come out to when it did"},
      {"measured.delay_box.error_p99_s", "s", "99th percentile of that time"},
      {"measured.delay_box.error_max_s", "s", "maximum of that time"},
      {"measured.delay_box.processor_share", "share",
       "share of one core that the thread took which carries packets, with the kernel's TCP that it drives"},
  };
}

}  // namespace ddl::results
