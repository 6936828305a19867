// What a finished simulation hands on.
#include "core/algorithms/table.hpp"
#include "sim/runtime/sim_node.hpp"
#include "sim/runtime/simulation.hpp"

namespace ddl {

RunResult Simulation::collect(double end_s) {
  RunResult result;
  result.workers = cluster_.workers;
  for (int id = 0; id < fabric_.node_count(); ++id) result.nodes.push_back(fabric_.name(id));
  if (evaluator_) result.curve = evaluator_->curve();
  for (int worker = 0; worker < cluster_.workers; ++worker) {
    const SimNode& node = *nodes_[static_cast<std::size_t>(worker)];
    const auto rows = node.iterations();
    result.iterations.insert(result.iterations.end(), rows.begin(), rows.end());
    result.steps.push_back(node.counted_steps());
    result.compute_s.push_back(node.compute_seconds());
  }
  result.simulated_s = end_s;
  result.samples = static_cast<double>(steps_) * scenario_.training.batch_size;
  result.epochs = result.samples / static_cast<double>(training_samples_);
  result.stopped_by = stopped_by_;
  collect_network(result);
  network_->end_trace();
  if (tracer_.is_on()) result.trace = tracer_.take(end_s);
  collect_models(result);
  result.events = result.messages_sent + steps_;
  if (trainer_) result.math_s = trainer_->math_seconds();
  return result;
}

void Simulation::collect_network(RunResult& result) const {
  const auto bytes = network_->bytes_per_link();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const LinkInfo& link = fabric_.links()[i];
    const double most = link.bandwidth_bytes_per_s * result.simulated_s;
    result.traffic.push_back(
        {link.name, link.direction, bytes[i], most > 0 ? bytes[i] / most : 0, link.bandwidth_bytes_per_s});
  }
  result.pairs = network_->pairs();
  result.bytes_sent = network_->bytes_sent();
  result.bytes_delivered = network_->bytes_delivered();
  result.messages_sent = network_->messages_sent();
  result.longest_queue = network_->longest_queue();
  result.bounds = bounds_of(fabric_, traffic_of(scenario_.algorithm, cluster_), cluster_.compute_s,
                            static_cast<double>(cluster_.model_bytes), scenario_.wire.header_bytes.value);
}

void Simulation::collect_models(RunResult& result) const {
  if (!trainer_) return;
  const auto models = final_models();
  result.weights_at_servers = cluster_.servers > 0;
  for (const Payload& model : models) result.weights.push_back(*model);
  const auto mean = mean_of(models);
  double distance = 0;
  for (const Payload& model : models) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const double difference = static_cast<double>((*model)[i]) - mean[i];
      distance += difference * difference;
    }
  }
  result.consensus_distance = distance / static_cast<double>(models.size());
}

}  // namespace ddl
