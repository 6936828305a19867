#include "sim/run/experiment.hpp"

#include <algorithm>
#include <utility>

#include "core/data/dataset.hpp"
#include "core/node/vectors.hpp"
#include "sim/run/cluster.hpp"
#include "sim/run/rows/archive.hpp"
#include "sim/run/workload.hpp"
#include "sim/scenario/metric.hpp"

namespace ddl::run {
namespace {

std::vector<float> values_at(const std::vector<float>& values, const std::vector<std::uint32_t>& places) {
  std::vector<float> taken;
  taken.reserve(places.size());
  for (const std::uint32_t place : places) taken.push_back(values[place]);
  return taken;
}

Cluster cluster_of(const scenario::Scenario& scenario, const platform::Fabric& fabric, const Trainer* trainer,
                   const RunOptions& options) {
  Cluster cluster = make_cluster(scenario, fabric, trainer != nullptr ? &trainer->model() : nullptr,
                                 options.shape ? &*options.shape : nullptr);
  if (trainer != nullptr) {
    cluster.training_samples = trainer->training_samples();
    cluster.shard_samples = trainer->shard_samples();
  }
  return cluster;
}

std::optional<int> only_trainer_of(const scenario::Scenario& scenario, const Cluster& cluster) {
  if (!scenario.algorithm->facts().one_trains) return std::nullopt;
  return scenario.algorithm->training_worker(cluster.worker_names);
}

}  // namespace

Experiment::Experiment(const scenario::Scenario& scenario, platform::Fabric& fabric, const RunOptions& options)
    : scenario_(scenario),
      fabric_(fabric),
      trainer_(scenario.model.none() ? std::nullopt
                                     : std::make_optional<Trainer>(scenario, fabric.places(), options.threads)),
      cluster_(cluster_of(scenario, fabric, trainer_ ? &*trainer_ : nullptr, options)),
      graphs_(cluster_.workers, cluster_.seed),
      sharing_(sharing_of(scenario, cluster_)),
      only_trainer_(only_trainer_of(scenario, cluster_)),
      stepping_(only_trainer_ ? 1 : cluster_.workers),
      held_(network() != nullptr ? scenario.algorithm->split_parts(*network(), cluster_)
                                 : std::vector<std::vector<std::uint32_t>>()),
      holders_(scenario.algorithm->model_holders(cluster_)),
      bounds_(bounds_of(scenario, fabric, cluster_, model())),
      training_samples_(static_cast<double>(cluster_.training_samples)),
      stop_rule_(scenario.stop, scenario.training.batch_size, sharing_, cluster_.training_samples) {
  const Workload workload = workload_of(scenario, bounds_, learners_of(scenario, cluster_), training_samples_);
  check_workload(scenario, workload, cluster_, model());
  const Traffic traffic = traffic_of(*scenario.algorithm, network(), cluster_);
  fabric.expect_segments(segments_of(fabric, cluster_, traffic, bounds_, workload));
  if (trainer_) evaluator_.emplace(*trainer_, cluster_.worker_names);
  if (options.learned == nullptr || learning_settings(scenario).empty()) return;
  learning_ = learning_cluster(scenario, cluster_, fabric.places(), *model());
  if (!learning_ || !options.learned->contains(*learning_)) return;
  trainer_->replay(from_bytes<Learned>(options.learned->at(*learning_)));
  cluster_.timing_only = true;
  learning_.reset();
}

Payload Experiment::first_weights(int node) {
  if (!trainer_) return nullptr;
  Payload model = trainer_->initial_weights(is_worker(node) ? node : -1);
  if (!model || held_.empty()) return model;
  return make_payload(values_at(*model, held_[static_cast<std::size_t>(node)]));
}

std::vector<Matrix> Experiment::matrices_of(int node) const {
  if (cluster_.timing_only) return {};
  const std::vector<Matrix>& all = trainer_->model().matrices;
  std::vector<Matrix> held;
  if (held_.empty()) {
    const Slice slice = cluster_.slice_of(node);
    if (slice.size() == cluster_.parameters) return all;
    for (const Matrix& matrix : all) {
      const std::size_t begin = std::max(matrix.first, slice.begin), end = std::min(matrix.end(), slice.end);
      if (begin < end) held.push_back({.first = begin - slice.begin, .rows = end - begin, .columns = 1});
    }
    return held;
  }
  const auto& places = held_[static_cast<std::size_t>(node)];
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto after = std::ranges::upper_bound(all, std::size_t{places[i]}, {}, &Matrix::first);
    if (after == all.begin() || places[i] >= std::prev(after)->end()) continue;
    if (held.empty() || held.back().end() != i) held.push_back({.first = i, .rows = 0, .columns = 1});
    ++held.back().rows;
  }
  return held;
}

