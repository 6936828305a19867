// What goes wrong in a scenario, and when: links and hosts that are not themselves for an interval of simulated time,
// and hosts that come and go (host_faults.hpp).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "sim/scenario/host_faults.hpp"

namespace ddl {

// Of a full-duplex link's two halves. Links that have one direction are named with `both`.
enum class LinkDirection { both, up, down };
template <>
inline constexpr EnumName<LinkDirection> enum_names<LinkDirection>[] = {
    {LinkDirection::both, "both"}, {LinkDirection::up, "up"}, {LinkDirection::down, "down"}};

// From `from` on and before `until`. Where intervals overlap, their factors multiply.
struct Interval {
  Seconds from, until;
};

struct LinkDegraded : Interval {
  static constexpr const char* tag = "link_degraded";
  std::string link;  // as in traffic.csv
  LinkDirection direction = LinkDirection::both;
  double bandwidth = 0;  // share of the link's own
};

// Messages on the link stall and go on when it is back, as TCP's do; none is lost.
struct LinkDown : Interval {
  static constexpr const char* tag = "link_down";
  std::string link;
  LinkDirection direction = LinkDirection::both;
};

// Whatever the host computes takes `factor` times as long.
struct HostSlowed : Interval {
  static constexpr const char* tag = "host_slowed";
  std::string host;
  double factor = 0;
};

using Fault = std::variant<LinkDegraded, LinkDown, HostSlowed, HostCrash, HostJoin, HostLeave, HostChurn>;

// Whether hosts crash, join or leave by it.
inline bool changes_hosts(const Fault& fault) {
  return std::holds_alternative<HostCrash>(fault) || std::holds_alternative<HostJoin>(fault) ||
         std::holds_alternative<HostLeave>(fault) || std::holds_alternative<HostChurn>(fault);
}

template <class Visitor>
void interval_fields(Visitor& visit, Interval& interval) {
  visit("from", interval.from, Rule{.doc = "simulated time at which it begins", .at_least = 0});
  visit("until", interval.until, Rule{.doc = "simulated time at which it is over", .above = 0});
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
  visit("host", fault.host, Rule{.doc = "name of the host"});
  interval_fields(visit, fault);
  visit("factor", fault.factor, Rule{.doc = "on what it computes", .above = 0, .at_most = 1e6});
}

}  // namespace ddl
