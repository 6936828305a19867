// Federated averaging (McMahan et al., AISTATS 2017, algorithm 1), with H steps or E epochs per round.
//
//   worker:  loop:  1  x, t = pull()
//                   2  H times (or E epochs):  x = step(x, gradient(x)), at the rates of steps t, t + 1, ...
//                   3  push(x)
//   server:  loop:  4  wait until all workers pull
//                   5  x = sum of n_k x_k / sum of n_k over the models of the round   (n_k: samples of worker k)
//                      t = t + H                                                      (the mean, if they differ)
//                   6  send x, t to m = max(C n, 1) of the workers, drawn at random
//
// A worker that runs out of steps within the round counts by the part of the round that it took. All servers draw the
// same workers, each for its shard of the model. A worker begins its next step before it pulls, so that no model is
// sent to a worker without steps left; once the run has its samples, pulls are refused. The model of a worker that has
// gone or become suspected meanwhile is dropped.
#include "core/systems/servers/fedavg.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/comm/sharded_model.hpp"
#include "core/membership/worker_set.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

struct Trained {
  double weight = 0;
  double steps = 0;
  Payload model = nullptr;
};
using Round = std::map<int, Trained>;  // by worker

Trained trained_by(int worker, std::int64_t steps, const Payload& model, const FedavgParams& params,
                   const Cluster& cluster) {
  const auto taken = static_cast<double>(steps);
  const double samples =
      params.weigh == Weigh::samples ? static_cast<double>(cluster.shard_samples[static_cast<std::size_t>(worker)]) : 1;
  return {samples * taken / static_cast<double>(steps_in_round(params, cluster, worker)), taken, model};
}

void average(const Round& round, Weights& weights) {
  double total = 0, steps = 0;
  for (const auto& [worker, trained] : round) total += trained.weight;
  if (total == 0) return;
  std::vector<float> mean(weights.read().size());
  for (const auto& [worker, trained] : round) {
    add_scaled(mean, values_of(trained.model), static_cast<float>(trained.weight / total));
    steps += trained.steps * trained.weight / total;
  }
  if (!mean.empty()) weights.adopt(make_payload(std::move(mean)));
  weights.steps().whole += std::llround(steps);
}

std::vector<int> draw(const comm::ShardServer& shard, std::size_t count, Stream& random) {
  std::vector<int> workers;
  for (const auto& [worker, asked] : shard.asking()) workers.push_back(worker);
  shuffle(std::span<int>(workers), random);
  workers.resize(std::min(count, workers.size()));
  std::ranges::sort(workers);
  return workers;
}

}  // namespace

void FedavgParams::worker(Node& node) const {
  comm::ShardedModel model(node);
  bool at_work = node.next_step();
  while (at_work) {
    const auto pulled = model.pull_unless_refused();  // 1
    if (!pulled) break;
    node.weights().adopt(pulled->model);
    node.weights().steps().whole = pulled->steps;
    const std::int64_t round = steps_in_round(*this, node.cluster(), node.id());
    for (std::int64_t steps = 0; at_work && steps < round; ++steps) {
      const Gradient gradient = node.gradient();
      node.apply(gradient);  // 2
      node.finish_step();
      at_work = node.next_step();
    }
    model.push(node.weights().snapshot());  // 3
  }
  model.leave();
}

void FedavgParams::server(Node& node) const {
  comm::ShardServer shard(node);
  membership::WorkerSet workers(node, on_failure, failure_timeout, membership::Counted::when_there);
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
        round[worker] = trained_by(worker, shard.steps_in(*message), message->values, *this, node.cluster());
      }
    }
    if (shard.asking().size() < workers.size()) continue;  // 4
    workers.stop_waiting();
    average(round, node.weights());  // 5
    round.clear();
    if (!node.run_goes_on()) shard.refuse_all();
    if (shard.asking().empty()) continue;
    for (const int worker :
         draw(shard, static_cast<std::size_t>(workers_in_round(*this, node.cluster().workers)), random)) {
      node.record(Draw{"sampled worker", rounds, static_cast<std::uint64_t>(worker), Draw::node});
      shard.answer(worker);  // 6
    }
    ++rounds;
    workers.begin_waiting();
  }
}

// --- before a run ---

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
  if (!params.local_epochs) return params.local_steps.value();
  const auto samples = static_cast<std::int64_t>(cluster.shard_samples[static_cast<std::size_t>(worker)]);
  return std::max<std::int64_t>(1, *params.local_epochs * samples / cluster.batch_size);
}

// The model takes the steps of every round, a worker only those of its own rounds.
double FedavgParams::steps_per_iteration(const Cluster& cluster) const {
  return static_cast<double>(cluster.workers) / workers_in_round(*this, cluster.workers);
}

std::optional<graph::Consensus> FedavgParams::consensus(const Cluster& cluster) const {
  if (local_epochs || workers_in_round(*this, cluster.workers) < cluster.workers) return std::nullopt;
  return graph::Consensus{.factor = 0, .period = static_cast<int>(steps_in_round(*this, cluster, 0))};
}

void FedavgParams::fill_defaults(const Cluster* cluster) {
  if (!local_epochs && !local_steps) local_steps = 8;
  if (cluster != nullptr) sampled = {static_cast<double>(workers_in_round(*this, cluster->workers)), true};
}

std::vector<SettingError> FedavgParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list;
  if (on_failure == OnFailure::time_out && around.servers > 1) {
    list.push_back({"on_failure",
                    "\"time_out\" at several servers, which would give up different workers and no longer agree on the "
                    "workers of a round; expected one server, \"wait\" or \"go_on\""});
  }
  if (sampled && sampled->of(around.workers) > around.workers) {
    list.push_back({"sampled", "is more than this platform's " + std::to_string(around.workers) +
                                   " workers; expected a share such as 0.5, or a smaller count"});
  }
  return list;
}

}  // namespace ddl::systems
