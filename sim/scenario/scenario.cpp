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
  if (const auto* measured = std::get_if<MeasuredPlatform>(&platform.hosts)) return sites_of(*measured);
  return std::nullopt;
}

std::uint64_t network_seed(const Scenario& scenario) {
  const int draw = scenario.platform.network.draw;
  return draw == 1 ? scenario.seed : stream(scenario.seed, "network", "draw " + std::to_string(draw)).bits();
}

std::string resolve_path(const Scenario& scenario, const std::string& path) {
  return (std::filesystem::path(scenario.file).parent_path() / path).string();  // an absolute path stays as it is
}

std::string program_folder(const Scenario& scenario) {
  const std::string folder = resolve_path(scenario, scenario.program->folder);
  return folder.empty() ? "." : folder;
}

data::DataSpec resolved_data(const Scenario& scenario) {
  data::DataSpec data = scenario.data;
  for (std::string* path : {&data.path, &data.test_path}) {
    if (!path->empty()) *path = resolve_path(scenario, *path);
  }
  if (const auto gpt = nn::gpt_of(scenario.model)) {
    data.by_position = true;
    data.context = gpt->context;
  }
  return data;
}

data::DataShape data_shape_of(const Scenario& scenario) {
  return scenario.own_data ? *scenario.own_data : data::data_shape(scenario.data.source);
}

std::vector<std::string*> content_paths(Scenario& scenario) {
  std::vector<std::string*> paths = {&scenario.data.path, &scenario.data.test_path};
  if (auto* weights = std::get_if<WeightsFile>(&scenario.training.init.is)) paths.push_back(&weights->file);
  for (std::string& library : scenario.load) paths.push_back(&library);
  std::erase_if(paths, [](const std::string* path) { return path->empty(); });
  return paths;
}

}  // namespace ddl::scenario
