#include "sim/run/learning/learning_node.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/check.hpp"
#include "core/nn/optimizer.hpp"
#include "core/nn/schedule.hpp"
#include "core/node/vectors.hpp"
#include "sim/run/experiment.hpp"

namespace ddl::run {

namespace {

Weights replica_of(Payload weights, nn::Optimizer optimizer) {
  return Weights(std::move(weights), std::make_shared<nn::Optimizer>(std::move(optimizer)));
}

}  // namespace

LearningNode::LearningNode(Experiment& experiment, int id, Payload weights)
    : Node(id, experiment.cluster(), experiment.graphs()),
      scenario_(experiment.scenario()),
      weights_(
          replica_of(weights, {scenario_.training.optimizer, values_of(weights).size(), experiment.matrices_of(id)})),
      jitter_(LearningNode::rng("jitter")) {}

Stream LearningNode::rng(const char* purpose) const {
  std::string role = is_worker() ? "worker " + std::to_string(id()) : "server " + std::to_string(server_rank());
  if (incarnation_ > 0) role += " started again " + std::to_string(incarnation_);
  return stream(scenario_.seed, role, purpose);
}

void LearningNode::reset_replica(Payload weights) {
  weights_ = replica_of(std::move(weights), weights_.optimizer().unused());
}

// --- steps ---

void LearningNode::begin_step() {
  ++begun_steps_;
  IterationRow& row = rows_.emplace_back();
  row.worker = id();
  row.iteration = begun_steps_ - 1;
  row.start_s = now();
}

double LearningNode::end_step() {
  check(begun_steps_ > finished_steps_, "a step begun before it is finished");
  const auto step = static_cast<std::size_t>(finished_steps_++);
  const double end_s = rows_[step].end_s = now();
  if (in_step()) rows_[step + 1].start_s = end_s;  // begun beside it: no instant is in two steps
  return end_s;
}

std::int64_t LearningNode::lose_steps() {
  const std::int64_t lost = begun_steps_ - finished_steps_;
  rows_.resize(static_cast<std::size_t>(finished_steps_));
  begun_steps_ = finished_steps_;
  return lost;
}

void LearningNode::set_staleness(std::int64_t step, double staleness) {
  check(step >= 0 && step < static_cast<std::int64_t>(rows_.size()), "staleness is recorded of a step that has begun");
  rows_[static_cast<std::size_t>(step)].staleness = staleness;
}

std::span<const IterationRow> LearningNode::iterations() const {
  return {rows_.data(), static_cast<std::size_t>(counted_steps_)};
}

// --- what computing takes ---

double LearningNode::draw_gradient_seconds() {
  const scenario::ComputeSpec& compute = scenario_.compute;
  const double mean_s = cluster().compute_s[static_cast<std::size_t>(id())] - compute.overhead.value;
  return mean_s * jitter_.log_normal_mean_one(compute.jitter) + compute.overhead.value;
}

void LearningNode::computing_ends(double spent_s, bool for_step) {
  computing_since_s_.reset();
  if (for_step) rows_.back().compute_s += spent_s;
  compute_s_ += spent_s;
}

double LearningNode::compute_seconds(double end_s) const {
  return compute_s_ + (computing_since_s_ ? std::max(0.0, end_s - *computing_since_s_) : 0);
}

// --- learning ---

void LearningNode::note_minibatch(double loss, std::optional<double> accuracy) {
  rows_.back().train_loss = loss;
  rows_.back().train_accuracy = accuracy;
  loss_sum_ += loss;
  ++losses_;
}

std::optional<double> LearningNode::take_train_loss() {
  if (losses_ == 0) return std::nullopt;
  return std::exchange(loss_sum_, 0) / static_cast<double>(std::exchange(losses_, 0));
}

Gradient LearningNode::gradient_at(Payload at, Payload values, double loss) const {
  const nn::RateParams& rate = nn::rate_params(scenario_.training.optimizer);
  return {.values = std::move(values),
          .loss = loss,
          .at = rate.weight_decay > 0 ? std::move(at) : nullptr,
          .run_share = nn::follows_the_run(rate) ? run_share() : 0};
}

double LearningNode::learning_rate(const Update& update) {
  ModelSteps steps = weights_.steps();
  if (update.updates) (steps = {}).advance(*update.updates * update.gradients, update.workers);
  const bool follows = nn::follows_the_run(nn::rate_params(scenario_.training.optimizer));
  const double share = update.run_share || !follows ? update.run_share.value_or(0) : run_share();
  return cluster().learning_rate(steps.whole, share);
}

void LearningNode::apply(const Update& update) {
  if (update.gradient.empty()) return;
  const double rate = learning_rate(update);
  const std::span<float> weights = weights_.write();
  const Slice slice{update.first, update.first + update.gradient.size()};
  std::span<const float> penalised = values_of(update.penalised_at);
  if (penalised.size() > update.gradient.size()) penalised = part_of(penalised, slice);
  const nn::WeightedGradient gradient{update.gradient, update.weight, update.coordinate_weights, penalised};
  nn::Optimizer& optimizer = weights_.optimizer();
  if (update.updates) {
    return optimizer.step_slice(part_of(weights, slice), update.first, gradient, rate, update.updates);
  }
  if (update.gradient.size() == weights.size()) {
    optimizer.step(weights, gradient, rate);
  } else {
    optimizer.step_slice(part_of(weights, slice), update.first, gradient, rate);
    if (update.gradients > 0) optimizer.end_slices();
  }
  weights_.steps().advance(update.gradients, update.workers);
}

// --- records ---

void LearningNode::record(const Record& record) {
  if (const auto* staleness = std::get_if<Staleness>(&record)) record_staleness(*staleness);
  if (const auto* suspicion = std::get_if<Suspicion>(&record)) given_up_.push_back({id(), suspicion->worker, now()});
  if (const auto* answer = std::get_if<Answer>(&record)) answers_.push_back(*answer);
  if (const auto* draw = std::get_if<Draw>(&record); draw != nullptr && scenario_.record.draws) draws_.push_back(*draw);
}

}  // namespace ddl::run
