// One run: the nodes' actors on the fabric, what they share, and the end.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/node/node.hpp"
#include "sim/experiment/evaluator.hpp"
#include "sim/experiment/run_result.hpp"
#include "sim/experiment/stop_rule.hpp"
#include "sim/experiment/trainer.hpp"
#include "sim/network/network.hpp"
#include "sim/network/quiescence.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/runtime/faults.hpp"
#include "sim/runtime/hosts.hpp"
#include "sim/runtime/run.hpp"
#include "sim/runtime/tracer.hpp"

namespace ddl::runtime {

class SimNode;

class Simulation {
 public:
  Simulation(const scenario::Scenario& scenario, const RunOptions& options);
  ~Simulation();

  // To the end. Throws InputError, RunFailed, InternalError.
  experiment::RunResult run();

  // --- for nodes ---
  const scenario::Scenario& scenario() const { return scenario_; }
  const Cluster& cluster() const { return cluster_; }
  platform::Fabric& fabric() { return fabric_; }
  network::Quiescence& quiescence() { return quiescence_; }
  network::Network& network() { return *network_; }
  const Hosts& hosts() const { return hosts_; }
  Presence presence(int node) const;  // as programs see it
  Tracer& tracer() { return tracer_; }
  experiment::Trainer* trainer() { return trainer_ ? &*trainer_ : nullptr; }
  SimNode& node(int id) { return *nodes_[static_cast<std::size_t>(id)]; }
  bool may_begin_step(std::int64_t begun) { return stop_.may_begin(begun); }
  // From then on no step counts any more; gradients that are being computed are had at once.
  bool has_enough_samples() const { return stop_.has_enough_samples(); }
  void step_finished(int worker);
  // Of the test set; when timing only as many as there would be.
  std::size_t evaluated_samples() const;
  // Ends the run in this instant. `what` of a worker's step is not finite.
  void diverged(int worker, std::int64_t step, const char* what);
  // Simulated time, which never goes back.
  double now();
  // Starts an actor on a node; it ends with the run, or when the host crashes.
  void start_actor_of(SimNode& node, const std::string& name, std::function<void()> body);

  // While one lives, simulated time will bring something about: a node computes, or waits for a time.
  class Busy {
   public:
    explicit Busy(Simulation& simulation) : simulation_(simulation) { ++simulation_.quiescence_.busy; }
    ~Busy();
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    Simulation& simulation_;
  };

 private:
  void start_nodes();
  void start_main(int id);
  // An actor of the simulation's own.
  void start_actor(int host, const std::string& name, std::function<void()> body);
  void guard(const std::function<void()>& body);

  void conduct();  // the actor the run ends with
  void decide_the_end();
  bool is_over() const;
  bool is_quiet() const;
  void end(const std::string& why);
  void end_on_time();  // an actor
  void end_if_stuck();
  void wake_conductor_if_last();
  std::string waiting_text() const;

  void cut_steps_short();

  // Hosts that change; in host_changes.cpp.
  void play_host_events();  // an actor
  void change_host(const HostEvent& event);
  void settle_instant();  // waits in this instant until nobody is about to wake
  void take_down(int id, Presence presence);
  void bring_up(int id, bool without_state);
  void notify_presence(int id);
  void leave(int id);
  void start_departure(int id);
  void stop_work(int id);
  bool work_is_over() const;

  void evaluate_now(double time_s);
  void evaluate_on_time();  // an actor
  void report_progress();
  // Throws InternalError if this worker, whose step is over, is further ahead than the system's staleness bound allows.
  void check_lead(int worker) const;
  // The models the run is judged by: the servers' one, the workers' if they share one, or every worker's.
  std::vector<Payload> final_models() const;
  // Whether a worker's model counts in means: it is up, or nobody is.
  std::vector<char> workers_that_count() const;

  experiment::RunResult collect(double end_s);
  void collect_network(experiment::RunResult& result) const;
  void collect_models(experiment::RunResult& result) const;
  // What a step would have noticed if there had been another.
  std::optional<experiment::Divergence> divergence_at_the_end(const experiment::RunResult& result) const;
  void check_counts(const experiment::RunResult& result) const;

  const scenario::Scenario& scenario_;
  const RunOptions options_;
  platform::Fabric fabric_;
  Hosts hosts_;
  Tracer tracer_;
  Faults faults_;
  std::optional<experiment::Trainer> trainer_;  // none: timing only
  Cluster cluster_;
  const int sharing_;  // workers whose steps are one step together
  // Which parameters each worker holds, as places in the vector, when the workers share one model; none: all of them.
  std::vector<std::vector<std::uint32_t>> held_;
  network::Bounds bounds_;
  std::size_t training_samples_;  // of an epoch
  experiment::StopRule stop_;
  network::Quiescence quiescence_;
  std::unique_ptr<network::Network> network_;
  std::optional<experiment::Evaluator> evaluator_;
  std::vector<std::unique_ptr<SimNode>> nodes_;
  std::vector<std::unique_ptr<Program>> programs_;

  network::Quiescence conductor_quiescence_;  // whether the conductor is to wake says nothing about the nodes
  network::Signal something_happened_{conductor_quiescence_};
  std::vector<char> at_work_;           // by node: a worker whose program runs
  std::vector<char> to_come_;           // by node: a worker that will be at work
  std::vector<char> has_finished_;      // by node: a worker whose program has ended and not begun again
  std::optional<int> staleness_bound_;  // if the system has one
  int workers_at_work_ = 0;
  bool host_changes_ = false;  // one is on its way down
  experiment::FaultCounts fault_counts_;
  std::int64_t steps_ = 0;  // finished, by all workers
  std::string stopped_by_;  // set: the run is over
  std::optional<experiment::Divergence> divergence_;
  double latest_s_ = 0;  // that simulated time was seen to be
  std::exception_ptr failure_;
  std::string deadlock_;  // who waits for whom, if nothing can go on
  experiment::RunResult result_;
};

// The factor on a host's compute times.
double slowdown_of(const scenario::Scenario& scenario, const std::string& host);

// Workers whose steps are one step together, for they share one model.
int sharing_of(const scenario::Scenario& scenario, const Cluster& cluster);

// What every node knows, from a scenario on a fabric. `model` is null when timing only.
Cluster make_cluster(const scenario::Scenario& scenario, const platform::Fabric& fabric, const nn::Model* model);

}  // namespace ddl::runtime
