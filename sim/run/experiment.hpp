// A run's computation and evaluation, whatever moves its messages and its time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/graph/shared_graphs.hpp"
#include "core/node/node.hpp"
#include "core/node/program.hpp"
#include "sim/network/bounds.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/run/learning/evaluator.hpp"
#include "sim/run/learning/trainer.hpp"
#include "sim/run/progress.hpp"
#include "sim/run/run.hpp"
#include "sim/run/stop_rule.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

// A node's state for evaluation, taken in one instant between two of its calls.
struct NodeState {
  Payload weights;                   // null where Experiment::judges() says no
  std::int64_t steps = 0;            // counted ones
  std::optional<double> train_loss;  // mean since it was last asked for
  bool counts = true;                // in means, if any node does
  Payload replica = nullptr;         // this worker's own model, where it is judged by another
};

// A runtime with several threads sees to it that one at a time is in here.
class Experiment {
 public:
  // Loads the data, builds the model, starts math threads. Throws InputError, also for a run that no machine would come
  // to the end of. Tells `fabric` how much will travel.
  Experiment(const scenario::Scenario& scenario, platform::Fabric& fabric, const RunOptions& options);

  const scenario::Scenario& scenario() const { return scenario_; }
  const platform::Fabric& fabric() const { return fabric_; }
  const Cluster& cluster() const { return cluster_; }
  graph::SharedGraphs& graphs() { return graphs_; }
  const graph::SharedGraphs& graphs() const { return graphs_; }
  const network::Bounds& bounds() const { return bounds_; }
  Trainer* trainer() { return trainer_ ? &*trainer_ : nullptr; }  // null: timing only
  const scenario::LearnedModel* model() const { return trainer_ ? &trainer_->model() : nullptr; }
  const nn::Model* network() const { return model() != nullptr ? model()->network : nullptr; }
  int nodes() const { return cluster_.workers + cluster_.servers; }
  bool is_worker(int node) const { return node < cluster_.workers; }
  std::size_t evaluated_samples() const;  // test samples; when timing only, as many as there would be
  // The model that a node begins with, of which a server takes its shard. Null when timing only.
  Payload first_weights(int node);
  // The model's matrices, or parts of them, in the vector that a node holds.
  std::vector<Matrix> matrices_of(int node) const;

  StopRule& stop_rule() { return stop_rule_; }
  const StopRule& stop_rule() const { return stop_rule_; }
  std::int64_t steps() const { return stop_rule_.steps(); }  // finished, by all workers
  double samples() const;                                    // in them
  double epochs() const { return samples() / training_samples_; }
  Progress progress(double now_s) const;
  double expected_s() const;  // wall time of the run; 0: not known, because a program computes

  // True if each worker is judged after its own multiples of evaluate.every_iterations steps.
  bool judges_by_steps() const { return evaluator_ && run::judges_by_steps(scenario_); }
  int stepping() const { return stepping_; }  // workers that take steps
  // Otherwise: how many evaluations the steps so far have asked for.
  std::int64_t evaluations_by_steps() const;
  // Adds a point to the learning curve from the states of all nodes. What of it ends the run, "accuracy" or "loss";
  // null: nothing.
  const char* evaluate(double time_s, double bytes_sent, std::vector<NodeState> states,
                       const std::vector<Voter>& ensemble = {});
  // See Evaluator.
  std::vector<CurveRow> take_known(bool all) {
    return evaluator_ ? evaluator_->take_known(all) : std::vector<CurveRow>();
  }
  std::vector<CurveRow> curve() { return evaluator_ ? evaluator_->curve() : std::vector<CurveRow>(); }

  // Whether the run is judged by this node's weights, as its system says.
  bool judges(int node) const {
    return holders_.empty() ? is_worker(node) : std::ranges::find(holders_, node) != holders_.end();
  }
  bool judges_servers() const { return !holders_.empty() && !is_worker(holders_.front()); }
  // LearnedBytes::from of a run that is to tell what it learned; none: it is not, or it replays.
  const std::optional<std::string>& learning() const { return learning_; }
  std::vector<std::vector<nn::Score>> scores() { return evaluator_->scores(); }  // see Evaluator

  // The models it is judged by: one that some nodes hold between them, or every worker's.
  std::vector<Payload> judged_models(const std::vector<NodeState>& states) const;
  // Whether each worker counts in means: it does by its state, or none does.
  std::vector<char> counting_workers(const std::vector<NodeState>& states) const;

 private:
  const scenario::Scenario& scenario_;
  const platform::Fabric& fabric_;
  std::optional<Trainer> trainer_;
  Cluster cluster_;
  graph::SharedGraphs graphs_;
  const int sharing_;                      // workers whose steps are one step together
  const std::optional<int> only_trainer_;  // the one worker that trains, where the others idle
  const int stepping_;
  // Parameters that each worker holds, as places in the vector, when the workers share one model; none: all of them.
  const std::vector<std::vector<std::uint32_t>> held_;
  const std::vector<int> holders_;  // see System::model_holders
  network::Bounds bounds_;
  double training_samples_;  // per epoch
  StopRule stop_rule_;
  std::optional<Evaluator> evaluator_;
  std::optional<std::string> learning_;
};

}  // namespace ddl::run
