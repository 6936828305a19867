#include "sim/platform/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <simgrid/s4u.hpp>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/natural_order.hpp"
#include "sim/platform/engine.hpp"
#include "sim/platform/hosts.hpp"
#include "sim/platform/layout.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::platform {
namespace {

namespace s4u = simgrid::s4u;

// `name` without `suffix`, if it ends with it.
std::optional<std::string> without(const std::string& name, const std::string& suffix) {
  if (!name.ends_with(suffix) || name.size() == suffix.size()) return std::nullopt;
  return name.substr(0, name.size() - suffix.size());
}

// SimGrid calls the halves of a full-duplex link NAME_UP and NAME_DOWN; `own_names` are of links that a file calls so.
LinkInfo describe(const s4u::Link& link, const s4u::Engine& engine, bool one_way,
                  const std::set<std::string>& own_names) {
  LinkInfo info{link.get_name(), "both", link.get_bandwidth(), link.get_latency()};
  const std::optional<std::string> up = without(info.name, "_UP"), down = without(info.name, "_DOWN");
  if (link.get_sharing_policy() == s4u::Link::SharingPolicy::FATPIPE) {
    info.direction = "free";
  } else if (own_names.contains(info.name)) {
    return info;
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

bool is_wifi(const s4u::Link* link) { return link->get_sharing_policy() == s4u::Link::SharingPolicy::WIFI; }

// SimGrid aborts when a message, or its acknowledgements, starts on such a link.
void refuse_wifi(const s4u::Host* source, const s4u::Host* target, const std::string& origin) {
  const auto way = way_between(source, target);
  if (!way) return;
  const auto wifi = std::ranges::find_if(way->links, is_wifi);
  if (wifi == way->links.end()) return;
  throw InputError(origin + ": the way from " + source->get_name() + " to " + target->get_name() +
                   " takes the Wi-Fi link " + (*wifi)->get_name() +
                   ", whose stations need rates that a platform file cannot give");
}

// Those that a message between two nodes could use; of very many nodes, all.
std::vector<s4u::Link*> links_between(const Hosts& hosts, const s4u::Engine& engine) {
  if (hosts.size() > most_nodes_for_all_pairs) return engine.get_all_links();
  std::set<s4u::Link*> used;
  for (const auto* source : hosts) {
    for (const auto* target : hosts) {
      if (source == target) continue;
      if (const auto way = way_between(source, target)) used.insert(way->links.begin(), way->links.end());
    }
  }
  return {used.begin(), used.end()};
}

// All but loopback and Wi-Fi, in the order in which users see them.
std::vector<std::pair<LinkInfo, s4u::Link*>> described(const std::vector<s4u::Link*>& links, const s4u::Engine& engine,
                                                       bool one_way, const std::set<std::string>& own_names) {
  std::vector<std::pair<LinkInfo, s4u::Link*>> found;
  for (auto* link : links) {
    if (link->get_name() == loopback || is_wifi(link)) continue;
    found.emplace_back(describe(*link, engine, one_way, own_names), link);
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) {
    if (a.first.name != b.first.name) return natural_less(a.first.name, b.first.name);
    return a.first.direction < b.first.direction;
  });
  return found;
}

HostsOfNodes hosts_of(const Hosts& hosts) {
  HostsOfNodes of_nodes;
  std::unordered_map<const s4u::Host*, int> first;
  for (const auto* host : hosts) {
    const auto [known, alone] = first.try_emplace(host, static_cast<int>(of_nodes.names.size()));
    of_nodes.names.push_back(host->get_name());
    of_nodes.first.push_back(known->second);
    of_nodes.shared.push_back(!alone);
    if (!alone) of_nodes.shared[static_cast<std::size_t>(known->second)] = true;
  }
  return of_nodes;
}

// A server on a worker's host has a name of its own in results.
std::vector<std::string> names_of_nodes(const HostsOfNodes& of_nodes, const s4u::Engine& engine,
                                        const std::string& origin) {
  std::vector<std::string> names = of_nodes.names;
  for (std::size_t node = 0; node < names.size(); ++node) {
    if (of_nodes.first[node] == static_cast<int>(node)) continue;
    names[node] += " server";
    if (engine.host_by_name_or_null(names[node]) == nullptr) continue;
    throw InputError(origin + ": host " + scenario::in_quotes(names[node]) +
                     " is called like the server on another one; expected another name");
  }
  return names;
}

// Takes the excluded hosts and sites out of `nodes`.
Places leave_out(const std::vector<std::string>& exclude, Nodes& nodes) {
  const auto site_of = [&](std::size_t node) {
    return nodes.site_names.empty() ? std::string() : nodes.site_names.at(static_cast<std::size_t>(nodes.sites[node]));
  };
  Places places{.of_workers = {}, .among = nodes.workers, .left_out = {}};
  for (std::size_t i = 0; i < exclude.size(); ++i) {
    bool known = false;
    std::vector<std::string> names = nodes.site_names;
    for (std::size_t node = 0; node < nodes.hosts.size(); ++node) {
      const std::string host = nodes.hosts[node]->get_name();
      names.push_back(host);
      if (exclude[i].empty() || (exclude[i] != host && exclude[i] != site_of(node))) continue;
      known = true;
      places.left_out.insert(host);
    }
    if (known) continue;
    throw InputError(
        fmt::format("$.platform.exclude[{}]: there is no host or site {}; {}", i, scenario::in_quotes(exclude[i]),
                    scenario::nearest_or(exclude[i], names, "expected one of " + scenario::listed(names))));
  }
  Nodes all = std::exchange(
      nodes, {.hosts = {}, .workers = 0, .sites = {}, .site_names = nodes.site_names, .windows = nodes.windows});
  for (std::size_t node = 0; node < all.hosts.size(); ++node) {
    if (places.left_out.contains(all.hosts[node]->get_name())) continue;
    nodes.hosts.push_back(all.hosts[node]);
    nodes.sites.push_back(all.sites.at(node));
    if (static_cast<int>(node) >= all.workers) continue;
    places.of_workers.push_back(static_cast<int>(node));
    ++nodes.workers;
  }
  if (nodes.workers == 0) throw InputError("$.platform.exclude: leaves no worker; expected one at least");
  return places;
}

}  // namespace

std::vector<int> nodes_at(const std::string& site, const Nodes& nodes, const std::string& place) {
  const auto found = std::ranges::find(nodes.site_names, site);
  if (found == nodes.site_names.end()) {
    throw InputError(fmt::format(
        "{}: there is no site {}; {}", place, scenario::in_quotes(site),
        nodes.site_names.empty()
            ? "expected a platform that names its sites, or the names of hosts"
            : scenario::nearest_or(site, nodes.site_names, "expected one of " + scenario::listed(nodes.site_names))));
  }
  std::vector<int> there;
  std::set<const simgrid::s4u::Host*> hosts;
  for (std::size_t node = 0; node < nodes.sites.size(); ++node) {
    const bool is_there = nodes.sites[node] == found - nodes.site_names.begin();
    if (is_there && hosts.insert(nodes.hosts[node]).second) there.push_back(static_cast<int>(node));
  }
  return there;
}

namespace {

// "a to b": the first pair of hosts of which that holds, or nothing.
template <class Holds>
std::string first_pair(const Hosts& hosts, const Holds& holds) {
  for (const auto* source : hosts) {
    for (const auto* target : hosts) {
      if (source != target && holds(source, target)) {
        return fmt::format("{} to {}", source->get_name(), target->get_name());
      }
    }
  }
  return "";
}

bool is_without_links(const s4u::Host* source, const s4u::Host* target) {
  const auto way = way_between(source, target);
  return way && way->links.empty();
}

bool has_latency_only_back(const s4u::Host* source, const s4u::Host* target) {
  const auto there = way_between(source, target), back = way_between(target, source);
  return there && back && !(there->latency_s > 0) && back->latency_s > 0;
}

// Stops at the first slow route.
RouteKind kind_of_routes(const Hosts& hosts) {
  RouteKind kind = RouteKind::near_and_quick;
  first_pair(hosts, [&](const s4u::Host* source, const s4u::Host* target) {
    const auto way = way_between(source, target);
    if (!way || way->links.empty()) return false;
    const double narrowest = std::ranges::min(way->links | std::views::transform(&s4u::Link::get_bandwidth));
    kind = std::max(kind, kind_of_route(narrowest, way->latency_s));
    return kind == RouteKind::slow;
  });
  return kind;
}

// Facts of the loaded platform. Those of routes are looked up later, between these hosts.
NetworkFacts facts_of(const Hosts& hosts, bool generated) {
  NetworkFacts facts{.nodes = hosts.size(),
                     .sets_latency_factor = !has_default("network/latency-factor"),
                     .sets_sharing = !has_default("network/bandwidth-factor") || !has_default("network/weight-S"),
                     .kind_of_routes = [&hosts] { return kind_of_routes(hosts); }};
  if (generated) return facts;
  facts.without_links = [&hosts] { return first_pair(hosts, is_without_links); };
  facts.latency_only_back = [&hosts] { return first_pair(hosts, has_latency_only_back); };
  return facts;
}

using Routes = std::vector<std::unordered_map<int, Route>>;  // by source, then target

const Route* find(const Routes& routes, int source, int target) {
  const auto& known = routes.at(static_cast<std::size_t>(source));
  const auto found = known.find(target);
  return found == known.end() ? nullptr : &found->second;
}

// SimGrid looks for the way between neighbours of a ring among all of it.
void keep_routes_along_links(const std::vector<Layout::Link>& made, const s4u::Engine& engine,
                             const std::unordered_map<const s4u::Link*, int>& index, double window_bytes,
                             Routes& routes) {
  const auto keep = [&](std::size_t source, std::size_t target, const std::string& name) {
    const s4u::Link* link = engine.link_by_name(name);
    routes[source].emplace(static_cast<int>(target), Route{{index.at(link)}, link->get_latency(), window_bytes});
  };
  for (const Layout::Link& link : made) {
    keep(link.source, link.target, link.name + "_UP");
    keep(link.target, link.source, link.name + "_DOWN");
  }
}

[[noreturn]] void refuse_lack_of_route(const std::string& origin, const std::string& source,
                                       const std::string& target) {
  throw InputError(
      fmt::format("{}: has no route from {} to {} with a link or a latency, between which this system "
                  "sends messages",
                  origin, scenario::in_quotes(source), scenario::in_quotes(target)));
}

double window_of(const scenario::NetworkSpec& network) {
  const double bytes = scenario::tcp_window_of(network).value;
  return bytes > 0 ? bytes : std::numeric_limits<double>::infinity();
}

// A file's windows, by the numbers of the sites that the nodes have.
void set_windows(const PlatformText& file, Nodes& nodes) {
  if (file.windows.empty()) return;
  const std::vector<std::string>& sites = nodes.site_names;
  nodes.windows.assign(sites.size(), std::vector<double>(sites.size()));
  for (std::size_t source = 0; source < sites.size(); ++source) {
    for (std::size_t target = 0; target < sites.size(); ++target) {
      const auto known = file.windows.find({sites[source], sites[target]});
      if (known != file.windows.end()) nodes.windows[source][target] = known->second;
    }
  }
}

// The latency of a route when that of each link differs from the nominal by sign x difference_s.
double with(const Route& route, double sign, const std::vector<double>& difference_s) {
  double latency_s = route.latency_s;
  for (const int link : route.links) latency_s += sign * difference_s[static_cast<std::size_t>(link)];
  return std::max(0.0, latency_s);
}

std::pair<PlatformText, Nodes> load_file(const scenario::Scenario& scenario, const scenario::FilePlatform& hosts,
                                         s4u::Engine& engine) {
  try {
    const FileText file = file_text(scenario, hosts);
    PlatformText read = read_platform_text(file.text, file.path);
    const FileText for_simgrid{file.path, std::move(read.text)};
    probe_platform(scenario.platform, for_simgrid, engine);
    Nodes nodes = load(hosts, for_simgrid, engine);
    set_windows(read, nodes);
    return {std::move(read), std::move(nodes)};
  } catch (const InputError& error) {
    throw InputError("$.platform.file: " + std::string(error.what()));
  }
}

}  // namespace

struct Fabric::Parts {
  std::unique_ptr<s4u::Engine> engine;
  Nodes nodes;
  Places places;
  std::vector<std::string> names;
  HostsOfNodes of_nodes;
  scenario::NetworkSpec network;
  bool generated = false;
  NetworkPlan plan;
  NetworkNumbers numbers;
  std::string origin;  // the platform's, in errors
  PlatformText file;   // as read, if there is one
  bool has_wifi = false;
  bool any_free_link = false;
  std::vector<LinkInfo> links;
  std::vector<s4u::Link*> links_of_simgrid;  // in the same order
  Changes changes;
  std::vector<double> bandwidths;                      // now
  std::vector<double> more_latency_s, less_latency_s;  // difference from nominal: now, and the least at any time
  std::vector<double> most_bandwidth;                  // factor on the nominal
  std::function<void(int, double)> bandwidth_changed;
  std::function<void(int)> latency_changed;
  std::unordered_map<const s4u::Link*, int> link_index;
  Routes routes;

