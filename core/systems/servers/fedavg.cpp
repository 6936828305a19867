// Federated averaging (McMahan et al., AISTATS 2017, algorithm 1), of H steps instead of E epochs.
//
//   worker:  loop:  1  x = pull()
//                   2  H times:  x = step(x, gradient(x))
//                   3  push(x)
//   server:  loop:  4  wait until all workers pull
//                   5  x = sum of h_k x_k / sum of h_k over the models of the round   (h_k: steps in it)
//                   6  send x to m = max(C n, 1) of the workers, drawn at random
//
// All servers draw the same workers, each for its shard of the model. A worker begins its next step before it pulls, so
// that no model is sent to a worker without steps left; once the run has its samples, pulls are refused. The model of a
// worker which went or was suspected meanwhile is dropped.
#include "core/systems/servers/fedavg.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/comm/sharded_model.hpp"
#include "core/membership/worker_set.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

struct Trained {
  double steps = 0;
  Payload model = nullptr;
};
using Round = std::map<int, Trained>;  // by worker

void average(const Round& round, Weights& weights) {
  if (round.empty()) return;
  std::vector<float> mean(weights.read().size());
  double all_steps = 0;
  for (const auto& [worker, trained] : round) all_steps += trained.steps;
  for (const auto& [worker, trained] : round) {
    add_scaled(mean, values_of(trained.model), static_cast<float>(trained.steps / all_steps));
  }
  if (!mean.empty()) weights.adopt(make_payload(std::move(mean)));
}

std::vector<int> draw(const comm::ShardServer& shard, std::size_t count, Stream& random) {
  std::vector<int> workers;
  for (const auto& [worker, asked] : shard.asking()) workers.push_back(worker);
  shuffle(std::span<int>(workers), random);
  workers.resize(std::min(count, workers.size()));
  std::ranges::sort(workers);
  return workers;
}

std::size_t workers_in_round(const FedavgParams& params, int workers) {
  const double wanted = params.sampled.value_or(workers);
  return static_cast<std::size_t>(std::max(1.0, wanted < 1 ? std::round(wanted * workers) : wanted));
}

}  // namespace

std::optional<graph::Consensus> FedavgParams::consensus(const Cluster& cluster) const {
  if (workers_in_round(*this, cluster.workers) < static_cast<std::size_t>(cluster.workers)) return std::nullopt;
  return graph::Consensus{.factor = 0, .period = local_steps};
}

void FedavgParams::worker(Node& node) const {
  comm::ShardedModel model(node);
  bool at_work = node.next_step();
  while (at_work) {
    const auto pulled = model.pull_unless_refused();  // 1
    if (!pulled) break;
    node.weights().adopt(*pulled);
    for (int steps = 0; at_work && steps < local_steps; ++steps) {
      const Gradient gradient = node.gradient();
      node.apply(values_of(gradient.values));  // 2
      node.finish_step();
      at_work = node.next_step();
    }
    model.push(node.weights().snapshot());  // 3
  }
  model.leave();
}

void FedavgParams::server(Node& node) const {
  comm::ShardServer shard(node);
  membership::WorkerSet workers(node, on_failure, failure_timeout);
  Stream random = stream(node.cluster().seed, "everybody", "sampled workers");
  Round round;
  std::int64_t rounds = 0;
  const auto missing = [&] { return workers.where([&](int worker) { return !shard.asking().contains(worker); }); };
  while (true) {
    if (const auto message = workers.receive(shard, "workers to be ready", missing)) {
      const int worker = message->source;
      if (message->is<comm::Pull>()) {
        workers.add(worker);
        workers.begin_waiting();  // before the first round
      } else if (workers.contains(worker) && shard.has_pulled(worker)) {
        round[worker] = {static_cast<double>(shard.steps_in(*message)), message->values};
      }
    }
    if (shard.asking().size() < workers.size()) continue;  // 4
    workers.stop_waiting();
    average(round, node.weights());  // 5
    round.clear();
    if (!node.run_goes_on()) shard.refuse_all();
    if (shard.asking().empty()) continue;
    for (const int worker : draw(shard, workers_in_round(*this, node.cluster().workers), random)) {
      node.record(Draw{"sampled worker", rounds, static_cast<std::uint64_t>(worker), Draw::node});
      shard.answer(worker);  // 6
    }
    ++rounds;
    workers.begin_waiting();
  }
}

}  // namespace ddl::systems
