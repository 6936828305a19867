#include "sim/experiment/learning_node.hpp"

#include <algorithm>
#include <utility>

#include "core/base/check.hpp"
#include "core/node/vectors.hpp"

namespace ddl::experiment {

LearningNode::LearningNode(const scenario::Scenario& scenario, const Cluster& cluster, int id, Payload weights)
    : Node(id, cluster), scenario_(scenario), weights_(std::move(weights)), jitter_(LearningNode::rng("jitter")) {}

Stream LearningNode::rng(const char* purpose) const {
  std::string role = is_worker() ? "worker " + std::to_string(id()) : "server " + std::to_string(server_rank());
  if (incarnation_ > 0) role += " started again " + std::to_string(incarnation_);
  return stream(scenario_.seed, role, purpose);
}

void LearningNode::reset_replica(Payload weights) {
  weights_.adopt(std::move(weights));
  optimizer_.reset();
}

// --- steps ---

void LearningNode::begin_step() {
  ++begun_steps_;
  IterationRow& row = rows_.emplace_back();
  row.worker = id();
  row.iteration = finished_steps_;
  row.start_s = now();
}

void LearningNode::end_step() {
  check(begun_steps_ == finished_steps_ + 1, "a step begun before it is finished");
  rows_.back().end_s = now();
  ++finished_steps_;
}

bool LearningNode::lose_step() {
  if (!in_step()) return false;
  rows_.pop_back();
  begun_steps_ = finished_steps_;
  return true;
}

void LearningNode::set_staleness(std::int64_t step, double staleness) {
  check(step >= 0 && step < static_cast<std::int64_t>(rows_.size()), "staleness is recorded of a step that has begun");
  rows_[static_cast<std::size_t>(step)].staleness = staleness;
}

std::vector<IterationRow> LearningNode::iterations() const { return {rows_.begin(), rows_.begin() + counted_steps_}; }

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

nn::Optimizer& LearningNode::optimizer() {
  if (!optimizer_) optimizer_.emplace(scenario_.training.optimizer, weights_.read().size());
  return *optimizer_;
}

void LearningNode::apply(std::span<const float> gradient, std::size_t first) {
  if (gradient.empty()) return;
  const std::span<float> weights = weights_.write();
  if (gradient.size() == weights.size()) return optimizer().step(weights, gradient);
  optimizer().step_slice(weights.subspan(first, gradient.size()), gradient);
}

// --- records ---

void LearningNode::record(const Record& record) {
  if (const auto* staleness = std::get_if<Staleness>(&record)) record_staleness(*staleness);
  if (const auto* suspicion = std::get_if<Suspicion>(&record)) given_up_.push_back({id(), suspicion->worker, now()});
  if (const auto* answer = std::get_if<Answer>(&record)) answers_.push_back(*answer);
  if (const auto* draw = std::get_if<Draw>(&record); draw != nullptr && scenario_.record.draws) draws_.push_back(*draw);
}

}  // namespace ddl::experiment
