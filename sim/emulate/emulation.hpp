// One emulated run: the nodes' actors as threads, what they share, and the end.
//
// Whoever holds several monitors took them in the order of nodes; whoever holds one may take mutex_ as well, and nobody
// takes a monitor while holding mutex_.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sim/emulate/emulate.hpp"
#include "sim/emulate/emulated_node.hpp"
#include "sim/emulate/machine.hpp"
#include "sim/emulate/tcp_channel.hpp"
#include "sim/experiment/evaluator.hpp"
#include "sim/experiment/stop_rule.hpp"
#include "sim/experiment/trainer.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::emulate {

class Emulation {
 public:
  // Builds the network and connects everybody. Throws InputError.
  Emulation(const scenario::Scenario& scenario, const EmulateOptions& options);
  ~Emulation();

  // To the end. Throws RunFailed, InternalError.
  experiment::RunResult run();

  // --- for nodes ---
  const scenario::Scenario& scenario() const { return scenario_; }
  const Cluster& cluster() const { return cluster_; }
  experiment::Trainer* trainer() { return trainer_ ? &*trainer_ : nullptr; }
  bool computes_for_real() const { return options_.real_compute; }
  const platform::Fabric& fabric() const { return fabric_; }
  const std::string& name(int node) const { return fabric_.name(node); }
  double now() const { return std::chrono::duration<double>(WallClock::now() - start_).count(); }
  TcpChannel& channel(int source, int target);
  bool may_begin_step(std::int64_t begun);
  bool has_enough_samples() const { return enough_samples_; }
  // Whether the step that has just ended counts.
  bool count_step(double end_s);
  void diverged(int worker, std::int64_t step, const char* what);
  // The caller holds the node's monitor.
  void start_actor(int node, std::function<void()> body);

 private:
  void start_nodes();
  void release_all();  // time begins
  void act(int node, const std::function<void()>& body);
  void fail(std::exception_ptr failure);
  void end(const std::string& why, double end_s);
  bool is_over();

  void conduct();
  void decide(double now_s);
  double next_look_s(double now_s);
  bool is_stuck();  // nobody goes on by himself
  std::string waiting_text();
  std::string not_over();
  void cut_steps_short();
  void stop();

  void evaluate_now(double time_s);
  void evaluate_if_due(double now_s);
  void report_progress(double now_s);
  std::vector<Payload> copy_of_models();  // that the run is judged by: the servers' one, or every worker's

  experiment::RunResult collect();
  void collect_network(experiment::RunResult& result) const;
  void collect_models(experiment::RunResult& result);
  void note_divergence(experiment::RunResult& result) const;
  experiment::Measurement measurement() const;
  void sample_processors(bool begin);

  const scenario::Scenario& scenario_;
  const EmulateOptions options_;
  platform::Fabric fabric_;
  const Star star_;
  const Testbed testbed_;
  std::vector<Connection> connections_;         // until the channels have them
  std::optional<experiment::Trainer> trainer_;  // none: timing only
  const Cluster cluster_;
  const std::size_t training_samples_;
  std::optional<experiment::Evaluator> evaluator_;
  std::vector<Cluster> clusters_;  // the nodes' own
  std::vector<std::unique_ptr<EmulatedNode>> nodes_;
  std::vector<std::unique_ptr<Program>> programs_;
  std::vector<std::unique_ptr<TcpChannel>> channels_;  // by source, then target
  std::atomic<std::int64_t> under_way_ = 0;
  std::string precedence_;
  WallClock::time_point start_{};
  ProcessorTicks ticks_before_, ticks_after_;
  double own_cpu_before_s_ = 0, own_cpu_after_s_ = 0;

  std::mutex mutex_;  // guards what follows
  std::condition_variable something_happened_;
  experiment::StopRule stop_rule_;
  std::vector<std::thread> threads_;
  int workers_at_work_ = 0;
  std::int64_t steps_ = 0;         // counted, by all workers
  std::int64_t evaluated_at_ = 0;  // steps, if evaluations hang on them
  bool news_ = false;
  std::string stopped_by_;  // set: the run is over
  double end_s_ = 0;
  std::optional<experiment::Divergence> divergence_;
  std::exception_ptr failure_;

  std::atomic<bool> enough_samples_ = false;
  std::int64_t points_ = 0;  // of the curve, taken at fixed times
  double reported_s_ = -1;
};

}  // namespace ddl::emulate
