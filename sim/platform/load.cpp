#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <simgrid/s4u.hpp>
#include <string_view>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/natural_order.hpp"
#include "sim/platform/hosts.hpp"
#include "sim/platform/platform_text.hpp"
#include "sim/platform/probe.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::platform {
namespace {

namespace s4u = simgrid::s4u;

// Picks hosts by name, each once.
class Picker {
 public:
  Picker(const s4u::Engine& engine, const std::string& path) : path_(path) {
    for (auto* host : engine.get_all_hosts()) names_.push_back(host->get_name());
    // SimGrid's own order is that of a hash table.
    std::ranges::sort(names_, natural_less);
    for (const std::string& name : names_) by_name_.push_back(engine.host_by_name(name));
  }

  void pick(const std::vector<std::string>& names, Hosts& into) {
    for (const std::string& name : names) {
      const auto found = std::ranges::find(names_, name);
      if (found == names_.end()) {
        throw InputError(path_ + ": has no host " + scenario::in_quotes(name) + "; " +
                         scenario::nearest_or(name, names_, "its hosts are " + scenario::listed(names_)));
      }
      if (!picked_.insert(name).second)
        throw InputError(path_ + ": host " + scenario::in_quotes(name) + " is asked for twice");
      into.push_back(by_name_[static_cast<std::size_t>(found - names_.begin())]);
    }
  }

  // Picks hosts not picked yet, in natural order: `count` of them, or all if it is 0.
  void pick_of_the_rest(std::size_t count, Hosts& into) {
    const std::size_t left = names_.size() - picked_.size();
    const std::string subject = path_ + ": has " + std::to_string(left) + " hosts beside the servers; expected ";
    if (left < count) throw InputError(subject + std::to_string(count) + " for workers");
    if (left == 0) throw InputError(subject + "at least one for a worker");
    for (std::size_t i = 0; i < names_.size() && (count == 0 || into.size() < count); ++i) {
      if (!picked_.contains(names_[i])) into.push_back(by_name_[i]);
    }
  }

 private:
  const std::string& path_;
  std::vector<std::string> names_;
  Hosts by_name_;
  std::set<std::string> picked_;
};

void check_route(const s4u::Host* source, const s4u::Host* target, const std::string& path) {
  std::vector<s4u::Link*> links;
  double latency_s = 0;
  source->route_to(target, links, &latency_s);
  // A route of a Vivaldi zone may have a latency and no link.
  if (links.empty() && !(latency_s > 0)) {
    throw InputError(path + ": has no route from " + scenario::in_quotes(source->get_name()) + " to " +
                     scenario::in_quotes(target->get_name()));
  }
}

// Checks all pairs of a small platform; on a large one, each node's routes to its successor and to and from the first
// node.
void check_routes(const Nodes& nodes, const std::string& path) {
  constexpr std::size_t few = 300;
  const Hosts& hosts = nodes.hosts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts.size() <= few) {
      for (std::size_t j = 0; j < hosts.size(); ++j) {
        if (i != j) check_route(hosts[i], hosts[j], path);
      }
    } else if (i > 0) {
      check_route(hosts[i - 1], hosts[i], path);
      check_route(hosts[0], hosts[i], path);
      check_route(hosts[i], hosts[0], path);
    }
  }
}

// SimGrid accepts any number, and crashes or computes wrong times later with some of them.
void check_quantity(double value, bool holds, const std::string& of, const char* what, const char* unit) {
  if (holds && std::isfinite(value)) return;
  throw InputError(fmt::format("{}: its {} is {} {}; expected a finite one {} 0", of, what, value, unit,
                               std::string_view(what) == "latency" ? "of at least" : "above"));
}

void check_quantities(const s4u::Engine& engine, const Nodes& nodes, const std::string& path) {
  std::vector<s4u::Link*> links = engine.get_all_links();
  std::ranges::sort(links, natural_less, &s4u::Link::get_name);
  for (const auto* link : links) {
    const std::string of = path + ": link " + scenario::in_quotes(link->get_name());
    const double latency = link->get_latency(), bandwidth = link->get_bandwidth();
    check_quantity(latency, latency >= 0, of, "latency", "s");
    if (link->get_sharing_policy() == s4u::Link::SharingPolicy::WIFI) continue;  // each host has its own bandwidth
    check_quantity(bandwidth, bandwidth > 0, of, "bandwidth", "bytes/s");
  }
  for (const auto* host : nodes.hosts) {
    const std::string of = path + ": host " + scenario::in_quotes(host->get_name());
    check_quantity(host->get_speed(), host->get_speed() > 0, of, "speed", "flop/s");
  }
}

}  // namespace

std::size_t probe_platform(const scenario::FilePlatform& spec, const std::string& path, s4u::Engine& engine) {
  check_platform_text(path);
  return probe(path, [&] {
    const Nodes nodes = load(spec, path, engine);
    check_quantities(engine, nodes, path);
    check_routes(nodes, path);
    return nodes.hosts.size();
  });
}

Nodes load(const scenario::FilePlatform& spec, const std::string& path, s4u::Engine& engine) {
  engine.load_platform(path);
  engine.seal_platform();
  Picker picker(engine, path);
  Nodes nodes;
  Hosts servers;
  picker.pick(spec.servers, servers);
  picker.pick(spec.workers, nodes.hosts);
  if (spec.workers.empty()) picker.pick_of_the_rest(static_cast<std::size_t>(spec.first_workers), nodes.hosts);
  nodes.workers = static_cast<int>(nodes.hosts.size());
  nodes.hosts.insert(nodes.hosts.end(), servers.begin(), servers.end());
  return nodes;
}

}  // namespace ddl::platform
