#include "sim/scenario/sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/base/counted.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

// The numbers of the sites that each link joins.
using Ends = std::vector<std::pair<std::size_t, std::size_t>>;

Ends ends_of(const SitesPlatform& platform) {
  std::map<std::string, std::size_t> numbers;
  for (const Site& site : platform.sites) numbers.emplace(site.name, numbers.size());
  Ends ends;
  for (const SiteLink& link : platform.links) ends.emplace_back(numbers.at(link.from), numbers.at(link.to));
  return ends;
}

std::vector<std::string> names_of(const std::vector<Site>& sites) {
  std::vector<std::string> names;
  for (const Site& site : sites) names.push_back(site.name);
  return names;
}

// Before the checks there may be any number of sites.
int sum_of(const std::vector<Site>& sites, int Site::*count) {
  std::int64_t sum = 0;
  for (const Site& site : sites) sum += site.*count;
  return static_cast<int>(std::min<std::int64_t>(sum, std::numeric_limits<int>::max()));
}

// From one site to all others, by the number of links.
std::vector<Way> ways_from(std::size_t source, const SitesPlatform& platform, const Ends& ends) {
  std::vector<Way> ways(platform.sites.size());
  std::vector<double> latency_s(platform.sites.size());
  bool longer = true;
  for (std::size_t length = 1; longer; ++length) {
    longer = false;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (const bool up : {true, false}) {
        const auto [here, there] = up ? ends[i] : std::pair(ends[i].second, ends[i].first);
        const bool is_reached = here == source || !ways[here].empty();
        if (there == source || !is_reached || ways[here].size() + 1 != length) continue;
        const double sum_s = latency_s[here] + platform.links[i].latency.value;
        const bool is_known = !ways[there].empty();
        if (is_known && (ways[there].size() < length || latency_s[there] <= sum_s)) continue;
        ways[there] = ways[here];
        ways[there].push_back({i, up});
        latency_s[there] = sum_s;
        longer = true;
      }
    }
  }
  return ways;
}

Way back(Way way) {
  std::ranges::reverse(way);
  for (Hop& hop : way) hop.up = !hop.up;
  return way;
}

void check_name_of_site(const std::string& name, const Place& place) {
  const auto fits = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.';
  };
  if (!name.empty() && std::ranges::all_of(name, fits)) return;
  place.error((name.empty() ? "is empty" : in_quotes(name) + " has other letters") +
              "; expected a name of letters, digits, '-', '_' and '.'");
}

void check_hosts(const SitesPlatform& platform, const Place& place) {
  std::set<std::string> seen;
  double hosts = 0;
  for (std::size_t i = 0; i < platform.sites.size(); ++i) {
    const Site& site = platform.sites[i];
    const Place here = place.at(i);
    check_name_of_site(site.name, here.at("name"));
    if (!seen.insert(site.name).second) {
      here.at("name").error(in_quotes(site.name) + " is named before; expected each site once");
    }
    if (site.workers + site.servers == 0) {
      here.at("workers").error("is 0, and so are its servers; expected a host in each site");
    }
    hosts += static_cast<double>(site.workers) + site.servers;
  }
  if (hosts > most_hosts_of_sites) {
    place.error(fmt::format("have {} hosts; expected at most {}", hosts, most_hosts_of_sites));
  }
  if (platform.workers() == 0) place.error("have no worker; expected at least one");
}

void check_links(const SitesPlatform& platform, const Place& place) {
  const std::vector<std::string> names = names_of(platform.sites);
  std::set<std::pair<std::string, std::string>> joined;
  std::set<std::string> called;
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const SiteLink& link = platform.links[i];
    const Place here = place.at(i);
    for (const auto& [key, name] : {std::pair("from", link.from), std::pair("to", link.to)}) {
      if (std::ranges::find(names, name) != names.end()) continue;
      here.at(key).error(in_quotes(name) + " is no site; " + nearest_or(name, names, "sites are " + listed(names)));
    }
    if (link.from == link.to) {
      here.at("to").error("is where the link starts; expected another site");
    } else if (!joined.insert(std::minmax(link.from, link.to)).second) {
      here.error(fmt::format("joins {} and {}, as one before does; expected one link between two sites",
                             in_quotes(link.from), in_quotes(link.to)));
    } else if (!called.insert(link.name()).second) {
      here.error("would be called " + in_quotes(link.name()) + ", as another is; expected other names of sites");
    }
  }
}

}  // namespace

int SitesPlatform::workers() const { return sum_of(sites, &Site::workers); }
int SitesPlatform::servers() const { return sum_of(sites, &Site::servers); }

std::vector<std::vector<Way>> ways_between(const SitesPlatform& platform) {
  const std::size_t sites = platform.sites.size();
  const Ends ends = ends_of(platform);
  std::vector<std::vector<Way>> ways(sites, std::vector<Way>(sites));
  for (std::size_t source = 0; source < sites; ++source) {
    std::vector<Way> found = ways_from(source, platform, ends);
    for (std::size_t target = source + 1; target < sites; ++target) {
      ways[source][target] = std::move(found[target]);
      ways[target][source] = back(ways[source][target]);
    }
  }
  return ways;
}

void note_windows(const SitesPlatform& platform, const Place& place) {
  constexpr double one_window = 1.2, other_latency = 1.5;  // most over least
  constexpr std::size_t few = 3;
  std::map<std::string, double> to_router_s;
  for (const Site& site : platform.sites) to_router_s[site.name] = site.latency.value / 2;
  std::vector<double> latencies, windows;
  for (const SiteLink& link : platform.links) {
    latencies.push_back(link.latency.value + to_router_s[link.from] + to_router_s[link.to]);
    for (const BytesPerSecond rate : {link.up, link.back()}) windows.push_back(rate.value * 2 * latencies.back());
  }
  if (latencies.size() < few || !platform.windows.empty()) return;
  const auto [nearest, farthest] = std::ranges::minmax(latencies);
  const auto [least, most] = std::ranges::minmax(windows);
  if (!(nearest > 0) || most > one_window * least || farthest < other_latency * nearest) return;
  place.note(fmt::format(
      "rate x round trip is {:.3g} to {:.3g} MB on all {} links, whose latencies differ {:.2g} times: these are "
      "rates of single connections, bound by a window, and not of links; enter them as \"topology\": "
      "\"measured\"",
      least / 1e6, most / 1e6, latencies.size(), farthest / nearest));
}

void check_sites(const SitesPlatform& platform, const Place& place) {
  const std::size_t sites = platform.sites.size();
  if (sites == 0) {
    return place.at("sites").error("has no site; expected a list such as [{\"name\": \"ams\", \"workers\": 4, ...}]");
  }
  if (sites > most_sites) {
    return place.at("sites").error(fmt::format("has {}; expected at most {}", counted(sites, "site"), most_sites));
  }
  check_hosts(platform, place.at("sites"));
  check_links(platform, place.at("links"));
  if (!place.findings.clean(place.path)) return;
  const auto ways = ways_between(platform);
  const auto apart = std::ranges::find_if(ways[0].begin() + 1, ways[0].end(), &Way::empty);
  if (apart == ways[0].end()) return;
  const Site& far = platform.sites[static_cast<std::size_t>(apart - ways[0].begin())];
  place.at("links").error(
      fmt::format("lead nowhere from {} to {}; expected each site joined to all others, directly or "
                  "over others",
                  in_quotes(platform.sites[0].name), in_quotes(far.name)));
}

}  // namespace ddl::scenario
