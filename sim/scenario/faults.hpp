// Faults of a scenario: links and hosts that are impaired for an interval of simulated time, and hosts that come and go
// (host_faults.hpp).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "sim/scenario/host_faults.hpp"
#include "sim/scenario/link_direction.hpp"

namespace ddl::scenario {

// From `from` on and before `until`. Where intervals overlap, their factors multiply.
struct Interval {
  Seconds from, until;
};

struct LinkDegraded : Interval {
  static constexpr const char* tag = "link_degraded";
  static constexpr const char* what = "a link has only a share of its bandwidth from one time to another";
  std::string link;  // as in traffic.csv
  LinkDirection direction = LinkDirection::both;
  double bandwidth = 0;  // share of the link's bandwidth that is left
};

// Messages on the link stall, and go on when it is up again, as with TCP; none is lost.
struct LinkDown : Interval {
  static constexpr const char* tag = "link_down";
  static constexpr const char* what = "a link has no bandwidth from one time to another: its messages stall";
  std::string link;
  LinkDirection direction = LinkDirection::both;
};

// Whatever the host computes takes `factor` times as long.
struct HostSlowed : Interval {
  static constexpr const char* tag = "host_slowed";
  static constexpr const char* what = "whatever a host computes takes longer from one time to another";
  std::string host;
  double factor = 0;
  std::string site;  // in place of `host`
};

// If 99 of 100 messages are lost, each crosses its route a hundred times on average. More is allowed only for an
// interval that limits the number of retries.
constexpr double most_loss_probability = 0.99, most_retries = 1e4;

// Each transfer that ends in the interval is lost with this probability: it has cost its whole time, and after
// `retry_after` the message is sent again, before those queued behind it.
struct MessageLoss {
  static constexpr const char* tag = "message_loss";
  static constexpr const char* what = "messages are lost at random at their end, and sent again";
  double probability = 0;
  Seconds retry_after{0.2};
  std::string link;  // only of messages whose route has it; empty: of all
  LinkDirection direction = LinkDirection::both;
  std::string source, target;  // only of messages between these; empty: of all
  Seconds from;
  std::optional<Seconds> until;
};

// Hosts with slow periods: the lengths of the periods and of the gaps between them are exponentially distributed, so
// that in the long run a host is slow for the share mean_duration / (mean_every + mean_duration).
struct Stragglers {
  static constexpr const char* tag = "stragglers";
  static constexpr const char* what = "hosts that are slow for random periods";
  std::vector<std::string> hosts;  // empty: all workers
  Seconds mean_every, mean_duration;
  double factor = 0;  // on what such a host computes
  Seconds from;
  std::optional<Seconds> until;
  std::string site;  // in place of `hosts`
};

using Fault = std::variant<LinkDegraded, LinkDown, HostSlowed, MessageLoss, Stragglers, HostCrash, HostJoin, HostLeave,
                           HostChurn, HostAvailability>;

// Whether it makes hosts crash, join or leave.
inline bool changes_hosts(const Fault& fault) {
  return std::holds_alternative<HostCrash>(fault) || std::holds_alternative<HostJoin>(fault) ||
         std::holds_alternative<HostLeave>(fault) || std::holds_alternative<HostChurn>(fault) ||
         std::holds_alternative<HostAvailability>(fault);
}

// The site that it is of; "": of hosts, or of links.
inline std::string site_of(const Fault& fault) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.site; }) return one.site;
        return std::string();
      },
      fault);
}

template <class Visitor>
void interval_fields(Visitor& visit, Interval& interval) {
  visit("from", interval.from, Rule{.doc = "simulated time at which it begins", .at_least = 0});
  visit("until", interval.until, Rule{.doc = "simulated time at which it is over", .above = 0});
  visit.relation("until", Relation::after, "from");
}
template <class Visitor>
void fields(Visitor& visit, LinkDegraded& fault) {
  visit("link", fault.link, Rule{.doc = "name of the link, as in traffic.csv"});
  visit("direction", fault.direction, Rule{.doc = "which half of a full-duplex link"});
  interval_fields(visit, fault);
  visit("bandwidth", fault.bandwidth, Rule{.doc = "share of its bandwidth that is left", .above = 0, .at_most = 1});
}
template <class Visitor>
void fields(Visitor& visit, LinkDown& fault) {
  visit("link", fault.link, Rule{.doc = "name of the link, as in traffic.csv"});
  visit("direction", fault.direction, Rule{.doc = "which half of a full-duplex link"});
  interval_fields(visit, fault);
}
template <class Visitor>
void fields(Visitor& visit, HostSlowed& fault) {
  host_fields(visit, fault.host, fault.site);
  interval_fields(visit, fault);
  visit("factor", fault.factor, Rule{.doc = "on what it computes", .at_least = 1, .at_most = 1e6});
}

template <class Visitor, class Fault>
void open_interval_fields(Visitor& visit, Fault& fault) {
  visit("from", fault.from, Rule{.doc = "simulated time at which it begins", .at_least = 0});
  visit("until", fault.until, Rule{.doc = "simulated time at which it is over; default: never", .above = 0});
  visit.relation("until", Relation::after, "from");
}
template <class Visitor>
void fields(Visitor& visit, MessageLoss& fault) {
  visit("probability", fault.probability, Rule{.doc = "of each transmission", .above = 0, .below = 1});
  visit("retry_after", fault.retry_after, Rule{.doc = "from a lost transmission's end to the next", .above = 0});
  visit("link", fault.link, Rule{.doc = "only of messages over this link, as in traffic.csv"});
  visit("direction", fault.direction, Rule{.doc = "which half of a full-duplex link"});
  visit("source", fault.source, Rule{.doc = "only of this host's messages"});
  visit("target", fault.target, Rule{.doc = "only of messages to this host"});
  open_interval_fields(visit, fault);
}
template <class Visitor>
void fields(Visitor& visit, Stragglers& fault) {
  hosts_fields(visit, fault.hosts, fault.site, Rule{.doc = "names of the hosts; default: all workers"});
  visit("mean_every", fault.mean_every, Rule{.doc = "mean time between two slow periods", .above = 0});
  visit("mean_duration", fault.mean_duration, Rule{.doc = "mean length of a slow period", .above = 0});
  visit("factor", fault.factor, Rule{.doc = "on what a slow host computes", .at_least = 1, .at_most = 1e6});
  open_interval_fields(visit, fault);
}

}  // namespace ddl::scenario
