// What is known of federated averaging before it runs.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/comm/sharded_model.hpp"
#include "core/systems/servers/fedavg.hpp"

namespace ddl::systems {

Traffic FedavgParams::traffic(const Cluster& cluster) const {
  double steps = 0;
  for (int worker = 0; worker < cluster.workers; ++worker) {
    steps += static_cast<double>(steps_in_round(*this, cluster, worker)) / cluster.workers;
  }
  return comm::pull_and_push(cluster, Pace::free, 1.0 / steps);
}

int workers_in_round(const FedavgParams& params, int workers) {
  return params.sampled ? std::max(1, static_cast<int>(std::lround(params.sampled->of(workers)))) : workers;
}

std::int64_t steps_in_round(const FedavgParams& params, const Cluster& cluster, int worker) {
  if (!params.local_epochs) return params.local_steps.value_or(8);
  const auto samples = static_cast<std::int64_t>(cluster.shard_samples[static_cast<std::size_t>(worker)]);
  return std::max<std::int64_t>(1, *params.local_epochs * samples / cluster.batch_size);
}

// The model takes the steps of every round, a worker those of its own rounds alone.
double FedavgParams::steps_per_iteration(const Cluster& cluster) const {
  return static_cast<double>(cluster.workers) / workers_in_round(*this, cluster.workers);
}

std::optional<graph::Consensus> FedavgParams::consensus(const Cluster& cluster) const {
  if (local_epochs || workers_in_round(*this, cluster.workers) < cluster.workers) return std::nullopt;
  return graph::Consensus{.factor = 0, .period = static_cast<int>(steps_in_round(*this, cluster, 0))};
}

std::vector<SettingError> FedavgParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list = errors_in(on_failure, failure_timeout);
  if (on_failure == OnFailure::time_out && around.servers > 1) {
    list.insert(list.begin(),
                {"on_failure",
                 "\"time_out\" at several servers, which would give up different workers and no longer agree on the "
                 "workers of a round; expected one server, \"wait\" or \"go_on\""});
  }
  if (sampled && sampled->of(around.workers) > around.workers) {
    list.push_back({"sampled", "is more than this platform's " + std::to_string(around.workers) +
                                   " workers; expected a share such as 0.5, or a smaller count"});
  }
  if (local_epochs && local_steps) {
    list.push_back({"local_epochs", "is given beside \"local_steps\"; expected one of the two"});
  }
  return list;
}

}  // namespace ddl::systems
