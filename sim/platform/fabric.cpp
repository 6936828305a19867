#include "sim/platform/fabric.hpp"

#include <malloc.h>
#include <simgrid/forward.h>  // version.h needs it
#include <simgrid/version.h>
#include <sys/prctl.h>
#include <xbt/log.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <xbt/config.hpp>

#include "core/base/check.hpp"
#include "sim/platform/hosts.hpp"
#include "sim/platform/natural_order.hpp"

namespace ddl {
namespace {

namespace s4u = simgrid::s4u;

// Kibibytes. Actors that send, receive, format text and throw ran on 8; nothing large may live on them.
[[maybe_unused]] constexpr int actor_stack_kib = 128;

// Every guarded stack takes two of the 65,530 memory mappings that Linux gives a process.
[[maybe_unused]] constexpr std::size_t most_guarded_nodes = 5000;

// SimGrid 3.32 takes a window of 0 for a bound of 0, and then gives flows more than their links have.
constexpr double no_window_bytes = 1e30;

constexpr const char* loopback = "__loopback__";

std::unique_ptr<s4u::Engine> make_engine(const NetworkSpec& network) {
  // Settings are told of as they are made, and SimGrid reads its arguments, so both come before the engine.
  xbt_log_control_set("root.thres:critical");
  xbt_log_control_set("root.fmt:%m%n");
  xbt_log_control_set("ker_engine.app:file:/dev/null");
  std::vector<std::string> words = {"ddlsim"};
#ifdef DDLSIM_THREAD_CONTEXTS
  words.emplace_back("--cfg=contexts/factory:thread");  // the only setting that is too late once the engine exists
#endif
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  // SimGrid takes over Ctrl-C, and then ends in a way that looks like a failure; it stays what it was.
  struct sigaction interrupt {};
  sigaction(SIGINT, nullptr, &interrupt);
  auto engine = std::make_unique<s4u::Engine>(&count, arguments.data());
  sigaction(SIGINT, &interrupt, nullptr);
#ifndef DDLSIM_THREAD_CONTEXTS
  s4u::Engine::set_config("contexts/stack-size", actor_stack_kib);
#endif
  s4u::Engine::set_config("network/model", std::string(name_of(network.model)));
  s4u::Engine::set_config("network/crosstraffic", network.crosstraffic);
  s4u::Engine::set_config("network/optim", std::string("Full"));
  s4u::Engine::set_config("network/TCP-gamma",
                          network.tcp_window.value > 0 ? network.tcp_window.value : no_window_bytes);
  return engine;
}

// SimGrid's full solver is right at any size, but each of its events costs as much as there are flows. Its lazy one
// (3.32) takes a new flow's other links for known once the first has been marked as changed in the same instant; flows
// that leave one host together then get more than their links have.
constexpr std::size_t most_nodes_of_simgrid = 32;

// Without guards between them, stacks look to the kernel like room for huge pages, of which they need a corner each;
// and SimGrid asks for them zeroed, which fills them unless they come straight from the kernel.
void make_room_for_stacks(std::size_t nodes) {
#ifndef DDLSIM_THREAD_CONTEXTS
  if (nodes <= most_guarded_nodes) return;
  s4u::Engine::set_config("contexts/guard-size", 0);
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  mallopt(M_MMAP_THRESHOLD, actor_stack_kib * 1024);
  mallopt(M_MMAP_MAX, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 0);  // a heap without room to spare has none for a stack
#else
  (void)nodes;
#endif
}

// `name` without `suffix`, if it ends with it.
std::optional<std::string> without(const std::string& name, const std::string& suffix) {
  if (!name.ends_with(suffix) || name.size() == suffix.size()) return std::nullopt;
  return name.substr(0, name.size() - suffix.size());
}

LinkInfo describe(const s4u::Link& link, const s4u::Engine& engine, bool one_way) {
  LinkInfo info{link.get_name(), "both", link.get_bandwidth(), link.get_latency()};
  const std::optional<std::string> up = without(info.name, "_UP"), down = without(info.name, "_DOWN");
  if (link.get_sharing_policy() == s4u::Link::SharingPolicy::FATPIPE) {
    info.direction = "free";
  } else if (up && engine.link_by_name_or_null(*up + "_DOWN") != nullptr) {
    info.name = *up;
    info.direction = "up";
  } else if (down && engine.link_by_name_or_null(*down + "_UP") != nullptr) {
    info.name = *down;
    info.direction = "down";
  } else if (one_way) {
    info.direction = "up";
  }
  return info;
}

std::optional<double> plain_number(const char* setting) {
#if SIMGRID_VERSION < 33300
  return simgrid::config::get_value<double>(setting);
#else
  const std::string text = simgrid::config::get_value<std::string>(setting);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
#endif
}

// Nothing, if a factor depends on the size of a message: a platform file may set that.
std::optional<NetworkNumbers> plain_numbers(const NetworkSpec& network) {
  const auto latency_factor = plain_number("network/latency-factor");
  const auto bandwidth_factor = plain_number("network/bandwidth-factor");
  if (!latency_factor || !bandwidth_factor) return std::nullopt;
  return NetworkNumbers{
      .latency_factor = *latency_factor,
      .bandwidth_factor = *bandwidth_factor,
      .weight_bytes = simgrid::config::get_value<double>("network/weight-S"),
      .window_bytes = network.tcp_window.value > 0 ? network.tcp_window.value : std::numeric_limits<double>::infinity(),
      .acknowledgement = network.crosstraffic ? 0.05 : 0};
}

bool is_plain(const s4u::Link* link) {
  const auto policy = link->get_sharing_policy();
  return policy != s4u::Link::SharingPolicy::WIFI && policy != s4u::Link::SharingPolicy::NONLINEAR;
}

}  // namespace

struct Fabric::Parts {
  std::unique_ptr<s4u::Engine> engine;
  Nodes nodes;
  std::vector<std::string> names;
  NetworkModel model = NetworkModel::LV08;
  NetworkNumbers numbers;
  bool own_sharing = false;
  std::string origin;  // of the platform, for errors
  std::vector<LinkInfo> links;
  std::vector<s4u::Link*> links_of_simgrid;  // in the same order
  std::vector<double> bandwidths;            // now
  std::function<void(int, double)> bandwidth_changed;
  std::unordered_map<const s4u::Link*, int> link_index;
  std::vector<std::unordered_map<int, Route>> routes;  // by source, then target

