// Presence of hosts: up, down or away.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/node/message.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/run/host_schedule.hpp"
#include "sim/run/rows/trace.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

class Hosts {
 public:
  // Throws InputError: no such host.
  Hosts(const scenario::Scenario& scenario, const platform::Fabric& fabric);

  const std::vector<HostEvent>& schedule() const { return schedule_.events(); }
  bool any() const { return !schedule().empty(); }

  Presence presence(int node) const { return presence_[node]; }
  bool up(int node) const { return presence(node) == Presence::up; }
  bool all_up() const;
  bool is_first_on_host(int node) const { return fabric_.first_on_host(node) == node; }
  int workers_up() const { return workers_up_; }
  // Notes the event. True: it changes its host's presence. Where outages of one host overlap it is down while any of
  // them lasts; one that finds it away does not happen, and a host that leaves while it is down does not start again.
  bool apply_event(const HostEvent& event);
  // True if the host is down and one of its outages that are over has cost it its state.
  bool has_lost(int node) const { return has_lost_[node] != 0; }
  std::int64_t events() const { return events_; }  // changes of presence so far
  void set(int node, Presence presence, double time_s);
  // While a host is on its way down.
  void set_changing(bool changing) { changing_ = changing; }
  bool is_changing() const { return changing_; }

  void pass(std::size_t played) { played_ = played; }  // so many of the schedule have happened
  bool any_to_come() const { return played_ < schedule().size(); }
  bool starts_later(int node) const;  // though it is not up now, or leaves
  // "w1 crashed at 30 s and does not come back", for each that is not up.
  void describe_absent(std::vector<std::string>& lines) const;
  // "w1 is down" or "w1 is away", until the end of a run.
  std::vector<TraceInterval> absences(double end_s) const;

 private:
  struct Absence {
    int node = 0;
    Presence presence = Presence::down;
    double start_s = 0, end_s = 0;
  };

  const platform::Fabric& fabric_;
  const HostSchedule schedule_;
  PerNode<Presence> presence_;  // by node
  int workers_up_ = 0;
  PerNode<double> since_s_;               // by node: of its presence
  std::vector<Absence> absences_;         // past ones
  PerNode<std::vector<int>> outages_of_;  // by node: those it is down by
  PerNode<char> has_lost_;                // by node
  std::size_t played_ = 0;
  std::int64_t events_ = 0;
  bool changing_ = false;
};

}  // namespace ddl::run
