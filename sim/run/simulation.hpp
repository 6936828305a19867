// One simulated run: its parts, and what nodes know of it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/node/node.hpp"
#include "sim/network/network.hpp"
#include "sim/network/quiescence.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/run/actors/active_workers.hpp"
#include "sim/run/actors/actors.hpp"
#include "sim/run/actors/host_life.hpp"
#include "sim/run/actors/hosts.hpp"
#include "sim/run/actors/platform_changes.hpp"
#include "sim/run/conductor.hpp"
#include "sim/run/experiment.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/run/rows/tracer.hpp"
#include "sim/run/run.hpp"
#include "sim/run/run_end.hpp"

namespace ddl::run {

class SimNode;

class Simulation {
 public:
  Simulation(const scenario::Scenario& scenario, const RunOptions& options);
  ~Simulation();

  // To the end. Throws InputError, RunFailed, InternalError.
  RunResult run();

  // --- for nodes ---
  const scenario::Scenario& scenario() const { return experiment_.scenario(); }
  const Cluster& cluster() const { return experiment_.cluster(); }
  Experiment& experiment() { return experiment_; }
  platform::Fabric& fabric() { return fabric_; }
  network::Quiescence& quiescence() { return quiescence_; }
  network::Network& network() { return network_; }
  const Hosts& hosts() const { return hosts_; }
  Presence presence(int node) const { return host_life_->presence(node); }  // as programs see it
  Tracer& tracer() { return tracer_; }
  Trainer* trainer() { return experiment_.trainer(); }
  // Test samples; when timing only, as many as there would be.
  std::size_t evaluated_samples() const { return experiment_.evaluated_samples(); }
  SimNode& node(int id) { return *nodes_[id]; }
  bool may_begin_step(std::int64_t begun) { return experiment_.stop_rule().may_begin(begun); }
  double run_share() { return experiment_.stop_rule().share(now()); }
  // From then on no step counts any more, and pending gradients complete immediately.
  bool has_enough_samples() { return experiment_.stop_rule().has_enough_samples(); }
  void step_finished(int worker);
  // Ends the run in this instant. `what` of a worker's step is not finite.
  void diverged(int worker, std::int64_t step, const char* what);
  // Simulated time, which never goes back.
  double now();
  void start_actor_of(SimNode& node, const std::string& name, std::function<void()> body) {
    actors_.start_of(node, name, std::move(body));
  }

  // Marks pending activity while it lives: a node computes, or waits for a time.
  class Busy : network::Activity {
   public:
    explicit Busy(Simulation& simulation) : network::Activity(simulation.quiescence_) {}
  };

 private:
  void conduct();                    // the actor the run ends with
  void start_actors();               // evaluator, platform changes, clock and hosts, where needed
  std::string waiting_text() const;  // each node's wait, when none can go on
  void check_lead(int worker) const;

  NodeState state_of(SimNode& node);
  std::vector<NodeState> node_states();
  void evaluate_now(double time_s) { evaluate(time_s, node_states()); }
  void evaluate(double time_s, std::vector<NodeState> states);
  void judge_by_steps(int worker);
  void evaluate_on_time();  // an actor's body
  void report_progress();
  void tell_evaluations(bool all);
  RunResult collect();

  const RunOptions options_;
  platform::Fabric fabric_;
  Hosts hosts_;
  Tracer tracer_;
  PlatformChanges platform_changes_;
  Experiment experiment_;
  RunEnd end_;
  network::Quiescence quiescence_;
  network::Network network_;
  ActiveWorkers workers_;
  Conductor conductor_;
  Actors actors_;
  PerNode<std::unique_ptr<SimNode>> nodes_;
  std::unique_ptr<HostLife> host_life_;

  std::int64_t evaluations_by_steps_ = 0;
  // The next evaluations by each worker's own steps, while some have not taken these: by node, and how many have.
  std::deque<std::pair<std::vector<NodeState>, int>> awaited_;
  double latest_s_ = 0;    // latest simulated time seen
  double expected_s_ = 0;  // see Progress
  RunResult result_;
};

}  // namespace ddl::run
