// Asynchronous SGD with a sharded parameter server (Dean et al., NIPS 2012; Li et al., OSDI 2014).
//
//   worker:  1  x = pull()                server:  4  on a pull:       send x
//            2  g = gradient(x)                    5  on a push of g:  x = step(x, g) of weight 1 / n
//            3  push(g)                               or, staleness-aware (Zhang et al., IJCAI 2016),
//                                                     of weight 1 / (n * staleness of g)
//
// n is the number of workers present. The learning rate advances by one step for every n gradients.
//
// A pull follows the last push through the same channel, so that a worker always reads weights with its own gradient.
#include "core/systems/servers/ps_async.hpp"

#include <algorithm>

#include "core/comm/buckets.hpp"
#include "core/comm/sharded_model.hpp"
#include "core/node/vectors.hpp"

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

bool is_by_layers(const PsParams& params, const Cluster& cluster) {
  return params.overlap == PsOverlap::layers && cluster.steps_by_slices;
}

std::unique_ptr<Program> ps_program(const PsParams& params, Node& node, PsLayers how) {
  if (!is_by_layers(params, node.cluster())) return params.System::program(node);
  return ps_by_layers(node, params.codec, params.update_time.value, how);
}

std::vector<std::string> PsParams::notes(const Cluster& cluster) const {
  return overlap == PsOverlap::layers ? comm::notes_of_layers(cluster) : std::vector<std::string>();
}

std::vector<SettingError> errors_by_layers(const PsParams& params, OnFailure on_failure) {
  if (params.overlap == PsOverlap::none || on_failure != OnFailure::time_out) return {};
  return {{"on_failure",
           "\"time_out\" is given beside overlap \"layers\", in which no worker is given up; expected "
           "\"wait\", or overlap \"none\""}};
}

void PsAsyncParams::server(Node& node) const {
  comm::ShardServer shard(node);
  while (true) {
    const Message message = shard.receive("pulls and pushes of workers");
    if (message.is<comm::Pull>()) shard.answer(message.source);  // 4
    if (!message.is<comm::Push>()) continue;                     // `shard` has recorded leaves and events of hosts
    node.compute(update_time.value);
    const std::int64_t staleness = shard.record_staleness(message);
    apply_push(*this, shard, node, message, staleness);  // 5
  }
}

void apply_push(const PsAsyncParams& params, comm::ShardServer& shard, Node& node, const Message& push,
                std::int64_t staleness) {
  const int present = std::max(1, node.membership().workers_up());
  float weight = node.cluster().gradient_weight(present);
  if (params.staleness_aware) weight /= static_cast<float>(std::max<std::int64_t>(1, staleness));
  shard.apply(values_of(push.values), weight,
              {.weight = weight, .gradients = 1, .workers = present, .run_share = push.as<comm::Push>().run_share});
}

Traffic PsAsyncParams::traffic(const Cluster& cluster) const {
  if (is_by_layers(*this, cluster)) return traffic_by_layers(cluster, codec);
  return comm::pull_and_push(cluster, Pace::free, 1, codec);
}

}  // namespace ddl::systems
