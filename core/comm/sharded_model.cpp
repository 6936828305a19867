#include "core/comm/sharded_model.hpp"

#include <algorithm>
#include <utility>

#include "core/node/vectors.hpp"

namespace ddl::comm {

ShardedModel::ShardedModel(Node& node, const codec::CodecParams& codec) : node_(node) {
  node.membership().watch(to_worker);
  Stream random = node.rng("codec");
  for (int server = 0; server < node.cluster().servers; ++server) {
    to_server_.emplace_back(codec, node.cluster(),
                            std::vector{node.cluster().slice_of(node.cluster().workers + server)},
                            Stream(random.bits()));
  }
}

Message ShardedModel::message_to(const Body& body) const {
  return {.port = to_server, .step = node_.step(), .body = body};
}

void ShardedModel::send_request(const Body& body) {
  const Cluster& cluster = node_.cluster();
  told_ = body;
  told_after_ = node_.membership().events();
  for (int server = 0; server < cluster.servers; ++server) {
    node_.send(cluster.workers + server, message_to(body));
  }
}

void ShardedModel::push(const Body& body, const Payload& vector) {
  const Cluster& cluster = node_.cluster();
  for (int server = 0; server < cluster.servers; ++server) {
    Message message = message_to(body);
    to_server_[static_cast<std::size_t>(server)].compress(
        message, share_part(vector, cluster.slice_of(cluster.workers + server)));
    node_.send(cluster.workers + server, std::move(message));
  }
}

bool ShardedModel::receive() {
  const Cluster& cluster = node_.cluster();
  bool all = true;
  for (int server = 0; server < cluster.servers; ++server) awaited_.insert(cluster.workers + server);
  const Reason reason("the servers' model", [this] { return std::vector<int>(awaited_.begin(), awaited_.end()); });
  while (!awaited_.empty()) {
    const Message message = node_.receive(to_worker, reason);
    if (message.is<MembershipEvent>()) {
      if (is_back(message) && awaited_.contains(message.source)) node_.send(message.source, message_to(told_));
      continue;
    }
    awaited_.erase(message.source);
    if (message.is<NoShard>()) {
      all = false;
    } else if (cluster.servers == 1) {
      node_.weights().adopt(message.values);
    } else {
      const auto place = part_of(node_.weights().write(), cluster.slice_of(message.source));
      std::ranges::copy(values_of(message.values), place.begin());
    }
  }
  return all;
}

bool ShardedModel::is_back(const Message& message) const {
  if (!message.is<MembershipEvent>() || message.source < node_.cluster().workers) return false;
  const auto event = message.as<MembershipEvent>();
  return event.presence == Presence::up && event.number > told_after_;
}

void ShardedModel::send_leave(const Body& body) {
  send_request(body);
  if (!node_.cluster().hosts_change) return;
  node_.spawn("leave again", [this] {
    while (true) {
      const Message message = node_.receive(to_worker, service);
      if (is_back(message)) node_.send(message.source, message_to(told_));
    }
  });
}

void send_shard(Node& server, int worker) {
  server.send(worker, {.port = to_worker,
                       .values = server.weights().snapshot(),
                       .wire_bytes = server.cluster().wire_bytes(server.shard()),
                       .body = Shard{}});
}

void send_no_shard(Node& server, int worker) { server.send(worker, {.port = to_worker, .body = NoShard{}}); }

Traffic pull_and_push(const Cluster& cluster, Pace pace, double times, const codec::CodecParams& codec) {
  Traffic result{pace, {{}, {}}};
  const double share = times / cluster.servers, encoded = least_share(codec, cluster);
  for (int server = 0; server < cluster.servers; ++server) {
    for (int worker = 0; worker < cluster.workers; ++worker) {
      result.phases[0].push_back({cluster.workers + server, worker, share, times});
      result.phases[1].push_back({worker, cluster.workers + server, share * encoded, times});
    }
  }
  return result;
}

}  // namespace ddl::comm
