#include "sim/scenario/scenario.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include "core/base/rng.hpp"

namespace ddl::scenario {

BytesPerSecond site_bandwidth_of(const GeneratedPlatform& hosts) {
  return hosts.site_bandwidth.value_or(*std::ranges::min_element(hosts.bandwidth));
}

Seconds site_latency_of(const GeneratedPlatform& hosts) { return hosts.site_latency.value_or(Seconds{0.02}); }

std::optional<SitesPlatform> sites_of(const PlatformSpec& platform) {
  if (const auto* listed = std::get_if<SitesPlatform>(&platform.hosts)) return *listed;
  if (const auto* regions = std::get_if<RegionsPlatform>(&platform.hosts)) return sites_of(*regions);
  return std::nullopt;
}

std::uint64_t network_seed(const Scenario& scenario) {
  const int draw = scenario.platform.network.draw;
  return draw == 1 ? scenario.seed : stream(scenario.seed, "network", "draw " + std::to_string(draw)).bits();
}

std::string resolve_path(const Scenario& scenario, const std::string& path) {
  return (std::filesystem::path(scenario.file).parent_path() / path).string();  // an absolute path stays as it is
}

data::DataSpec resolved_data(const Scenario& scenario) {
  data::DataSpec data = scenario.data;
  if (!data.path.empty()) data.path = resolve_path(scenario, data.path);
  return data;
}

}  // namespace ddl::scenario
