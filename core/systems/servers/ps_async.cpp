// Asynchronous SGD with a sharded parameter server (Dean et al., NIPS 2012; Li et al., OSDI 2014).
//
//   worker:  1  x = pull()                server:  4  on a pull:       send x
//            2  g = gradient(x)                    5  on a push of g:  x = step(x, g) of weight 1 / n
//            3  push(g)                               or, staleness-aware (Zhang et al., IJCAI 2016),
//                                                     of weight 1 / (n * staleness of g)
//
// n is the number of workers present. The rate is that of one step for n gradients.
//
// A pull follows the last push through the same channel, so that no worker reads weights without its own gradient.
#include "core/systems/servers/ps_async.hpp"

#include <algorithm>

#include "core/comm/sharded_model.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/servers/ps_layers.hpp"

namespace ddl::systems {

void PsParams::worker(Node& node) const {
  comm::ShardedModel model(node, codec);
  while (node.next_step()) {
    node.weights().adopt(model.pull().model);         // 1
    const Gradient gradient = node.gradient();        // 2
    model.push(gradient.values, gradient.run_share);  // 3
    node.finish_step();
  }
  model.leave();
}

std::unique_ptr<Program> PsAsyncParams::program(Node& node) const {
  if (overlap == PsOverlap::none) return System::program(node);
  return ps_by_layers(node, *this, {.staleness_aware = staleness_aware});
}

void PsAsyncParams::server(Node& node) const {
  comm::ShardServer shard(node);
  while (true) {
    const Message message = shard.receive("pulls and pushes of workers");
    if (message.is<comm::Pull>()) shard.answer(message.source);  // 4
    if (!message.is<comm::Push>()) continue;                     // `shard` has noted leaves and events of hosts
    node.compute(update_time.value);
    const std::int64_t staleness = shard.record_staleness(message);
    take(*this, shard, node, message, staleness);  // 5
  }
}

void take(const PsAsyncParams& params, comm::ShardServer& shard, Node& node, const Message& push,
          std::int64_t staleness) {
  const int present = std::max(1, node.membership().workers_up());
  float weight = node.cluster().gradient_weight(present);
  if (params.staleness_aware) weight /= static_cast<float>(std::max<std::int64_t>(1, staleness));
  shard.apply(values_of(push.values), weight,
              {.weight = weight, .gradients = 1, .workers = present, .run_share = push.as<comm::Push>().run_share});
}

// Pieces of several workers' gradients come in turn, so that no step of the whole model is ever over.
std::vector<SettingError> PsAsyncParams::errors(const Surroundings& around) const {
  if (overlap == PsOverlap::none || around.stateless_optimizer) return {};
  return {{"overlap",
           "\"layers\" has no whole steps, which this optimizer counts or needs; expected sgd without clip_norm"}};
}

Traffic PsAsyncParams::traffic(const Cluster& cluster) const {
  if (overlap == PsOverlap::layers) return traffic_by_layers(cluster, *this);
  return comm::pull_and_push(cluster, Pace::free, 1, codec);
}

}  // namespace ddl::systems
