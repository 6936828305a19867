#include "sim/experiment/cluster.hpp"

#include <cmath>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/check.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/optimizer.hpp"
#include "core/systems/table.hpp"
#include "sim/network/bounds.hpp"

namespace ddl::experiment {
namespace {

// Forward and backward pass: three times the forward pass's multiply-adds, two operations each.
double derived_seconds(const nn::Model& model, int batch_size, double speed_flops) {
  return 3 * 2 * model.forward_multiply_adds() * batch_size / speed_flops;
}

// What could not be checked before the platform was known.
void check_against_platform(const scenario::Scenario& scenario, const platform::Fabric& fabric) {
  std::string lines;
  const auto complain = [&](const std::string& line) { lines += (lines.empty() ? "" : "\n") + line; };
  for (const auto& [host, factor] : scenario.compute.slowdown) {
    bool found = false;
    for (int node = 0; node < fabric.node_count(); ++node) found = found || fabric.name(node) == host;
    if (!found) complain("$.compute.slowdown." + host + ": no such host takes part");
  }
  Surroundings around{fabric.worker_count(), fabric.server_count(),
                      nn::Optimizer::is_stateless(scenario.training.optimizer)};
  for (int worker = 0; worker < around.workers; ++worker) around.worker_names.push_back(fabric.name(worker));
  for (const SettingError& error : systems::setting_errors(*scenario.algorithm, around)) {
    complain("$.algorithm." + error.key + ": " + error.what);
  }
  if (!lines.empty()) throw InputError(lines);
}

}  // namespace

double slowdown_of(const scenario::Scenario& scenario, const std::string& host) {
  const auto found = scenario.compute.slowdown.find(host);
  return found == scenario.compute.slowdown.end() ? 1 : found->second;
}

int sharing_of(const scenario::Scenario& scenario, const Cluster& cluster) {
  return scenario.algorithm->facts().one_model ? cluster.workers : 1;
}

int learners_of(const scenario::Scenario& scenario, const Cluster& cluster) {
  return scenario.algorithm->facts().one_trains ? 1 : cluster.workers / sharing_of(scenario, cluster);
}

Cluster make_cluster(const scenario::Scenario& scenario, const platform::Fabric& fabric, const nn::Model* model) {
  check_against_platform(scenario, fabric);
  Cluster cluster;
  cluster.workers = fabric.worker_count();
  cluster.servers = scenario.algorithm->facts().needs_servers ? fabric.server_count() : 0;
  cluster.seed = scenario.seed;
  cluster.batch_size = scenario.training.batch_size;
  cluster.training_samples = static_cast<std::size_t>(scenario.data.train.value_or(data::synthetic_training_samples));
  for (int worker = 0; worker < cluster.workers; ++worker) {
    cluster.shard_samples.push_back(even_part(cluster.training_samples, cluster.workers, worker).size());
  }
  cluster.timing_only = model == nullptr;
  cluster.scale = scenario.training.gradient_scale;
  const double real_bytes = model != nullptr ? 4.0 * static_cast<double>(model->parameter_count()) : 0;
  const double model_bytes = scenario.wire.model_bytes ? scenario.wire.model_bytes->value : real_bytes;
  cluster.model_bytes = static_cast<std::uint64_t>(std::llround(model_bytes));
  const int kept_vectors = nn::Optimizer::kept_vectors(scenario.training.optimizer);
  cluster.replica_bytes = cluster.model_bytes * static_cast<std::uint64_t>(1 + kept_vectors);
  cluster.parameters =
      model != nullptr ? model->parameter_count() : static_cast<std::size_t>(std::ceil(model_bytes / 4));
  if (model != nullptr) cluster.tensors = model->tensors();
  for (int worker = 0; worker < cluster.workers; ++worker) {
    const double seconds = scenario.compute.seconds_per_batch
                               ? scenario.compute.seconds_per_batch->value
                               : derived_seconds(*model, scenario.training.batch_size, fabric.speed_flops(worker));
    cluster.worker_names.push_back(fabric.name(worker));
    cluster.compute_s.push_back(seconds * slowdown_of(scenario, fabric.name(worker)) + scenario.compute.overhead.value);
  }
  cluster.model = model;
  for (const scenario::Fault& fault : scenario.faults)
    cluster.hosts_change = cluster.hosts_change || scenario::changes_hosts(fault);
  struct Exchange {
    std::once_flag found;
    std::vector<double> seconds;
  };
  cluster.exchange_s = [&fabric, model_bytes, exchange = std::make_shared<Exchange>()]() -> const std::vector<double>& {
    std::call_once(exchange->found, [&] { exchange->seconds = network::exchange_seconds(fabric, model_bytes); });
    return exchange->seconds;
  };
  return cluster;
}

network::Bounds bounds_of(const scenario::Scenario& scenario, const platform::Fabric& fabric, const Cluster& cluster) {
  return network::bounds_of(fabric, scenario.algorithm->traffic(cluster), cluster.compute_s,
                            static_cast<double>(cluster.model_bytes), scenario.wire.header_bytes.value);
}

}  // namespace ddl::experiment