std::size_t Experiment::evaluated_samples() const {
  if (trainer_) return trainer_->evaluated_samples();
  return static_cast<std::size_t>(
      scenario_.evaluate.samples.value_or(scenario_.data.test.value_or(data::synthetic_test_samples)));
}

double Experiment::samples() const { return static_cast<double>(steps() / sharing_) * scenario_.training.batch_size; }

Progress Experiment::progress(double now_s) const {
  const bool is_known = evaluator_ && evaluator_->known_score();
  const nn::Score* first = is_known ? &*evaluator_->first_score() : nullptr;
  const nn::Score* known = is_known ? &*evaluator_->known_score() : nullptr;
  const double steps_per_worker = static_cast<double>(steps()) / stepping_;
  Progress progress{.fraction = stop_rule_.fraction(now_s, steps_per_worker, first, known), .simulated_s = now_s};
  progress.metric = scenario_.evaluate.metric.value_or(progress.metric);
  if (known != nullptr) {
    progress.score = progress.metric == scenario::MetricName::loss ? known->loss : known->accuracy;
    progress.scored_s = evaluator_->known_s();
  }
  const double math_s = trainer_ ? trainer_->math_seconds() : 0;
  if (math_s > 0) progress.evaluation_share = trainer_->evaluation_seconds() / math_s;
  return progress;
}

double Experiment::expected_s() const {
  if (scenario_.program) return 0;
  const Workload workload = workload_of(scenario_, bounds_, learners_of(scenario_, cluster_), training_samples_);
  const Traffic traffic = traffic_of(*scenario_.algorithm, network(), cluster_);
  const Cost cost = cost_of(scenario_, fabric_, cluster_, traffic, bounds_, workload, model(), evaluated_samples());
  return cost.clock_s(trainer_ ? trainer_->threads() : 1);
}

std::int64_t Experiment::evaluations_by_steps() const {
  const auto every = scenario_.evaluate.every_iterations;
  return evaluator_ && every ? steps() / (*every * stepping_) : 0;
}

std::vector<Payload> Experiment::judged_models(const std::vector<NodeState>& states) const {
  std::vector<Payload> models;
  for (const NodeState& state : states) {
    if (state.weights) models.push_back(state.weights);
  }
  if (holders_.empty() || (holders_.size() == 1 && held_.empty())) return models;
  std::vector<float> whole(cluster_.parameters);
  for (const int holder : holders_) {
    const std::vector<float>& part = *states[static_cast<std::size_t>(holder)].weights;
    if (held_.empty()) {
      std::ranges::copy(part, whole.begin() + static_cast<std::ptrdiff_t>(cluster_.slice_of(holder).begin));
      continue;
    }
    const auto& places = held_[static_cast<std::size_t>(holder)];
    for (std::size_t i = 0; i < places.size(); ++i) whole[places[i]] = part[i];
  }
  return {make_payload(std::move(whole))};
}

std::vector<char> Experiment::counting_workers(const std::vector<NodeState>& states) const {
  std::vector<char> count;
  for (int worker = 0; worker < cluster_.workers; ++worker) {
    count.push_back(only_trainer_ ? worker == *only_trainer_ : states[static_cast<std::size_t>(worker)].counts);
  }
  if (std::ranges::find(count, true) == count.end()) count.assign(count.size(), true);
  return count;
}

const char* Experiment::evaluate(double time_s, double bytes_sent, std::vector<NodeState> states,
                                 const std::vector<Voter>& ensemble) {
  const std::vector<Payload> models = judged_models(states);
  const std::vector<char> counts = counting_workers(states);
  const double batch = scenario_.training.batch_size;
  std::int64_t steps = 0;
  std::vector<WorkerPoint> workers;
  for (std::size_t worker = 0; worker < counts.size(); ++worker) {
    const NodeState& state = states[worker];
    steps += state.steps;
    const Payload model = models.empty() ? nullptr : models[models.size() == 1 ? 0 : worker];
    workers.push_back({model, state.steps, static_cast<double>(state.steps) * batch / sharing_, state.train_loss,
                       counts[worker] != 0});
  }
  states.clear();  // frees weights that no point keeps
  const double epoch = static_cast<double>(steps / sharing_) * batch / training_samples_;
  evaluator_->add(time_s, bytes_sent, epoch, std::move(workers), ensemble);
  const scenario::StopSpec& stop = scenario_.stop;
  if (!stop.accuracy && !stop.loss) return nullptr;  // without waiting for the scores
  const nn::Score score = evaluator_->last_score();
  if (stop.accuracy && scenario::by_accuracy.reaches(score.accuracy, *stop.accuracy)) return "accuracy";
  return stop.loss && scenario::by_loss.reaches(score.loss, *stop.loss) ? "loss" : nullptr;
}

}  // namespace ddl::run
