// Asynchronous elastic averaging SGD (Zhang, Choromanska and LeCun, NIPS 2015, algorithm 1). The center c is sharded
// over the servers.
//
//   worker, step t:  1  g = gradient(x)
//                    2  if tau divides t:  e = alpha (x - c);  x = x - e;  c = c + e
//                    3  x = step(x, g)
//   server:          4  on a pull:       send c
//                    5  on a push of e:  c = c + e
#include "easgd.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/comm/sharded_model.hpp"
#include "core/systems/plugin.hpp"
#include "core/node/vectors.hpp"

namespace elastic {
namespace {

// e, which x loses; null when timing only.
Payload elastic_difference(std::span<float> x, const Payload& center, float alpha) {
  if (!center) return nullptr;
  std::vector<float> difference(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference[i] = alpha * (x[i] - (*center)[i]);
    x[i] -= difference[i];
  }
  return make_payload(std::move(difference));
}

double moving_rate(const EasgdParams& params, const Cluster& cluster) {
  return params.alpha.value_or(0.9 / cluster.workers);
}

void start_from(const comm::ShardedModel::Pulled& center, Weights& x) {
  x.adopt(center.model);
  x.steps().whole = center.steps;
}

}  // namespace

void EasgdParams::worker(Node& node) const {
  comm::ShardedModel center(node);
  const auto rate = static_cast<float>(moving_rate(*this, node.cluster()));
  if (node.membership().needs_model()) start_from(center.pull(), node.weights());
  while (node.next_step()) {
    const Gradient gradient = node.gradient();  // 1
    if (node.step() % tau == 0) {
      const Payload pulled = center.pull().model;
      center.push(elastic_difference(node.weights().write(), pulled, rate));  // 2
    }
    node.apply(gradient);  // 3
    node.finish_step();
  }
  center.leave();
}

void EasgdParams::server(Node& node) const {
  comm::ShardServer shard(node);
  while (true) {
    const Message message = shard.receive("pulls and pushes of workers");
    if (message.is<comm::Pull>()) shard.answer(message.source);  // 4
    if (!message.is<comm::Push>()) continue;  // a worker left, or an event of its host: `shard` has noted it
    shard.record_staleness(message);
    shard.add(values_of(message.values));  // 5
    // The center is as far as the worker that is furthest: one that comes late goes on from there.
    std::int64_t& steps = node.weights().steps().whole;
    steps = std::max(steps, message.as<comm::Push>().steps);
  }
}

// A push travels while the next gradients are computed. A pull does not, since the worker waits for it; counting it as
// if it did makes the bound weaker, never wrong.
Traffic EasgdParams::traffic(const Cluster& cluster) const {
  return comm::pull_and_push(cluster, Pace::overlapped, 1.0 / tau);
}

std::optional<graph::Consensus> EasgdParams::consensus(const Cluster& cluster) const {
  return graph::consensus_with_center(cluster.workers, moving_rate(*this, cluster), tau);
}

}  // namespace elastic

DDLSIM_PLUGIN(elastic::EasgdParams)
