#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <set>
#include <simgrid/s4u.hpp>
#include <string_view>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/base/machine/limits.hpp"
#include "core/base/natural_order.hpp"
#include "sim/platform/hosts.hpp"
#include "sim/platform/probe.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::platform {
namespace {

namespace s4u = simgrid::s4u;

// Picks hosts by name, for servers and for workers: a host may be both.
class Picker {
 public:
  Picker(const s4u::Engine& engine, const std::string& path) : engine_(engine), path_(path) {
    for (auto* host : engine.get_all_hosts()) names_.push_back(host->get_name());
    // SimGrid's own order is that of a hash table.
    std::ranges::sort(names_, natural_less);
    for (const std::string& name : names_) by_name_.push_back(engine.host_by_name(name));
  }

  void pick(const std::vector<std::string>& names, Hosts& into) {
    for (const std::string& name : names) {
      auto* host = engine_.host_by_name_or_null(name);
      if (host == nullptr) {
        throw InputError(path_ + ": has no host " + scenario::in_quotes(name) + "; " +
                         scenario::nearest_or(name, names_, "its hosts are " + scenario::listed(names_)));
      }
      picked_.insert(name);
      into.push_back(host);
    }
  }

  // Picks hosts not picked yet, in natural order: `count` of them, or all if it is 0.
  void pick_of_the_rest(std::size_t count, Hosts& into) {
    const std::size_t left = names_.size() - picked_.size();
    const std::string subject = path_ + ": has " + counted(left, "host") + " beside the servers; expected ";
    if (left < count) throw InputError(subject + std::to_string(count) + " for workers");
    if (left == 0) throw InputError(subject + "at least one for a worker");
    for (std::size_t i = 0; i < names_.size() && (count == 0 || into.size() < count); ++i) {
      if (!picked_.contains(names_[i])) into.push_back(by_name_[i]);
    }
  }

 private:
  const s4u::Engine& engine_;
  const std::string& path_;
  std::vector<std::string> names_;
  Hosts by_name_;
  std::set<std::string> picked_;
};

// A text as a file that SimGrid can open.
class FileInMemory {
 public:
  explicit FileInMemory(std::string_view text) : descriptor_(memfd_create("platform", MFD_CLOEXEC)) {
    const int another =
        descriptor_ < 0 ? -1 : dup(descriptor_);  // SimGrid takes one, and says of none that there were no such file
    if (another < 0) fail_with("no descriptor for a platform", errno);
    close(another);
    while (!text.empty()) {
      const ssize_t written = write(descriptor_, text.data(), text.size());
      if (written <= 0) fail_with("no memory for a platform's text", errno);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~FileInMemory() { close(descriptor_); }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;

  std::string path() const { return open_files + std::to_string(descriptor_); }

 private:
  const int descriptor_;
};

void load_text(std::string_view text, s4u::Engine& engine) {
  const FileInMemory in_memory(text);
  engine.load_platform(in_memory.path());
  engine.seal_platform();
}

// SimGrid aborts at some mistakes in routes; that there is none is found out when one is needed. Coordinates of hosts
// give latencies that no link has.
void check_route(const s4u::Host* source, const s4u::Host* target, const FileText& file, bool scaled) {
  if (source == target) return;  // a worker and a server on one host
  const auto way = way_between(source, target);
  if (!way || !scaled) return;
  double of_links_s = 0;
  for (const auto* link : way->links) of_links_s += link->get_latency();
  if (std::abs(way->latency_s - of_links_s) <= 1e-9 * way->latency_s) return;
  throw InputError(fmt::format("{}: the latency from {} to {} is not that of links; expected no latency_factor",
                               file.path, scenario::in_quotes(source->get_name()),
                               scenario::in_quotes(target->get_name())));
}

// Checks all pairs of a small platform; on a large one, each node's routes to its successor and to and from the first
// node.
void check_routes(const Nodes& nodes, const FileText& file, bool scaled) {
  const Hosts& hosts = nodes.hosts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts.size() <= most_nodes_for_all_pairs) {
      for (std::size_t j = 0; j < hosts.size(); ++j) {
        if (i != j) check_route(hosts[i], hosts[j], file, scaled);
      }
    } else if (i > 0) {
      check_route(hosts[i - 1], hosts[i], file, scaled);
      check_route(hosts[0], hosts[i], file, scaled);
      check_route(hosts[i], hosts[0], file, scaled);
    }
  }
}

// SimGrid accepts any number, and crashes or computes wrong times later with some of them.
std::string out_of_range(double value, const char* what, double least, const char* unit) {
  if (value >= least && value <= most_quantity) return "";  // not of NaN
  const std::string range = least > 0 ? fmt::format("from {} to {}", least, most_quantity)
                                      : fmt::format("of at least 0 and at most {}", most_quantity);
  return fmt::format("its {} is {} {}; expected one {}", what, value, unit, range);
}

std::string problem_of(const s4u::Link& link) {
  const std::string of_latency = out_of_range(link.get_latency(), "latency", 0, "s");
  // On Wi-Fi each host has its own bandwidth.
  if (!of_latency.empty() || link.get_sharing_policy() == s4u::Link::SharingPolicy::WIFI) return of_latency;
  return out_of_range(link.get_bandwidth(), "bandwidth", least_bytes_per_s, "bytes/s");
}

// By the property "site" of each host, in the order in which nodes name them; without any all are in one.
void find_sites(Nodes& nodes, const std::string& path) {
  const auto name_of = [](const s4u::Host* host) { return host->get_property("site"); };
  const auto with = std::ranges::find_if(nodes.hosts, name_of);
  if (with == nodes.hosts.end()) return nodes.sites.assign(nodes.hosts.size(), 0);
  for (const s4u::Host* host : nodes.hosts) {
    const char* name = name_of(host);
    if (name == nullptr) {
      throw InputError(
          fmt::format("{}: host {} has no site, as {} has; expected <prop id=\"site\" value=\"...\"/> in "
                      "each host or in none",
                      path, scenario::in_quotes(host->get_name()), scenario::in_quotes((*with)->get_name())));
    }
    const auto known = std::ranges::find(nodes.site_names, name);
    nodes.sites.push_back(static_cast<int>(known - nodes.site_names.begin()));
    if (known == nodes.site_names.end()) nodes.site_names.emplace_back(name);
  }
}

}  // namespace