  void list_links(bool one_way) {
    std::vector<std::pair<LinkInfo, s4u::Link*>> found;
    for (auto* link : engine->get_all_links()) {
      // SimGrid gives every platform a link from a host to itself, which no message takes here.
      if (link->get_name() != loopback) found.emplace_back(describe(*link, *engine, one_way), link);
    }
    std::ranges::sort(found, [](const auto& a, const auto& b) {
      if (a.first.name != b.first.name) return natural_less(a.first.name, b.first.name);
      return a.first.direction < b.first.direction;
    });
    for (auto& [info, link] : found) {
      link_index[link] = static_cast<int>(links.size());
      links_of_simgrid.push_back(link);
      bandwidths.push_back(info.bandwidth_bytes_per_s);
      links.push_back(std::move(info));
    }
  }

  void choose_sharing(const NetworkSpec& network) {
    const std::optional<NetworkNumbers> plain = plain_numbers(network);
    if (plain) numbers = *plain;
    const bool possible = plain && std::ranges::all_of(engine->get_all_links(), is_plain);
    if (network.solver == LinkSolver::own && !possible) {
      throw InputError(
          "$.platform.network.solver: \"own\" knows no Wi-Fi links and no factors by message size, which " + origin +
          " has; expected \"simgrid\"");
    }
    const bool large = names.size() > most_nodes_of_simgrid;
    own_sharing = network.solver == LinkSolver::own || (network.solver == LinkSolver::automatic && large && possible);
  }
};

Fabric::Fabric(const Scenario& scenario) : parts_(std::make_unique<Parts>()) {
  const PlatformSpec& platform = scenario.platform;
  parts_->engine = make_engine(platform.network);
  parts_->model = platform.network.model;
  bool one_way = false;
  if (const auto* spec = std::get_if<GeneratedPlatform>(&platform.hosts)) {
    parts_->origin = "$.platform";
    parts_->nodes = generate(*spec);
    one_way = spec->topology == Topology::mesh;
  } else {
    const auto& file = std::get<FilePlatform>(platform.hosts);
    const std::string path = resolve_path(scenario, file.file);
    parts_->origin = "$.platform.file: " + path;
    try {
      examine(file, path, *parts_->engine);
      parts_->nodes = load(file, path, *parts_->engine);
    } catch (const InputError& error) {
      throw InputError("$.platform.file: " + std::string(error.what()));
    }
  }
  for (const auto* host : parts_->nodes.hosts) parts_->names.push_back(host->get_name());
  parts_->routes.resize(parts_->names.size());
  parts_->list_links(one_way);
  parts_->choose_sharing(platform.network);
  make_room_for_stacks(parts_->names.size());
}

Fabric::~Fabric() = default;

s4u::Engine& Fabric::engine() { return *parts_->engine; }
int Fabric::worker_count() const { return parts_->nodes.workers; }
int Fabric::server_count() const { return static_cast<int>(parts_->nodes.hosts.size()) - parts_->nodes.workers; }
s4u::Host* Fabric::host(int node) const { return parts_->nodes.hosts.at(static_cast<std::size_t>(node)); }
const std::string& Fabric::name(int node) const { return parts_->names.at(static_cast<std::size_t>(node)); }
double Fabric::speed_flops(int node) const { return host(node)->get_speed(); }
NetworkModel Fabric::network_model() const { return parts_->model; }
const NetworkNumbers& Fabric::network_numbers() const { return parts_->numbers; }
bool Fabric::has_own_sharing() const { return parts_->own_sharing; }

void Fabric::when_bandwidth_changes(std::function<void(int, double)> changed) {
  parts_->bandwidth_changed = std::move(changed);
  s4u::Link::on_bandwidth_change_cb([parts = parts_.get()](const s4u::Link& link) {
    const auto found = parts->link_index.find(&link);
    if (found != parts->link_index.end()) parts->bandwidth_changed(found->second, link.get_bandwidth());
  });
}

// SimGrid's own way to change a bandwidth will not do (3.32): flows keep the narrowest bandwidth they ever started
// with, those that still pay their latency start at once, and under LV08 acknowledgements are charged for a change that
// their flow never saw, until a penalty is negative. A capacity that is asked for at each solution has none of this.
void Fabric::let_bandwidth_change(int link) {
  const auto at = static_cast<std::size_t>(link);
  check(parts_->links[at].direction != "free", "a fat pipe's bandwidth stays as it is");
  if (parts_->own_sharing) return;
  parts_->links_of_simgrid[at]->set_sharing_policy(
      s4u::Link::SharingPolicy::NONLINEAR, [parts = parts_.get(), at](double, int) { return parts->bandwidths[at]; });
}

void Fabric::set_bandwidth(int link, double bytes_per_s) {
  double& now = parts_->bandwidths[static_cast<std::size_t>(link)];
  if (now == bytes_per_s) return;
  now = bytes_per_s;
  if (parts_->own_sharing) {
    if (parts_->bandwidth_changed) parts_->bandwidth_changed(link, bytes_per_s);
    return;
  }
  // Any link that is told its bandwidth makes SimGrid solve anew; on this one nothing travels.
  s4u::Link* idle = parts_->engine->link_by_name(loopback);
  idle->set_bandwidth(idle->get_bandwidth());
}

double Fabric::bandwidth_bytes_per_s(int link) const { return parts_->bandwidths[static_cast<std::size_t>(link)]; }

const std::vector<LinkInfo>& Fabric::links() const { return parts_->links; }

Route Fabric::find_route(int source, int target) const {
  Route route;
  if (source == target) return route;
  std::vector<s4u::Link*> links;
  host(source)->route_to(host(target), links, &route.latency_s);
  if (links.empty() && !(route.latency_s > 0)) {
    throw InputError(parts_->origin + ": has no route from " + name(source) + " to " + name(target));
  }
  for (const auto* link : links) route.links.push_back(parts_->link_index.at(link));
  return route;
}

const Route& Fabric::route(int source, int target) const {
  auto& known = parts_->routes.at(static_cast<std::size_t>(source));
  const auto found = known.find(target);
  if (found != known.end()) return found->second;
  return known.emplace(target, find_route(source, target)).first->second;
}

}  // namespace ddl
