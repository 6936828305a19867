#include "sim/scenario/checks/checks.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "core/base/counted.hpp"
#include "core/nn/optimizer.hpp"
#include "sim/scenario/files/read_profiles.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

constexpr std::size_t kLongestName = 100;

void check_names(const std::vector<std::string>& names, const Place& place) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) {
      place.at(i).error("is empty; expected a host's name");
    } else if (!seen.insert(names[i]).second) {
      place.at(i).error(in_quotes(names[i]) + " is named before; expected each host once");
    }
  }
}

void check_file_platform(const FilePlatform& hosts, const Scenario& scenario, const Place& place) {
  std::error_code unreadable;
  const std::string path = resolve_path(scenario, hosts.file);
  if (!std::filesystem::exists(path, unreadable)) {
    place.at("file").error(in_quotes(path) + " does not exist; expected a SimGrid platform file");
  } else if (std::filesystem::is_directory(path, unreadable)) {
    place.at("file").error(in_quotes(path) + " is a folder; expected a SimGrid platform file");
  }
  check_names(hosts.workers, place.at("workers"));
  check_names(hosts.servers, place.at("servers"));
}

std::vector<std::string> worker_names(int workers) {
  std::vector<std::string> names;
  for (int i = 0; i < workers; ++i) names.push_back("w" + std::to_string(i));
  return names;
}

void check_generated(const GeneratedPlatform& hosts, const Place& place) {
  if (hosts.topology == Topology::mesh && hosts.workers + hosts.servers > most_mesh_hosts) {
    place.at("workers").error(
        fmt::format("{} hosts are too many for a mesh, which has a link per ordered pair; "
                    "expected at most {}",
                    hosts.workers + hosts.servers, most_mesh_hosts));
  }
  if (hosts.topology != Topology::two_sites) {
    const std::string why = "is given, but only \"two_sites\" has a link between sites";
    if (hosts.site_bandwidth) place.at("site_bandwidth").error(why);
    if (hosts.site_latency) place.at("site_latency").error(why);
  }
  check_names(hosts.servers_on, place.at("servers"));
  if (hosts.servers_on.empty()) return;
  const std::vector<std::string> workers = worker_names(hosts.workers);
  const std::set<std::string> known(workers.begin(), workers.end());
  for (std::size_t i = 0; i < hosts.servers_on.size(); ++i) {
    const std::string& name = hosts.servers_on[i];
    if (name.empty() || known.contains(name)) continue;
    place.at("servers").at(i).error(in_quotes(name) + " is no worker of this platform; " +
                                    nearest_or(name, workers, "expected one of " + listed(workers)));
  }
  if (!hosts.server_bandwidth.empty()) {
    place.at("server_bandwidth").error("is given, but the servers are on workers' hosts; expected no such key");
  }
}

// Those that are excluded, too. None where only the loaded platform tells.
std::optional<int> workers_of(const PlatformSpec& platform) {
  if (const auto* hosts = std::get_if<GeneratedPlatform>(&platform.hosts)) return hosts->workers;
  if (const auto sites = sites_of(platform)) {
    return sites->workers() > 0 ? std::optional(sites->workers()) : std::nullopt;  // none: a check reports it
  }
  const auto& hosts = std::get<FilePlatform>(platform.hosts);
  if (!hosts.workers.empty()) return static_cast<int>(hosts.workers.size());
  if (hosts.first_workers > 0) return hosts.first_workers;
  return std::nullopt;
}

void check_slowdown(const Scenario& scenario, const Place& place) {
  std::vector<std::string> names = worker_names(workers_of(scenario.platform).value_or(0));
  const auto* generated = std::get_if<GeneratedPlatform>(&scenario.platform.hosts);
  const int servers = generated != nullptr ? generated->servers : servers_of(scenario.platform);
  for (int i = 0; i < servers; ++i) names.push_back("ps" + std::to_string(i));
  const std::set<std::string> known(names.begin(), names.end());
  for (const auto& [name, factor] : scenario.compute.slowdown) {
    if (!known.contains(name)) {
      place.at(name).error("is no host of this platform; expected one of " + listed(names));
    }
  }
}

}  // namespace

