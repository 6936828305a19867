// Synchronous SGD with a sharded parameter server and b backup workers (Chen et al., 2016).
//
//   worker:  pull, gradient, push, as in ps_async.cpp
//   server:  1  worker w pushes g, taken at the newest x:  gradients[w] = g;  one taken at an older x is dropped
//            2  once there are n - b gradients (or those of all workers that are left):
//               x = step(x, their mean, summed in worker order);  gradients = {}
//            3  a pull is answered as soon as there is an x that is new to the worker
//
// Because of 3 a worker pushes once in a round, unless it has restarted: then its later gradient counts.
#include "core/systems/servers/ps_sync.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "core/comm/sharded_model.hpp"
#include "core/membership/worker_set.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {

void PsSyncParams::server(Node& node) const {
  comm::ShardServer shard(node);
  membership::WorkerSet workers(node, on_failure, failure_timeout);
  const auto enough = static_cast<std::size_t>(node.cluster().workers - backup_workers);
  std::map<int, Payload> gradients;  // the round's, by worker
  double run_share = 0;              // the greatest of these
  const auto missing = [&] {
    if (gradients.empty()) return std::vector<int>();  // no round has begun
    return workers.where([&](int worker) { return !gradients.contains(worker); });
  };
  while (true) {
    if (const auto message = workers.receive(shard, "pulls and pushes of workers", missing)) {
      const int worker = message->source;
      workers.add(worker);
      if (message->is<comm::Pull>()) {
        if (!shard.has_newest(worker)) shard.answer(worker);  // 3
      } else if (shard.record_staleness(*message) == 0) {
        node.compute(update_time.value);
        workers.begin_waiting();
        gradients[worker] = message->values;  // 1
        run_share = std::max(run_share, message->as<comm::Push>().run_share);
      }
    }
    if (gradients.empty()) continue;
    const auto is_in = [&](int worker) { return gradients.contains(worker); };
    if (gradients.size() < enough && !workers.all_of(is_in)) continue;
    std::vector<float> sum(node.weights().read().size());
    for (const auto& [worker, gradient] : gradients) add_scaled(sum, values_of(gradient));
    const int count = static_cast<int>(gradients.size());
    shard.apply(sum, node.cluster().gradient_weight(count),
                {.weight = node.cluster().step_weight(count), .run_share = run_share});  // 2
    gradients.clear();
    run_share = 0;
    workers.stop_waiting();
    shard.answer_if([&](int worker) { return !shard.has_newest(worker); });  // 3
  }
}

// With backup workers or a time-out no worker waits for the slowest.
Traffic PsSyncParams::traffic(const Cluster& cluster) const {
  if (is_by_layers(*this, cluster)) return traffic_by_layers(cluster, codec);
  const bool waits_for_all = backup_workers == 0 && on_failure != OnFailure::time_out;
  return comm::pull_and_push(cluster, waits_for_all ? Pace::lockstep : Pace::free, 1, codec);
}

std::vector<SettingError> PsSyncParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list = errors_by_layers(*this, on_failure);
  if (overlap == PsOverlap::layers && backup_workers > 0) {
    list.push_back(
        {"backup_workers", "is given beside overlap \"layers\", in which every layer waits for all; expected 0"});
  }
  if (backup_workers >= around.workers) {
    list.push_back({"backup_workers", std::to_string(backup_workers) + " of " + std::to_string(around.workers) +
                                          " workers; expected fewer, for a round to have a gradient"});
  }
  return list;
}

}  // namespace ddl::systems