  void list_links(bool all, bool one_way) {
    auto found =
        described(all ? engine->get_all_links() : links_between(nodes.hosts, *engine), *engine, one_way, file.links);
    for (auto& [info, link] : found) {
      link_index[link] = static_cast<int>(links.size());
      links_of_simgrid.push_back(link);
      bandwidths.push_back(info.bandwidth_bytes_per_s);
      any_free_link = any_free_link || info.direction == "free";
      links.push_back(std::move(info));
    }
  }

  void find_changes(const scenario::Scenario& scenario) {
    std::vector<double> speeds_flops;
    for (const auto* host : nodes.hosts) speeds_flops.push_back(host->get_speed());
    changes = changes_of(
        scenario, links, of_nodes.names, places.left_out, nodes.workers, speeds_flops,
        [this](const std::string& site, const std::string& place) { return platform::nodes_at(site, nodes, place); });
    more_latency_s.resize(links.size());
    less_latency_s.resize(links.size());
    most_bandwidth.assign(links.size(), 1);
    for (const LinkChange& change : changes.links) {
      const auto at = static_cast<std::size_t>(change.link);
      most_bandwidth[at] = change.most_bandwidth;
      less_latency_s[at] = links[at].latency_s * (1 - change.least_latency);
    }
  }

  bool has_measured_connections() const {
    return std::ranges::any_of(nodes.windows, [](const auto& from) { return std::ranges::max(from) > 0; });
  }

