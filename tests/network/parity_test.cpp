// The accelerator and SimGrid, at the settings that a run has by itself: whatever is sent, over whatever links, in both
// models, each message arrives at the same time.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/base/rng.hpp"
#include "tests/network/arrivals.hpp"

using namespace ddl;
using namespace ddl::network;

using nlohmann::json;

namespace {

double between(Stream& random, double low, double high) { return low * std::pow(high / low, random.uniform()); }

// A network of seven nodes as described by a scenario, with the settings of a run except the varied ones.
scenario::Scenario random_network(Stream& random, std::uint64_t seed) {
  scenario::GeneratedPlatform hosts;
  const auto topologies = std::to_array(
      {scenario::Topology::star, scenario::Topology::ring, scenario::Topology::mesh, scenario::Topology::two_sites});
  hosts.topology = topologies[random.below(topologies.size())];
  hosts.workers = 6;
  hosts.servers = hosts.topology == scenario::Topology::star ? 1 : 0;
  if (hosts.servers == 0) hosts.workers = 7;
  hosts.bandwidth.clear();
  for (std::uint64_t i = 0; i <= random.below(3); ++i) hosts.bandwidth.push_back({between(random, 2e5, 2e7)});
  hosts.latency.value = random.below(8) == 0 ? 0 : between(random, 1e-5, 0.05);
  scenario::Scenario scenario;
  scenario.seed = seed;
  scenario.platform.hosts = hosts;
  scenario::NetworkSpec& network = scenario.platform.network;
  if (random.below(3) == 0) network.tcp_window = {between(random, 2e4, 1e6)};
  if (random.below(3) == 0) network.connections = 2 + static_cast<int>(random.below(3));
  return scenario;
}

std::vector<Sent> random_messages(Stream& random) {
  std::vector<Sent> messages;
  for (int message = 0; message < 60; ++message) {
    const auto source = static_cast<int>(random.below(7));
    const int target = (source + 1 + static_cast<int>(random.below(6))) % 7;
    // Many start together, some in between; one in ten is a request.
    const double start_s = random.below(3) == 0 ? 2 * random.uniform() : 0.5 * static_cast<double>(random.below(4));
    const double bytes = random.below(10) == 0 ? static_cast<double>(random.below(100)) : between(random, 1e4, 3e6);
    const double first_bytes = random.below(4) == 0 && bytes > 100 ? std::floor(bytes * between(random, 0.01, 0.9)) : 0;
    messages.push_back({source, target, std::floor(bytes), start_s, first_bytes});
  }
  return messages;
}

// Changes a link's bandwidth, below and above its own, and another's latency.
void change_links(Stream& random, scenario::Scenario& scenario) {
  const json links = forked([&] {
    const platform::Fabric fabric(scenario);
    json found = json::array();
    for (const platform::LinkInfo& link : fabric.links()) {
      found.push_back({link.name, link.bandwidth_bytes_per_s, link.latency_s});
    }
    return found;
  });
  const auto any_link = [&] { return links[random.below(links.size())]; };
  const json faster = any_link(), slower = any_link();
  for (const json& link : {faster, slower}) {
    scenario::BandwidthProfile profile;
    profile.link = link[0];
    double at_s = random.uniform();
    for (int point = 0; point < 5; ++point) {
      profile.points.push_back({{at_s}, {link[1].get<double>() * between(random, 0.1, 4)}});
      at_s += random.uniform();
    }
    scenario.platform.profiles.emplace_back(profile);
    if (faster[0] == slower[0]) break;
  }
  const json late = any_link();
  if (!(late[2].get<double>() > 0)) return;
  scenario::LatencyProfile profile;
  profile.link = late[0];
  profile.points = {{{random.uniform()}, {late[2].get<double>() * between(random, 0.3, 5)}}, {{2}, {0}}};
  scenario.platform.profiles.emplace_back(profile);
}

void check_same_times(const scenario::Scenario& scenario, const std::vector<Sent>& messages) {
  const std::vector<double> simgrid = times(solved_by(scenario, scenario::LinkSolver::simgrid), messages),
                            accelerator = times(solved_by(scenario, scenario::LinkSolver::accelerator), messages);
  for (std::size_t i = 0; i < simgrid.size(); ++i) {  // messages, then first slices
    CAPTURE(i);
    if (i < messages.size()) REQUIRE(simgrid[i] >= messages[i].start_s);
    REQUIRE(std::abs(accelerator[i] - simgrid[i]) <= 1e-6 * std::abs(simgrid[i]) + 1e-8);
  }
}

void check_parity(std::uint64_t seed, scenario::NetworkModel model, bool links_change) {
  CAPTURE(seed);
  CAPTURE(links_change);
  Stream random = stream(seed, "test", "parity");
  scenario::Scenario scenario = random_network(random, seed);
  scenario.platform.network.model = model;
  if (model == scenario::NetworkModel::TCP) {
    scenario.platform.network.queue.value = between(random, 0.01, 1);
    scenario.platform.network.slow_start_after_idle = random.below(2) == 0;
  }
  if (links_change) change_links(random, scenario);
  check_same_times(scenario, random_messages(random));
}

}  // namespace

