// Differences between message times of SimGrid and of the accelerator: random networks of each kind, random traffic,
// both solvers. docs/network.md has the largest. Without fat pipes, on which the two differ intentionally.
//   parity [SEEDS]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/rng.hpp"
#include "tests/support/carried.hpp"
#include "tests/support/forked.hpp"

namespace ddl {
namespace {

using nlohmann::json;
using scenario::LinkSolver;
using scenario::NetworkModel;

enum class Kind { star, two_sites, file, profiles };

double between(Stream& random, double low, double high) { return low * std::pow(high / low, random.uniform()); }

// A cluster whose hosts' links lead to a shared backbone.
std::string cluster_text(Stream& random, int nodes) {
  return fmt::format(
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" "
      "bw=\"{}Bps\" "
      "lat=\"{}s\" bb_bw=\"{}Bps\" bb_lat=\"{}s\" bb_sharing_policy=\"SHARED\"/></platform>\n",
      nodes - 1, between(random, 2e5, 2e7), between(random, 1e-5, 0.02), between(random, 1e6, 4e7),
      between(random, 1e-5, 0.02));
}

void change_link(Stream& random, scenario::Scenario& scenario, double bandwidth, double latency_s) {
  scenario::BandwidthProfile rates;
  scenario::LatencyProfile delays;
  rates.link = "w0";
  delays.link = "w1";
  double at_s = random.uniform();
  for (int point = 0; point < 5; ++point, at_s += random.uniform()) {
    rates.points.push_back({{at_s}, {bandwidth * between(random, 0.1, 4)}});
    delays.points.push_back({{at_s}, {latency_s * between(random, 0.3, 5)}});
  }
  scenario.platform.profiles = {rates, delays};
}

scenario::Scenario random_network(Stream& random, Kind kind, int nodes) {
  scenario::Scenario scenario;
  if (kind == Kind::file) {
    scenario.platform.hosts = scenario::FilePlatform{
        .file = "cluster.xml", .text = std::make_shared<const std::string>(cluster_text(random, nodes))};
    return scenario;
  }
  scenario::GeneratedPlatform hosts;
  hosts.topology = kind == Kind::two_sites ? scenario::Topology::two_sites : scenario::Topology::star;
  hosts.workers = nodes;
  for (std::uint64_t i = 0; i <= random.below(3); ++i) hosts.bandwidth.push_back({between(random, 2e5, 2e7)});
  hosts.latency.value = between(random, 1e-5, 0.05);
  scenario.platform.hosts = hosts;
  if (kind == Kind::profiles) change_link(random, scenario, hosts.bandwidth[0].value, hosts.latency.value / 2);
  return scenario;
}

// Many start together, some in between; one in ten is a request.
std::vector<Sent> random_messages(Stream& random, int nodes) {
  std::vector<Sent> messages;
  const auto others = static_cast<std::uint64_t>(nodes - 1);
  for (int message = 0; message < 10 * nodes; ++message) {
    const auto source = static_cast<int>(random.below(others + 1));
    const int target = (source + 1 + static_cast<int>(random.below(others))) % nodes;
    const double start_s = random.below(3) == 0 ? 2 * random.uniform() : 0.5 * static_cast<double>(random.below(4));
    const double bytes = random.below(10) == 0 ? static_cast<double>(random.below(100)) : between(random, 1e4, 3e6);
    messages.push_back({source, target, std::floor(bytes), start_s});
  }
  return messages;
}

std::vector<double> times_with(scenario::Scenario scenario, LinkSolver solver, const std::vector<Sent>& messages) {
  scenario.platform.network.solver = solver;
  const json times = forked([&] { return json(carried(scenario, messages)); });
  if (!times.is_array()) throw std::runtime_error(times.dump());
  return times.get<std::vector<double>>();
}

struct Compared {
  std::size_t messages = 0;
  double most = 0;  // relative difference of when a message arrived

  void add(const Compared& other) {
    messages += other.messages;
    most = std::max(most, other.most);
  }
};

Compared compared(const scenario::Scenario& scenario, const std::vector<Sent>& messages) {
  const std::vector<double> simgrid = times_with(scenario, LinkSolver::simgrid, messages),
                            accelerator = times_with(scenario, LinkSolver::accelerator, messages);
  Compared result{.messages = messages.size()};
  for (std::size_t i = 0; i < messages.size(); ++i) {
    // Compared with at least 1 ms: a request over a link without latency ends almost at 0 s.
    result.most = std::max(result.most, std::abs(accelerator[i] - simgrid[i]) / std::max(simgrid[i], 1e-3));
  }
  return result;
}

int print_table(std::uint64_t seeds) {
  const std::vector<std::pair<Kind, const char*>> kinds = {{Kind::star, "star"},
                                                           {Kind::two_sites, "two sites"},
                                                           {Kind::file, "file: cluster with a shared backbone"},
                                                           {Kind::profiles, "star whose links change"}};
  const auto models = {NetworkModel::TCP, NetworkModel::CM02};
  std::map<int, Compared> by_size;
  std::cout << "| network | messages | TCP | CM02 |\n| --- | --- | --- | --- |\n";
  for (const auto& [kind, name] : kinds) {
    std::size_t messages = 0;
    std::string cells;
    for (const NetworkModel model : models) {
      Compared all;
      for (const int nodes : {4, 8, 16, 32}) {
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
          Stream random = stream(seed, name, fmt::format("parity of {} nodes", nodes));
          scenario::Scenario scenario = random_network(random, kind, nodes);
          scenario.seed = seed;
          scenario.platform.network.model = model;
          const Compared one = compared(scenario, random_messages(random, nodes));
          all.add(one);
          by_size[nodes].add(one);
        }
      }
      messages += all.messages;
      cells += fmt::format(" | {:.0e}", all.most);
    }
    std::cout << "| " << name << " | " << messages << cells << " |\n" << std::flush;
  }
  std::cout << "\n| nodes | messages | all of these |\n| --- | --- | --- |\n";
  for (const auto& [nodes, all] : by_size) {
    std::cout << fmt::format("| {} | {} | {:.0e} |\n", nodes, all.messages, all.most);
  }
  return 0;
}

}  // namespace
}  // namespace ddl

int main(int count, char** words) {
  try {
    return ddl::print_table(count > 1 ? std::strtoull(words[1], nullptr, 10) : 5);
  } catch (const std::exception& error) {
    std::cerr << "parity: " << error.what() << "\n";
    return 1;
  }
}