void probe_platform(const scenario::PlatformSpec& spec, const FileText& file, s4u::Engine& engine) {
  probe(file.path, [&] {
    const Nodes nodes = load(std::get<scenario::FilePlatform>(spec.hosts), file, engine);
    check_quantities(engine, nodes, file.path);
    scale_links(spec, engine);
    check_quantities(engine, nodes, file.path);
    check_routes(nodes, file, spec.latency_factor != 1);
  });
}

void check_quantities(const s4u::Engine& engine, const Nodes& nodes, const std::string& origin) {
  std::vector<s4u::Link*> links = engine.get_all_links();
  std::erase_if(links, [](const s4u::Link* link) { return problem_of(*link).empty(); });
  if (!links.empty()) {
    const s4u::Link* first = *std::ranges::min_element(links, natural_less, &s4u::Link::get_name);
    throw InputError(origin + ": link " + scenario::in_quotes(first->get_name()) + ": " + problem_of(*first));
  }
  for (const auto* host : nodes.hosts) {
    const std::string problem = out_of_range(host->get_speed(), "speed", least_flops, "flop/s");
    if (problem.empty()) continue;
    throw InputError(origin + ": host " + scenario::in_quotes(host->get_name()) + ": " + problem);
  }
}

Nodes load(const Layout& layout, s4u::Engine& engine) {
  load_text(platform_xml(layout), engine);
  Nodes nodes{.hosts = {}, .workers = layout.workers, .site_names = layout.site_names, .windows = layout.windows};
  const auto add = [&](const Layout::Host& host) {
    nodes.hosts.push_back(engine.host_by_name(host.name));
    nodes.sites.push_back(static_cast<int>(host.site));
  };
  std::ranges::for_each(layout.hosts, add);
  for (const std::size_t host : layout.servers_on) add(layout.hosts[host]);
  return nodes;
}

Nodes load(const scenario::FilePlatform& spec, const FileText& file, s4u::Engine& engine) {
  load_text(file.text, engine);
  Picker picker(engine, file.path);
  Nodes nodes;
  Hosts servers;
  picker.pick(spec.servers, servers);
  picker.pick(spec.workers, nodes.hosts);
  if (spec.workers.empty()) picker.pick_of_the_rest(static_cast<std::size_t>(spec.first_workers), nodes.hosts);
  nodes.workers = static_cast<int>(nodes.hosts.size());
  nodes.hosts.insert(nodes.hosts.end(), servers.begin(), servers.end());
  find_sites(nodes, file.path);
  return nodes;
}

void scale_links(const scenario::PlatformSpec& spec, const s4u::Engine& engine) {
  for (s4u::Link* link : engine.get_all_links()) {
    if (link->get_name() == loopback) continue;
    // Wi-Fi has no bandwidth, but rates of stations; a message that would take it is refused.
    const bool wifi = link->get_sharing_policy() == s4u::Link::SharingPolicy::WIFI;
    if (spec.bandwidth_factor != 1 && !wifi) link->set_bandwidth(spec.bandwidth_factor * link->get_bandwidth());
    if (spec.latency_factor != 1) link->set_latency(spec.latency_factor * link->get_latency());
  }
}

std::optional<WayOfHosts> way_between(const s4u::Host* source, const s4u::Host* target) {
  WayOfHosts way;
  try {
    source->route_to(target, way.links, &way.latency_s);
  } catch (const std::exception&) {  // SimGrid's zones either throw or find nothing
    return std::nullopt;
  }
  if (way.links.empty() && !(way.latency_s > 0)) return std::nullopt;
  return way;
}

}  // namespace ddl::platform
