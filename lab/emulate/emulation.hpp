// One emulated run: its parts, and its nodes' view of it.
//
// A thread that holds several monitors took them in the order of nodes; no thread takes a monitor while it holds the
// lock of RunState or of ActorThreads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/emulate/actor_threads.hpp"
#include "lab/emulate/channels.hpp"
#include "lab/emulate/emulate.hpp"
#include "lab/emulate/machine.hpp"
#include "lab/emulate/node_set.hpp"
#include "lab/emulate/run_state.hpp"
#include "lab/emulate/testbed/testbed.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/run/experiment.hpp"

namespace ddl::emulate {

class Emulation {
 public:
  // Builds the network and connects all nodes. Throws InputError.
  Emulation(const scenario::Scenario& scenario, const EmulateOptions& options);
  ~Emulation();

  // Runs to the end. Throws RunFailed, InternalError.
  run::RunResult run();

  // --- for nodes ---
  const scenario::Scenario& scenario() const { return experiment_.scenario(); }
  const Cluster& cluster() const { return experiment_.cluster(); }
  run::Trainer* trainer() { return experiment_.trainer(); }
  bool computes_for_real() const { return options_.real_compute; }
  const platform::Fabric& fabric() const { return fabric_; }
  const std::string& name(int node) const { return fabric_.name(node); }
  double now() const { return std::chrono::duration<double>(WallClock::now() - start_).count(); }
  TcpChannel& channel(int source, int target) { return channels_.between(source, target); }
  bool may_begin_step(std::int64_t begun) { return state_.may_begin_step(begun); }
  bool has_enough_samples() const { return state_.has_enough_samples(); }
  double run_share() const { return state_.run_share(now()); }
  bool count_step(double end_s) { return state_.count_step(end_s); }  // true if the step that has just ended counts
  void diverged(int worker, std::int64_t step, const char* what) { state_.diverge({worker, step, now(), what}); }
  // The caller holds the node's monitor.
  void start_actor(int node, std::function<void()> body);

 private:
  void start_nodes();  // all monitors are held
  void stop();

  // The conductor's part.
  void conduct();
  void decide(double now_s);
  double next_look_s(double now_s) const;
  void end_if_stuck();
  void evaluate_now(double time_s);
  void evaluate_if_due(double now_s);
  void report_progress(double now_s);

  // When it is over: no thread is left.
  run::RunResult collect();
  Measurement measurement() const;

  const EmulateOptions options_;
  platform::Fabric fabric_;
  const Star star_;
  Testbed testbed_;
  std::vector<Connection> connections_;  // until the channels have them
  run::Experiment experiment_;
  RunState state_;
  ActorThreads threads_;
  NodeSet nodes_;
  Channels channels_;
  MachineUse machine_use_;
  std::string precedence_;
  WallClock::time_point start_{};

  std::int64_t points_ = 0, evaluations_by_steps_ = 0;  // points of the learning curve: taken at fixed times, by steps
  double reported_s_ = -1;
};

}  // namespace ddl::emulate
