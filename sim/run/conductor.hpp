// Decides when a simulated run is over: by its scenario, or because no actor can go on.
#pragma once

#include <functional>
#include <string>

#include "sim/network/quiescence.hpp"
#include "sim/run/actors/active_workers.hpp"
#include "sim/run/actors/hosts.hpp"
#include "sim/run/run_end.hpp"
#include "sim/run/stop_rule.hpp"

namespace ddl::run {

class Conductor {
 public:
  struct Run {
    RunEnd& end;
    network::Quiescence& quiescence;
    const StopRule& stop_rule;
    const ActiveWorkers& workers;
    const Hosts& hosts;
  };
  // `waiting_text` says what each node waits for, when none can go on.
  Conductor(Run run, std::function<std::string()> waiting_text);

  // The last actor's body: returns when the run is over.
  void wait_for_the_end();
  // Called after anything that may bring the end nearer.
  void wake() { something_happened_.ring(); }
  void wake_if_no_work_is_left();

  // Ends the run in this instant, unless it is over.
  void end(const std::string& reason);
  void diverged(Divergence divergence);
  void end_if_stuck();
  void fail_as_stuck();
  void end_at(double time_s);  // the time limit has come

 private:
  // No worker is at work nor will be: one that comes back when the run has its samples has no use for it.
  bool work_is_over() const;
  // Whether no actor will ever go on by itself. Lets those that were woken in this instant have their turn first.
  bool is_quiet() const;
  void wake_later();

  Run run_;
  const std::function<std::string()> waiting_text_;
  network::Quiescence own_quiescence_;  // whether the conductor is to wake says nothing about the nodes
  network::Signal something_happened_{own_quiescence_};
};

}  // namespace ddl::run
