// Starts the nodes' programs, and plays what the scenario's faults do to hosts: crashes, restarts, joins and leaves.
//
// An actor is unwound by an exception that its waiting call throws; it is not killed, since an actor that has been
// killed cannot say any more that it was about to wake. An instant in which some actor is about to be woken is waited
// out first: no other actor then holds what lies on the stacks that are unwound.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/node/node.hpp"
#include "sim/network/network.hpp"
#include "sim/run/actors/active_workers.hpp"
#include "sim/run/actors/actors.hpp"
#include "sim/run/actors/hosts.hpp"
#include "sim/run/conductor.hpp"
#include "sim/run/experiment.hpp"
#include "sim/run/rows/run_result.hpp"

namespace ddl::run {

class SimNode;

class HostLife {
 public:
  struct Run {
    Experiment& experiment;
    const RunEnd& end;
    network::Quiescence& quiescence;
    network::Network& network;
    Hosts& hosts;
    ActiveWorkers& workers;
    Actors& actors;
    Conductor& conductor;
    const PerNode<std::unique_ptr<SimNode>>& nodes;
  };
  explicit HostLife(Run run);
  ~HostLife();

  // Makes all programs, and starts those of hosts that are up.
  void start();
  // An actor's body: the scenario's events, one after the other.
  void play();

  const Program* program(int node) const { return programs_[node].get(); }  // null: not up
  Presence presence(int node) const;                                        // as programs see it
  const FaultCounts& counts() const { return counts_; }

 private:
  void make_program(int id);
  void start_main(int id);
  void change(const HostEvent& event);
  void settle_instant();                                            // waits until nothing else goes on in this instant
  void take_down(int id, Presence presence, bool returns = false);  // returns: comes back at once, without its state
  // The start of a host that was not up.
  struct Start {
    int node = 0;
    bool without_state = false;
    bool leaves = false;  // takes no step
  };
  void bring_up(const std::vector<Start>& starts);
  void bring_up_pending() { bring_up(std::exchange(pending_starts_, {})); }
  void leave(int id);
  void start_departure(int id);
  void notify_presence(int id);
  SimNode& node(int id) { return *run_.nodes[id]; }

  Run run_;
  PerNode<std::unique_ptr<Program>> programs_;  // by node
  std::vector<Start> pending_starts_;           // brought up once every event of this instant has been played
  FaultCounts counts_;
};

}  // namespace ddl::run