std::optional<int> workers_known(const PlatformSpec& platform) {
  return platform.exclude.empty() ? workers_of(platform) : std::nullopt;
}

int servers_of(const PlatformSpec& platform) {
  if (const auto* hosts = std::get_if<GeneratedPlatform>(&platform.hosts)) {
    return hosts->servers + static_cast<int>(hosts->servers_on.size());
  }
  if (const auto sites = sites_of(platform)) return sites->servers();
  return static_cast<int>(std::get<FilePlatform>(platform.hosts).servers.size());
}

void check_name(const Scenario& scenario, Findings& findings) {
  const std::string& name = scenario.name;
  const std::string expected = "; expected a name that a folder can have";
  const Place place{findings, "$.name"};
  if (name.empty()) return place.error("is empty" + expected);
  if (name.starts_with('.')) return place.error(in_quotes(name) + " starts with a dot" + expected);
  if (name.find('/') != std::string::npos) return place.error(in_quotes(name) + " holds a slash" + expected);
  if (name != on_one_line(name)) return place.error(in_quotes(name) + " holds control characters" + expected);
  if (name.size() > kLongestName) {
    place.error(fmt::format("has {} bytes; expected at most {}, for a folder's name", name.size(), kLongestName));
  }
}

void check_platform(const Scenario& scenario, Findings& findings) {
  if (!findings.clean("$.platform")) return;
  const Place place{findings, "$.platform"};
  const double window = tcp_window_of(scenario.platform.network).value;
  if (window > 0 && window < 1) {
    place.at("network").at("tcp_window").error("is less than a byte; expected more, or \"0B\" for no limit");
  }
  if (const auto* file = std::get_if<FilePlatform>(&scenario.platform.hosts)) {
    return check_file_platform(*file, scenario, place);
  }
  if (const auto sites = sites_of(scenario.platform)) {
    check_sites(*sites, place);
    if (findings.clean("$.platform")) note_windows(*sites, place.at("links"));
  } else {
    check_generated(std::get<GeneratedPlatform>(scenario.platform.hosts), place);
  }
  if (findings.clean("$.platform") && findings.clean("$.compute.slowdown")) {
    check_slowdown(scenario, {findings, "$.compute.slowdown"});
  }
}

void check_optimizer(const Scenario& scenario, Findings& findings) {
  if (!findings.clean("$.training.optimizer")) return;
  const Place place{findings, "$.training.optimizer"};
  const auto check_betas = [&](const auto& params) {
    if constexpr (requires { params.betas; }) {
      if (params.betas.size() == 2) return;
      place.at("betas").error(fmt::format("has {}; expected two, of the first and of the second moment",
                                          counted(params.betas.size(), "value")));
    }
  };
  std::visit(check_betas, scenario.training.optimizer);
}

void check_algorithm(const Scenario& scenario, Findings& findings) {
  const auto workers = workers_known(scenario.platform);
  if (!workers || !findings.clean("$.platform") || !findings.clean("$.algorithm")) return;
  Surroundings around{*workers, servers_of(scenario.platform)};
  // An invalid optimizer has been reported already.
  if (findings.clean("$.training.optimizer")) around.slices = nn::Optimizer::slices(scenario.training.optimizer);
  if (!std::holds_alternative<FilePlatform>(scenario.platform.hosts)) {
    around.worker_names = worker_names(*workers);
  }
  for (const SettingError& error : systems::setting_errors(*scenario.algorithm, around)) {
    findings.add(error.key, error.what);
  }
}

void check_scenario(Scenario& scenario, Findings& findings) {
  check_name(scenario, findings);
  check_platform(scenario, findings);
  check_profiles(scenario, findings);
  check_optimizer(scenario, findings);
  check_algorithm(scenario, findings);
  check_one_model(scenario, findings);
  check_data_source(scenario, findings);
  read_own_data(scenario, findings);
  check_data(scenario, findings);
  check_start(scenario, findings);
  check_program(scenario, findings);
  check_wire(scenario, findings);
  check_model(scenario, findings);
  check_schedule(scenario, findings);
  check_stop_and_evaluation(scenario, findings);
  check_faults(scenario, findings);
  check_expectations(scenario, findings);
}

}  // namespace ddl::scenario
