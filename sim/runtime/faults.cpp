#include "sim/runtime/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <simgrid/kernel/ProfileBuilder.hpp>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Host.hpp>

#include "core/base/check.hpp"

namespace ddl {

namespace sg = simgrid::s4u;

namespace {

// SimGrid cannot share a link of no bandwidth, and would break off what travels on a link that is switched off, where
// TCP waits. In 3.32 rates below 1e-5 count as none.
constexpr double share_when_down = 1e-6, least_bytes_per_s = 1e-3;

struct Slowdown {
  double from_s, until_s, factor;
};

// Speeds over time as SimGrid reads them: a line per change, the time and the share of the host's speed.
std::string profile_text(const std::vector<Slowdown>& slowdowns) {
  std::set<double> times;
  for (const Slowdown& slow : slowdowns) times.insert({slow.from_s, slow.until_s});
  std::string text;
  for (const double time_s : times) {
    double factor = 1;
    for (const Slowdown& slow : slowdowns) {
      if (slow.from_s <= time_s && time_s < slow.until_s) factor *= slow.factor;
    }
    text += fmt::format("{} {}\n", time_s, 1 / factor);
  }
  return text;
}

sg::Host* find_host(const Fabric& fabric, const std::string& place, const std::string& name) {
  for (int node = 0; node < fabric.node_count(); ++node) {
    if (fabric.name(node) == name) return fabric.host(node);
  }
  throw InputError(place + ".host: no such host takes part: \"" + name + "\"");
}

}  // namespace

Faults::Faults(const Scenario& scenario, Fabric& fabric) : fabric_(fabric) {
  std::map<std::string, std::vector<Slowdown>> slowdowns;  // by host
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const std::string place = "$.faults[" + std::to_string(i) + "]";
    const Fault& fault = scenario.faults[i];
    if (const auto* slow = std::get_if<HostSlowed>(&fault)) {
      find_host(fabric, place, slow->host);
      slowdowns[slow->host].push_back({slow->from.value, slow->until.value, slow->factor});
    } else if (const auto* degraded = std::get_if<LinkDegraded>(&fault)) {
      add(place, degraded->link, degraded->direction, *degraded, degraded->bandwidth);
    } else if (const auto* down = std::get_if<LinkDown>(&fault)) {
      add(place, down->link, down->direction, *down, share_when_down);
    }
  }
  for (const auto& [host, of_host] : slowdowns) {
    find_host(fabric, "", host)
        ->set_speed_profile(
            simgrid::kernel::profile::ProfileBuilder::from_string("speed of " + host, profile_text(of_host), -1));
  }
}

void Faults::add(const std::string& place, const std::string& name, LinkDirection direction, const Interval& interval,
                 double share) {
  const std::size_t before = halves_.size();
  for (std::size_t i = 0; i < fabric_.links().size(); ++i) {
    const LinkInfo& link = fabric_.links()[i];
    if (link.name != name || (direction != LinkDirection::both && link.direction != name_of(direction))) continue;
    if (link.direction == "free") {
      throw InputError(place + ".link: \"" + name + "\" gives every message all of its bandwidth, which cannot change");
    }
    fabric_.let_bandwidth_change(static_cast<int>(i));
    halves_.push_back({static_cast<int>(i), interval.from.value, interval.until.value, share});
  }
  if (halves_.size() == before) {
    throw InputError(place + ".link: there is no link \"" + name + "\"" +
                     (direction == LinkDirection::both ? "" : " of two directions") +
                     "; expected one that traffic.csv or the platform names");
  }
}

void Faults::play(const std::function<void()>& changed) {
  std::set<double> times;
  for (const Half& half : halves_) times.insert({half.from_s, half.until_s});
  for (const double time_s : times) {
    sg::this_actor::sleep_until(time_s);
    for (const Half& one : halves_) {
      if (one.from_s != time_s && one.until_s != time_s) continue;
      double share = 1;
      for (const Half& other : halves_) {
        if (other.link == one.link && other.from_s <= time_s && time_s < other.until_s) share *= other.share;
      }
      const double whole = fabric_.links()[static_cast<std::size_t>(one.link)].bandwidth_bytes_per_s;
      fabric_.set_bandwidth(one.link, share == 1 ? whole : std::max(share * whole, least_bytes_per_s));
    }
    changed();
  }
}

}  // namespace ddl
