// What a finished simulation hands on.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/finite.hpp"
#include "core/systems/table.hpp"
#include "sim/runtime/sim_node.hpp"
#include "sim/runtime/simulation.hpp"

namespace ddl::runtime {

experiment::RunResult Simulation::collect(double end_s) {
  experiment::RunResult result;
  result.workers = cluster_.workers;
  for (int id = 0; id < fabric_.node_count(); ++id) result.nodes.push_back(fabric_.name(id));
  if (evaluator_) result.curve = evaluator_->curve();
  for (int worker = 0; worker < cluster_.workers; ++worker) {
    const SimNode& node = *nodes_[static_cast<std::size_t>(worker)];
    const auto rows = node.iterations();
    result.iterations.insert(result.iterations.end(), rows.begin(), rows.end());
    result.steps.push_back(node.counted_steps());
    result.compute_s.push_back(node.compute_seconds(end_s));
  }
  for (const auto& node : nodes_) {
    result.given_up.insert(result.given_up.end(), node->given_up().begin(), node->given_up().end());
    result.answers.insert(result.answers.end(), node->answers().begin(), node->answers().end());
  }
  result.simulated_s = end_s;
  const std::int64_t batches = steps_ / sharing_;
  result.samples = static_cast<double>(batches) * scenario_.training.batch_size;
  result.epochs = result.samples / static_cast<double>(training_samples_);
  collect_network(result);
  if (!scenario_.faults.empty()) {
    result.faults = fault_counts_;
    result.faults->messages_lost = network_->messages_lost();
    result.faults->messages_sent_again = network_->messages_sent_again();
    result.faults->bytes_lost = network_->bytes_lost();
  }
  network_->end_trace();
  if (tracer_.is_on()) {
    result.trace = tracer_.take(end_s);
    result.trace->faults = faults_.intervals(end_s);
    for (experiment::TraceInterval& absence : hosts_.absences(end_s))
      result.trace->faults.push_back(std::move(absence));
  }
  collect_models(result);
  result.divergence = divergence_ ? divergence_ : divergence_at_the_end(result);
  result.stopped_by = result.divergence ? "diverged" : stopped_by_;
  check_counts(result);
  result.events = result.messages_sent + steps_;
  if (trainer_) result.math_s = trainer_->math_seconds();
  return result;
}

std::optional<experiment::Divergence> Simulation::divergence_at_the_end(const experiment::RunResult& result) const {
  if (!trainer_) return std::nullopt;
  const int first = cluster_.servers > 0 ? cluster_.workers : 0;
  for (int id = first; id < fabric_.node_count() && id < first + std::max(cluster_.workers, cluster_.servers); ++id) {
    SimNode& holder = *nodes_.at(static_cast<std::size_t>(id));
    if (all_finite(holder.weights().read())) continue;
    return experiment::Divergence{id, id < cluster_.workers ? holder.counted_steps() : steps_, result.simulated_s,
                                  "weights"};
  }
  const std::size_t rows = static_cast<std::size_t>(cluster_.workers) + 2;  // of the last evaluation
  check(result.curve.size() >= rows, "a run that learns ends with an evaluation");
  for (int worker = 0; worker < cluster_.workers; ++worker) {
    const experiment::CurveRow& row = result.curve[result.curve.size() - rows + static_cast<std::size_t>(worker)];
    if (std::isfinite(row.test_loss)) continue;
    return experiment::Divergence{worker, result.steps[static_cast<std::size_t>(worker)], result.simulated_s,
                                  "test loss"};
  }
  return std::nullopt;
}

void Simulation::check_counts(const experiment::RunResult& result) const {
  network_->check_accounts();
  std::int64_t steps = 0;
  for (const std::int64_t of_worker : result.steps) steps += of_worker;
  check(steps == steps_, "every finished step is some worker's");
  check(result.iterations.size() == static_cast<std::size_t>(steps), "every finished step has its row");
  for (const experiment::IterationRow& row : result.iterations) {
    check(row.start_s <= row.end_s && row.end_s <= latest_s_, "a step ends after it starts and before the run ends");
  }
}

void Simulation::collect_network(experiment::RunResult& result) const {
  const auto bytes = network_->bytes_per_link();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const platform::LinkInfo& link = fabric_.links()[i];
    const double most = link.bandwidth_bytes_per_s * result.simulated_s;
    result.traffic.push_back(
        {link.name, link.direction, bytes[i], most > 0 ? bytes[i] / most : 0, link.bandwidth_bytes_per_s});
  }
  result.pairs = network_->pairs();
  result.bytes_sent = network_->bytes_sent();
  result.bytes_delivered = network_->bytes_delivered();
  result.messages_sent = network_->messages_sent();
  result.longest_queue = network_->longest_queue();
  result.bounds = bounds_;
}

void Simulation::collect_models(experiment::RunResult& result) const {
  if (!trainer_) return;
  const auto models = final_models();
  result.weights_at_servers = cluster_.servers > 0;
  for (const Payload& model : models) result.weights.push_back(*model);
  std::vector<Payload> compared;
  const std::vector<char> counts = workers_that_count();
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (cluster_.servers > 0 || counts[i]) compared.push_back(models[i]);
  }
  result.consensus_distance = experiment::consensus_distance_of(compared);
}

}  // namespace ddl::runtime
