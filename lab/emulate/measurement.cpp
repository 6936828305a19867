#include "lab/emulate/measurement.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "sim/results/writing/readable.hpp"

namespace ddl::emulate {
namespace {

using Json = nlohmann::ordered_json;
using results::readable_bytes, results::readable_seconds, results::readable_share;

// Settings that repetitions have in common.
Json settings_of(const Measurement& measured) {
  return {{"kernel", measured.kernel},
          {"congestion_control", measured.congestion_control},
          {"links", measured.links},
          {"queue_s", measured.queue_bytes > 0 ? Json() : Json(measured.queue_s)},
          {"queue_bytes", measured.queue_bytes > 0 ? Json(measured.queue_bytes) : Json()},
          {"jitter_s", measured.jitter_s},
          {"loss", measured.loss},
          {"slow_start_after_idle", measured.slow_start_after_idle},
          {"compute", measured.compute}};
}

Json cost_of(const Measurement& measured) {
  Json cost = {{"precedence", measured.precedence},
               {"late_mean_s", measured.late_mean_s},
               {"late_max_s", measured.late_max_s},
               {"retransmitted_share", measured.retransmitted_share},
               {"own_share", measured.own_share},
               {"busy_share", measured.busy_share},
               {"soft_interrupt_share", measured.soft_interrupt_share}};
  if (const auto& box = measured.delay_box) {
    cost["delay_box"] = {{"packets", box->packets},
                         {"dropped", box->dropped},
                         {"lost", box->lost},
                         {"error_mean_s", box->error_mean_s},
                         {"error_p99_s", box->error_p99_s},
                         {"error_max_s", box->error_max_s},
                         {"processor_share", box->processor_share}};
  }
  return cost;
}

// "TCP (cubic), token buckets, queues of 50 ms, 0.6 % of segments sent again".
std::string text_of(const Measurement& measured) {
  const std::string queue =
      measured.queue_bytes > 0 ? readable_bytes(measured.queue_bytes) : readable_seconds(measured.queue_s);
  std::string text = fmt::format("TCP ({}), {}, queues of {}, {} of segments sent again", measured.congestion_control,
                                 measured.links, queue, readable_share(measured.retransmitted_share));
  if (const auto& box = measured.delay_box) {
    text += fmt::format("; 99 % of packets at most {} late, {} of a core", readable_seconds(box->error_p99_s),
                        readable_share(box->processor_share));
  }
  return text;
}

}  // namespace

void put_measurement(run::RunResult& result, const Measurement& measured) {
  const Json how = settings_of(measured);
  Json settings = Json::parse(result.settings);
  for (auto setting = settings.begin(); setting != settings.end();) {
    const bool simulated = setting.key().starts_with("platform.network.") && setting.key() != "platform.network.draw";
    setting = simulated ? settings.erase(setting) : std::next(setting);
  }
  for (const auto& [key, value] : how.items()) {
    if (!value.is_null()) settings["measured." + key] = value;
  }
  result.settings = settings.dump();
  Json of_this_run = how;
  of_this_run["repetition"] = measured.repetition;
  result.measured = {.how = of_this_run.dump(), .cost = cost_of(measured).dump(), .network = text_of(measured)};
}

}  // namespace ddl::emulate
