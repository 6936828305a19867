#include "sim/results/writing/timing_json.hpp"

#include <nlohmann/json.hpp>

#include "core/nn/kernels/tile.hpp"

namespace ddl::results {

std::string timing_json(const experiment::RunResult& result) {
  nlohmann::ordered_json json;
  json["wall_seconds"] = result.wall_s;
  json["cpu_seconds"] = result.cpu_s;
  json["peak_memory_bytes"] = static_cast<std::int64_t>(result.peak_memory_bytes);
  json["events"] = result.events;
  json["events_per_s"] = result.wall_s > 0 ? static_cast<double>(result.events) / result.wall_s : 0.0;
  json["math_kernels"] = nn::tile_sets().front().name;
  json["math_seconds"] = result.math_s;
  json["math_share"] = result.cpu_s > 0 ? result.math_s / result.cpu_s : 0.0;
  if (const auto& measured = result.measured) {
    json["measured"] = {{"precedence", measured->precedence},
                        {"late_mean_s", measured->late_mean_s},
                        {"late_max_s", measured->late_max_s},
                        {"retransmitted_share", measured->retransmitted_share},
                        {"own_share", measured->own_share},
                        {"busy_share", measured->busy_share},
                        {"soft_interrupt_share", measured->soft_interrupt_share}};
  }
  return json.dump(2) + "\n";
}

}  // namespace ddl::results
