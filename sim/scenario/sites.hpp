// Platforms of sites: each a star, joined to others by links.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"

namespace ddl::scenario {

// Workers and servers with a full-duplex link each to the site's router.
struct Site {
  std::string name;
  int workers = -1;  // required
  int servers = 0;
  BytesPerSecond bandwidth{};  // required: of each host's link
  Seconds latency{0.0001};     // one way between two hosts of the site
};

// Full-duplex, of its own; traffic.csv calls it FROM-TO.
struct SiteLink {
  std::string from, to;
  BytesPerSecond up;                   // required: from `from` to `to`
  std::optional<BytesPerSecond> down;  // back; default: as much
  Seconds latency{-1};                 // required: one way, between the sites' routers

  BytesPerSecond back() const { return down.value_or(up); }
  std::string name() const { return from + "-" + to; }
};

// Rate that so many connections got together from one site to another, or between two hosts of one.
struct Measurement {
  std::string from, to;
  BytesPerSecond rate{};  // required
  Seconds rtt{};          // required
  int streams = 1;
};

// Workers w0, w1, ... and servers ps0, ps1, ... are numbered over the sites in their order.
struct SitesPlatform {
  std::vector<Site> sites;
  std::vector<SiteLink> links;
  std::vector<FlopsPerSecond> speed = {{50e9}};  // round robin over workers, then servers
  // No key: the window of each connection between two sites, in bytes, by the number of the first, then of the second;
  // of a site with itself 0: the network's. Empty: of all the network's.
  std::vector<std::vector<double>> windows = {};

  int workers() const;
  int servers() const;
};

constexpr std::size_t most_sites = 200;
constexpr int most_hosts_of_sites = 100000;

// A link on the way between two sites, `up` where it goes from `from` to `to`.
struct Hop {
  std::size_t link = 0;
  bool up = true;
};
using Way = std::vector<Hop>;

// Between all pairs of sites, by the number of the first, then of the second: the fewest links, then the least latency,
// then what is listed first; the way back is the same. Empty where nothing joins them. The links' ends are sites.
std::vector<std::vector<Way>> ways_between(const SitesPlatform& platform);

template <class Visitor>
void fields(Visitor& visit, Site& site) {
  visit("name", site.name, Rule{.doc = "of letters, digits, '-', '_' and '.'"});
  visit("workers", site.workers,
        Rule{.doc = "worker hosts of the site", .at_least = 0, .at_most = most_hosts_of_sites});
  visit("servers", site.servers,
        Rule{.doc = "server hosts of the site", .at_least = 0, .at_most = most_hosts_of_sites});
  visit("bandwidth", site.bandwidth, Rule{.doc = "of each host's link to the site's router", .above = 0});
  visit("latency", site.latency, Rule{.doc = "one way between two hosts of the site", .at_least = 0});
}
template <class Visitor>
void fields(Visitor& visit, SiteLink& link) {
  visit("from", link.from, Rule{.doc = "name of a site"});
  visit("to", link.to, Rule{.doc = "name of a site"});
  visit("up", link.up, Rule{.doc = "bandwidth of messages from the first to the second", .above = 0});
  visit("down", link.down, Rule{.doc = "bandwidth back; default: that of up", .above = 0});
  visit("latency", link.latency, Rule{.doc = "one way, from router to router", .at_least = 0});
}
template <class Visitor>
void fields(Visitor& visit, Measurement& spec) {
  visit("from", spec.from, Rule{.doc = "name of a site"});
  visit("to", spec.to, Rule{.doc = "name of a site; that of \"from\": inside it"});
  visit("rate", spec.rate, Rule{.doc = "that the connections got together", .above = 0});
  visit("rtt", spec.rtt, Rule{.doc = "round trip, without queues", .above = 0});
  visit("streams", spec.streams, Rule{.doc = "number of connections", .at_least = 1, .at_most = 1e6});
}
template <class Visitor>
void fields(Visitor& visit, SitesPlatform& spec) {
  visit("sites", spec.sites, Rule{.doc = "in order; their workers are w0, w1, ..., their servers ps0, ps1, ..."});
  visit("links", spec.links,
        Rule{.doc = "between sites, full-duplex; a message between sites that none joins takes the fewest, of these "
                    "the least latency"});
  visit("speed", spec.speed,
        Rule{.doc = "of each host; a list is assigned to workers, then servers, in turn; beside "
                    "compute.seconds_per_batch it is what speed profiles are compared with, and nothing else",
             .above = 0});
}

}  // namespace ddl::scenario