TEST_CASE("the textbook's model: the accelerator ends each message when SimGrid does") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) check_parity(seed, scenario::NetworkModel::CM02, seed % 2 == 0);
}

TEST_CASE("the model TCP: the accelerator ends each message when SimGrid does") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) check_parity(seed, scenario::NetworkModel::TCP, seed % 2 == 0);
}

TEST_CASE("where ways there and back differ, the accelerator ends each message when SimGrid does") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    Stream random = stream(seed, "test", "two ways");
    std::string text = R"(<zone id="z" routing="Full">)", routes;
    for (int host = 0; host < 7; ++host) text += fmt::format(R"(<host id="w{}" speed="1Gf"/>)", host);
    for (int i = 0; i < 42; ++i) {
      const int source = i / 6, target = (source + 1 + i % 6) % 7;
      text += fmt::format(R"(<link id="l{}" bandwidth="{}Bps" latency="{}s"/>)", i, between(random, 2e5, 2e7),
                          between(random, 1e-7, 0.1));
      routes +=
          fmt::format(R"(<route src="w{}" dst="w{}" symmetrical="NO"><link_ctn id="l{}"/><link_ctn id="l{}"/></route>)",
                      source, target, i, random.below(static_cast<std::uint64_t>(i + 1)));
    }
    scenario::Scenario scenario = on_elements(text + routes + "</zone>", scenario::NetworkModel::TCP);
    scenario.seed = seed;
    if (seed % 3 > 0) scenario.platform.network.tcp_window = {between(random, 2e4, 1e6)};
    check_same_times(scenario, random_messages(random));
  }
}

// The message that way waits for acknowledgements before its first byte, so its claim on full links counts.
TEST_CASE("where a profile leaves latency on the way back alone, the accelerator ends each message when SimGrid does") {
  scenario::Scenario scenario;
  scenario.platform.hosts = scenario::GeneratedPlatform{
      .topology = scenario::Topology::mesh, .workers = 2, .bandwidth = {{5e6}}, .latency = {0.02}};
  scenario.platform.network = {.model = scenario::NetworkModel::TCP};
  scenario::LatencyProfile none;
  none.link = "w0->w1";
  none.points = {{{0}, {0}}};
  scenario.platform.profiles = {none};
  check_same_times(scenario, {{0, 1, 1e6, 0.5}, {1, 0, 1e6, 0.5}});
}

TEST_CASE("where all send to all, in both models, the accelerator ends each message when SimGrid does") {
  constexpr int nodes = 14;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    Stream random = stream(seed, "test", "all to all");
    scenario::Scenario scenario;
    scenario.seed = seed;
    scenario::GeneratedPlatform hosts{.workers = nodes, .bandwidth = {{5e6}}, .latency = {0.02}};
    if (seed > 2) hosts.bandwidth = {{5e6}, {2.5e6}, {1.25e6}};
    scenario.platform.hosts = hosts;
    scenario.platform.network.model = seed % 2 == 0 ? scenario::NetworkModel::CM02 : scenario::NetworkModel::TCP;
    std::vector<Sent> messages;
    for (int source = 0; source < nodes; ++source) {
      const double start_s = 0.1 * random.uniform();
      for (int target = 0; target < nodes; ++target) {
        for (int turn = 0; turn < 3 && target != source; ++turn)
          messages.push_back({source, target, 1e6, start_s + turn});
      }
    }
    check_same_times(scenario, messages);
  }
}
