#include "tests/soak/random_scenario.hpp"

#include <algorithm>
#include <string>

#include "core/base/check.hpp"
#include "core/base/shape.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/soak/filler.hpp"

namespace ddl {
namespace {

constexpr int most_draws = 10'000;

// Sites in a row, as many as there are bandwidths.
scenario::SitesPlatform sites_of(const scenario::GeneratedPlatform& hosts) {
  scenario::SitesPlatform platform;
  platform.speed = hosts.speed;
  const int count = std::min(hosts.workers, static_cast<int>(hosts.bandwidth.size()));
  for (int i = 0; i < count; ++i) {
    const BytesPerSecond own = hosts.bandwidth[static_cast<std::size_t>(i)];
    const auto workers = static_cast<int>(even_part(static_cast<std::size_t>(hosts.workers), count, i).size());
    const std::string name = "s" + std::to_string(i);
    if (i > 0) {
      const scenario::Site& last = platform.sites.back();
      platform.links.push_back({last.name, name, last.bandwidth, own, {2 * hosts.latency.value}});
    }
    platform.sites.push_back({name, workers, i == 0 ? hosts.servers : 0, own, hosts.latency});
  }
  return platform;
}

void draw_platform(Filler& fill, scenario::Scenario& scenario, int workers, int servers) {
  scenario::GeneratedPlatform hosts;
  hosts.workers = workers;
  hosts.servers = servers;
  hosts.topology =
      fill.one_of<scenario::Topology>({scenario::Topology::star, scenario::Topology::regions, scenario::Topology::mesh,
                                       scenario::Topology::ring, scenario::Topology::two_sites});
  for (int i = fill.whole(1, 3); i > 0; --i) hosts.bandwidth.push_back({fill.spread(1e5, 1e8)});
  if (servers > 0 && fill.chance(0.3)) hosts.server_bandwidth.push_back({fill.spread(1e6, 1e8)});
  hosts.latency.value = fill.chance(0.1) ? 0 : fill.spread(1e-5, 0.05);
  hosts.speed.assign(1, {fill.spread(1e9, 1e11)});
  if (fill.chance(0.3)) hosts.speed.push_back({fill.spread(1e9, 1e11)});
  if (hosts.topology == scenario::Topology::regions) {
    scenario.platform.hosts = sites_of(hosts);
  } else {
    scenario.platform.hosts = hosts;
  }
  scenario::NetworkSpec& network = scenario.platform.network;
  network.model = fill.one_of<scenario::NetworkModel>(
      {scenario::NetworkModel::TCP, scenario::NetworkModel::packets, scenario::NetworkModel::CM02});
  if (fill.chance(0.2)) network.connections = fill.whole(2, 4);
  if (fill.chance(0.3)) network.draw = fill.chance(0.5) ? 2 : 3;
  if (network.model == scenario::NetworkModel::packets) {
    if (fill.chance(0.3)) network.queue.value = fill.spread(1e-3, 0.5);
    if (fill.chance(0.3)) network.tcp_window = {fill.spread(3e3, 1e6)};
    network.slow_start_after_idle = fill.chance(0.7);
    return;
  }
  if (fill.chance(0.3)) network.tcp_window = {0};
}

// Names as in the generated networks.
std::vector<std::string> link_names(const scenario::PlatformSpec& platform, const std::vector<std::string>& nodes) {
  if (const auto* sites = std::get_if<scenario::SitesPlatform>(&platform.hosts)) {
    std::vector<std::string> names = nodes;
    for (const scenario::SiteLink& link : sites->links) names.push_back(link.name());
    return names;
  }
  const scenario::Topology topology = std::get<scenario::GeneratedPlatform>(platform.hosts).topology;
  if (topology == scenario::Topology::star || topology == scenario::Topology::two_sites) return nodes;
  std::vector<std::string> names;
  if (topology == scenario::Topology::mesh && nodes.size() > 1)
    names = {nodes[0] + "->" + nodes[1], nodes[1] + "->" + nodes[0]};
  if (topology == scenario::Topology::ring && nodes.size() > 1) names = {nodes[0] + "-" + nodes[1]};
  return names;
}

// Has a fault be a whole site's in place of hosts', where there are sites.
template <class Fault>
void draw_site(Filler& fill, const scenario::Scenario& scenario, Fault& fault) {
  const auto* platform = std::get_if<scenario::SitesPlatform>(&scenario.platform.hosts);
  if (platform == nullptr || !fill.chance(0.5)) return;
  if constexpr (requires { fault.host; }) fault.host.clear();
  if constexpr (requires { fault.hosts; }) fault.hosts.clear();
  fault.site = fill.one_of(platform->sites).name;
}

// Mostly faults of workers; servers may neither join nor leave, and some systems have none.
void draw_faults(Stream& random, scenario::Scenario& scenario, const std::vector<std::string>& workers,
                 const std::vector<std::string>& nodes) {
  Filler fill(random, random.uniform() < 0.8 ? workers : nodes, link_names(scenario.platform, nodes));
  if (!fill.chance(0.5)) return;
  for (int i = fill.whole(1, 3); i > 0; --i) {
    scenario::Fault fault;
    fill.fill_choice(fault);
    const double lasts_s = fill.spread(1e-3, 3);
    std::visit(
        [&](auto& chosen) {
          if constexpr (requires { chosen.until; }) chosen.until = Seconds{chosen.from.value + lasts_s};
          if constexpr (requires { chosen.link; }) {  // one way, as its name says
            if (chosen.link.find("->") != std::string::npos) chosen.direction = scenario::LinkDirection::both;
          }
          if constexpr (requires { chosen.restart; }) {
            if (chosen.restart) chosen.restart = Seconds{chosen.at.value + lasts_s};
          }
          if constexpr (requires { chosen.site; }) draw_site(fill, scenario, chosen);
        },
        fault);
    scenario.faults.push_back(fault);
  }
}

// A few clients, fewer than workers or more, which are there from time to time.
void draw_availability(Stream& random, scenario::Scenario& scenario) {
  Filler fill(random, {}, {});
  if (!fill.chance(0.15)) return;
  scenario::HostAvailability fault;
  draw_site(fill, scenario, fault);
  double end_s = 0;
  for (int client = fault.site.empty() ? fill.whole(1, 6) : 1; client > 0; --client) {
    double at_s = fill.chance(0.5) ? 0 : fill.spread(1e-3, 1);
    for (int i = fill.whole(1, 3); i > 0; --i) {
      const double until_s = at_s + fill.spread(1e-3, 3);
      fault.presence.push_back({"c" + std::to_string(client), Seconds{at_s}, Seconds{until_s}});
      at_s = until_s + fill.spread(1e-3, 1);
    }
    end_s = std::max(end_s, at_s);
  }
  if (fill.chance(0.5)) fault.repeat_every = Seconds{end_s};
  scenario.faults.push_back(fault);
}

// A host that leaves and comes back, or a site.
void draw_return(Stream& random, scenario::Scenario& scenario, const std::vector<std::string>& workers) {
  Filler fill(random, workers, {});
  if (!fill.chance(0.15)) return;
  const double leaves_s = fill.spread(1e-3, 2);
  scenario::HostLeave leave{fill.one_of(workers), Seconds{leaves_s}, {}};
  draw_site(fill, scenario, leave);
  scenario.faults.push_back(leave);
  scenario.faults.push_back(scenario::HostJoin{leave.host, Seconds{leaves_s + fill.spread(1e-3, 3)}, leave.site});
}

void draw_profile(Stream& random, scenario::Scenario& scenario, const std::vector<std::string>& workers,
                  const std::vector<std::string>& nodes) {
  auto& platform = scenario.platform;
  Filler fill(random, workers, link_names(platform, nodes));
  if (!fill.chance(0.3)) return;
  scenario::Profile profile;
  fill.fill_choice(profile);
  std::visit(
      [&](auto& chosen) {
        if constexpr (requires { chosen.link; }) {
          if (chosen.link.find("->") != std::string::npos) chosen.direction = scenario::LinkDirection::both;
        }
        double at_s = 0;
        for (auto& point : chosen.points) {
          point.at.value = at_s;
          at_s += fill.spread(1e-3, 1);
        }
        if (chosen.repeat_every) chosen.repeat_every->value = std::max(1e-3, at_s);
        // The link comes to a stop, or nearly so, for a while.
        if constexpr (requires { chosen.link; }) {
          if (chosen.points.size() > 1 && fill.chance(0.4)) {
            chosen.points.front().value.value = fill.chance(0.3) ? 0 : fill.spread(1e-6, 1);
          }
        }
      },
      profile);
  platform.profiles = {profile};
}

nn::LayerSpec dense(Filler& fill, int units) {
  nn::DenseSpec spec;
  fields(fill, spec);
  spec.units = units;
  return spec;
}

nn::ModelSpec draw_model(Filler& fill) {
  switch (fill.whole(0, 5)) {
    case 0:
    case 1:
      return {"none", {}};
    case 2:
      return {"softmax", {}};
    case 3:
      return {fill.one_of<std::string>({"mlp", "cnn"}), {}};
    case 4:
      return {
          "layers",
          {nn::FlattenSpec{}, dense(fill, fill.whole(1, 20)), nn::TanhSpec{}, nn::DropoutSpec{0.3}, dense(fill, 10)}};
    default:
      nn::ConvSpec conv;
      fields(fill, conv);
      conv.kernel = fill.whole(1, 5);
      conv.groups = 1;
      nn::ResidualSpec residual;
      fields(fill, residual);
      residual.groups = 1;
      nn::ModelSpec model{"layers", {conv, nn::BatchNormSpec{}, nn::ReluSpec{}}};
      if (fill.chance(0.3)) model.layers.push_back(residual);
      if (fill.chance(0.3)) model.layers.push_back(nn::MaxPoolSpec{});
      if (fill.chance(0.3)) model.layers.push_back(nn::GlobalAveragePoolSpec{});
      model.layers.push_back(nn::FlattenSpec{});
      model.layers.push_back(dense(fill, 10));
      return model;
  }
}

void draw_learning(Filler& fill, scenario::Scenario& scenario, int workers) {
  scenario.model = draw_model(fill);
  fields(fill, scenario.data);
  scenario.data.source = data::DataSource::synthetic;
  // Keys of files.
  for (auto* column : {&scenario.data.label, &scenario.data.column}) column->reset();
  scenario.data.held_out.reset();
  scenario.data.header.reset();
  scenario.data.ignore.clear();
  scenario.data.channels.reset();
  if (scenario.data.partition == data::PartitionKind::column) scenario.data.partition = data::PartitionKind::full;
  if (scenario.data.partition != data::PartitionKind::dirichlet) scenario.data.alpha = data::DataSpec().alpha;
  scenario.data.train = fill.whole(workers, 400 + workers);
  scenario.data.test = fill.whole(10, 60);
  scenario.training.batch_size = fill.whole(1, 12);
  fill.fill_choice(scenario.training.optimizer);
  scenario.training.gradient_scale = fill.one_of<GradientScale>({GradientScale::mean, GradientScale::sum});
  scenario.training.init =
      fill.one_of<scenario::InitialWeights>({scenario::InitialWeights::shared, scenario::InitialWeights::independent});
}

void draw_costs(Filler& fill, scenario::Scenario& scenario, const std::vector<std::string>& hosts) {
  const bool timing_only = scenario.model.none();
  if (timing_only || fill.chance(0.7)) scenario.compute.seconds_per_batch = Seconds{fill.spread(1e-3, 1)};
  if (fill.chance(0.3)) scenario.compute.overhead.value = fill.spread(1e-5, 0.1);
  scenario.compute.jitter = fill.chance(0.3) ? 0 : fill.spread(0.01, 1);
  for (int i = fill.whole(0, 2); i > 0; --i) scenario.compute.slowdown[fill.one_of(hosts)] = fill.spread(0.1, 20);
  if (timing_only && fill.chance(0.5)) scenario.compute.layers = fill.whole(1, 6);
  if (timing_only || fill.chance(0.4)) scenario.wire.model_bytes = Bytes{std::round(fill.spread(100, 1e7))};
  if (fill.chance(0.4)) scenario.wire.header_bytes.value = std::round(fill.spread(1, 1000));
}

void draw_end(Filler& fill, scenario::Scenario& scenario) {
  scenario::StopSpec& stop = scenario.stop;
  stop.iterations = fill.whole(1, 8);
  if (fill.chance(0.4)) stop.time = Seconds{fill.spread(0.01, 10)};
  if (fill.chance(0.2)) stop.epochs = fill.spread(0.05, 2);
  if (fill.chance(0.2)) stop.samples = fill.whole(1, 2000);
  scenario.record.weights = !scenario.model.none() && fill.chance(0.2);
  scenario.record.trace = fill.chance(0.2);
  scenario.record.iterations = fill.chance(0.8);
  if (scenario.model.none()) return;
  if (fill.chance(0.1)) stop.accuracy = 0.2 + 0.5 * fill.spread(0.1, 1);
  scenario::EvaluateSpec& evaluate = scenario.evaluate;
  if (fill.chance(0.4)) {
    evaluate.every = Seconds{fill.spread(0.05, 5)};
  } else {
    evaluate.every_iterations = fill.whole(1, 10);
  }
  if (fill.chance(0.3) || evaluate.every) evaluate.samples = fill.whole(1, 10);  // there may be many
  if (fill.chance(0.3)) evaluate.target_accuracy = {0.2, 0.5};
}

scenario::Scenario draw(Stream& random, std::uint64_t seed, std::string_view wanted) {
  std::vector<std::string> hosts;
  Filler count(random, {}, {});
  const int workers = count.chance(0.1) ? count.whole(33, 40) : count.whole(1, 9);
  const int servers = count.whole(0, 3);
  for (int i = 0; i < workers; ++i) hosts.push_back("w" + std::to_string(i));
  std::vector<std::string> nodes = hosts;
  for (int i = 0; i < servers; ++i) nodes.push_back("ps" + std::to_string(i));
  Filler fill(random, hosts, {});
  scenario::Scenario scenario;
  scenario.algorithm = systems::SystemChoice(systems::built_in());
  scenario.name = "soak_" + std::to_string(seed);
  scenario.seed = random.below(1000);
  draw_platform(fill, scenario, workers, servers);
  draw_learning(fill, scenario, workers);
  draw_costs(fill, scenario, hosts);
  while (fill.fill_choice(scenario.algorithm), scenario.algorithm->facts().name != wanted) {
  }
  draw_end(fill, scenario);
  draw_faults(random, scenario, hosts, nodes);
  draw_availability(random, scenario);
  draw_return(random, scenario, hosts);
  draw_profile(random, scenario, hosts, nodes);
  return scenario;
}

}  // namespace

std::string random_scenario(std::uint64_t seed) {
  Stream random = stream(seed, "soak", "scenario");
  // Systems take turns: otherwise those that go with most settings would be drawn most.
  const Registry systems = systems::built_in();
  const char* const system = systems[seed % systems.size()].facts().name;
  for (int i = 0; i < most_draws; ++i) {
    const std::string text = scenario::describe(draw(random, seed, system));
    try {
      scenario::parse_scenario(systems::built_in(), text, "soak.json");
      return text;
    } catch (const scenario::ScenarioErrors&) {  // settings that do not fit together
    }
  }
  throw InternalError("no valid scenario was drawn");
}

}  // namespace ddl