  // The window of each connection between two nodes.
  double window_bytes(int source, int target) const {
    const auto site = [&](int node) { return static_cast<std::size_t>(nodes.sites[static_cast<std::size_t>(node)]); };
    const double measured = nodes.windows.empty() ? 0 : nodes.windows[site(source)][site(target)];
    return measured > 0 ? measured : window_of(network);
  }

  double weighing_bandwidth(int link) const {
    const auto at = static_cast<std::size_t>(link);
    return links[at].bandwidth_bytes_per_s * std::max(1.0, most_bandwidth[at]);
  }

  void let_bandwidths_change();

  void plan_network(double segments) {
    const std::optional<NetworkNumbers> plain = plain_numbers(network);
    NetworkFacts facts = facts_of(nodes.hosts, generated);
    facts.segments = segments;
    facts.plain_factors = plain.has_value();
    facts.latencies_change = changes.of_latency();
    for (int link = 0; link < static_cast<int>(links.size()); ++link) {
      facts.quickest_bytes_per_s = std::max(facts.quickest_bytes_per_s, weighing_bandwidth(link));
    }
    plan = platform::plan_network(network, facts);
    if (plain) numbers = *plain;
    follow(plan, has_measured_connections(), numbers);
    let_bandwidths_change();
  }
};

namespace {

// Setting any link's bandwidth makes SimGrid solve again; this one carries nothing.
void solve_again(const s4u::Engine& engine) {
  s4u::Link* idle = engine.link_by_name(loopback);
  idle->set_bandwidth(idle->get_bandwidth());
}

double most_actors(const scenario::Scenario& scenario, double nodes) {
  constexpr double of_a_node = 4;  // its program, what it spawns, and what plays its host's faults
  return nodes * (of_a_node + (scenario.algorithm->memory(0, 1).spawns_for_peers ? nodes : 0));
}

}  // namespace

Fabric::Fabric(const scenario::Scenario& scenario) : parts_(std::make_unique<Parts>()) {
  const scenario::PlatformSpec& platform = scenario.platform;
  parts_->engine = make_engine(platform.network);
  const auto* file = std::get_if<scenario::FilePlatform>(&platform.hosts);
  std::optional<Layout> generated;
  if (file == nullptr) {
    parts_->origin = "$.platform";
    generated = layout_of(platform);
    parts_->nodes = load(*generated, *parts_->engine);
  } else {
    parts_->origin = "$.platform.file: " + scenario::resolve_path(scenario, file->file);
    std::tie(parts_->file, parts_->nodes) = load_file(scenario, *file, *parts_->engine);
  }
  scale_links(platform, *parts_->engine);
  check_quantities(*parts_->engine, parts_->nodes, parts_->origin);
  parts_->has_wifi = std::ranges::any_of(parts_->engine->get_all_links(), is_wifi);
  parts_->list_links(generated.has_value(), generated && generated->shape == Layout::Shape::mesh);
  parts_->places = leave_out(platform.exclude, parts_->nodes);
  parts_->of_nodes = hosts_of(parts_->nodes.hosts);
  parts_->names = names_of_nodes(parts_->of_nodes, *parts_->engine, parts_->origin);
  parts_->routes.resize(parts_->names.size());
  if (generated && generated->shape == Layout::Shape::ring && parts_->places.left_out.empty()) {
    keep_routes_along_links(generated->links, *parts_->engine, parts_->link_index, window_of(platform.network),
                            parts_->routes);
  }
  parts_->find_changes(scenario);
  parts_->network = platform.network;
  parts_->generated = generated.has_value();
  parts_->plan_network(0);
  make_room_for_stacks(most_actors(scenario, node_count()));
}

Fabric::~Fabric() = default;

s4u::Engine& Fabric::engine() { return *parts_->engine; }
int Fabric::worker_count() const { return parts_->nodes.workers; }
const Places& Fabric::places() const { return parts_->places; }
int Fabric::server_count() const { return static_cast<int>(parts_->nodes.hosts.size()) - parts_->nodes.workers; }
s4u::Host* Fabric::host(int node) const { return parts_->nodes.hosts.at(static_cast<std::size_t>(node)); }
const std::string& Fabric::name(int node) const { return parts_->names.at(static_cast<std::size_t>(node)); }
const std::string& Fabric::host_name(int node) const { return parts_->of_nodes.names[static_cast<std::size_t>(node)]; }
int Fabric::first_on_host(int node) const { return parts_->of_nodes.first.at(static_cast<std::size_t>(node)); }
bool Fabric::shares_host(int node) const { return parts_->of_nodes.shared.at(static_cast<std::size_t>(node)) != 0; }
double Fabric::speed_flops(int node) const { return host(node)->get_speed(); }
int Fabric::core_count(int node) const { return host(node)->get_core_count(); }
std::vector<int> Fabric::nodes_at(const std::string& site, const std::string& place) const {
  return platform::nodes_at(site, parts_->nodes, place);
}
int Fabric::site(int node) const { return parts_->nodes.sites.at(static_cast<std::size_t>(node)); }
const std::vector<std::string>& Fabric::site_names() const { return parts_->nodes.site_names; }
const std::vector<std::string>& Fabric::notes() const { return parts_->file.notes; }
void Fabric::expect_segments(double segments) {
  const bool packets = parts_->plan.carried_by == CarriedBy::packets;
  if (packets && segments > most_segments_by_default) parts_->plan_network(segments);
}
const NetworkPlan& Fabric::network_plan() const { return parts_->plan; }
const NetworkNumbers& Fabric::network_numbers() const { return parts_->numbers; }

Changes& Fabric::changes() { return parts_->changes; }

void Fabric::when_bandwidth_changes(std::function<void(int, double)> changed) {
  parts_->bandwidth_changed = std::move(changed);
}

void Fabric::when_latency_changes(std::function<void(int)> changed) { parts_->latency_changed = std::move(changed); }

// SimGrid's own function to change a bandwidth cannot be used (3.32): flows keep the narrowest bandwidth they started
// with, those that still pay their latency start at once, and with bandwidths in the weights of flows a penalty becomes
// negative. A capacity that comes from a callback at each solution has none of
// these problems.
void Fabric::Parts::let_bandwidths_change() {
  for (const LinkChange& change : changes.links) {
    const auto at = static_cast<std::size_t>(change.link);
    if (plan.carried_by != CarriedBy::simgrid || change.bandwidth.empty()) continue;
    // A flow may have no more than the bandwidth that its links have when it starts.
    if (change.most_bandwidth > 1) links_of_simgrid[at]->set_bandwidth(weighing_bandwidth(change.link));
    links_of_simgrid[at]->set_sharing_policy(s4u::Link::SharingPolicy::NONLINEAR,
                                             [this, at](double, int) { return bandwidths[at]; });
  }
}

void Fabric::set_bandwidth(int link, double bytes_per_s) {
  const auto at = static_cast<std::size_t>(link);
  const double bandwidth = std::max(bytes_per_s, no_bandwidth * parts_->links[at].bandwidth_bytes_per_s);
  if (parts_->bandwidths[at] == bandwidth) return;
  parts_->bandwidths[at] = bandwidth;
  if (parts_->plan.carried_by != CarriedBy::simgrid) {
    if (parts_->bandwidth_changed) parts_->bandwidth_changed(link, bandwidth);
    return;
  }
  solve_again(*parts_->engine);
}

void Fabric::set_latency(int link, double seconds) {
  const auto at = static_cast<std::size_t>(link);
  parts_->more_latency_s[at] = seconds - parts_->links[at].latency_s;
  if (parts_->latency_changed) parts_->latency_changed(link);
}

double Fabric::bandwidth_bytes_per_s(int link) const { return parts_->bandwidths[static_cast<std::size_t>(link)]; }

double Fabric::latency_now_s(const Route& route) const { return with(route, 1, parts_->more_latency_s); }
double Fabric::least_latency_s(const Route& route) const { return with(route, -1, parts_->less_latency_s); }

double Fabric::most_bandwidth_bytes_per_s(int link) const {
  const auto at = static_cast<std::size_t>(link);
  return parts_->links[at].bandwidth_bytes_per_s * parts_->most_bandwidth[at];
}

double Fabric::weighing_bandwidth_bytes_per_s(int link) const { return parts_->weighing_bandwidth(link); }

bool Fabric::links_change() const { return !parts_->changes.links.empty(); }

bool Fabric::speed_changes(int node) const {
  return std::ranges::binary_search(parts_->changes.hosts, first_on_host(node), {}, &HostChange::node);
}

double Fabric::most_speed_factor(int node) const {
  const auto found = std::ranges::lower_bound(parts_->changes.hosts, node, {}, &HostChange::node);
  return found == parts_->changes.hosts.end() || found->node != node ? 1 : found->most_speed;
}

bool Fabric::any_free_link() const { return parts_->any_free_link; }
bool Fabric::needs_way_back() const { return parts_->numbers.follows_connections; }

const std::vector<LinkInfo>& Fabric::links() const { return parts_->links; }

Route Fabric::find_route(int source, int target) const {
  Route route;
  if (first_on_host(source) == first_on_host(target)) return route;
  if (const Route* known = find(parts_->routes, source, target)) return *known;
  const auto way = way_between(host(source), host(target));
  if (!way) refuse_lack_of_route(parts_->origin, name(source), name(target));
  if (parts_->has_wifi) {
    refuse_wifi(host(source), host(target), parts_->origin);
    if (needs_way_back()) refuse_wifi(host(target), host(source), parts_->origin);
  }
  route.latency_s = way->latency_s;
  route.window_bytes = parts_->window_bytes(source, target);
  for (const auto* link : way->links) route.links.push_back(parts_->link_index.at(link));
  return route;
}

const Route& Fabric::route(int source, int target) const {
  if (const Route* known = find(parts_->routes, source, target)) return *known;
  return parts_->routes.at(static_cast<std::size_t>(source)).emplace(target, find_route(source, target)).first->second;
}

}  // namespace ddl::platform
