#include "core/comm/sharded_model.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/node/vectors.hpp"

namespace ddl::comm {

ShardedModel::ShardedModel(Node& node, const codec::CodecParams& codec) : node_(node) {
  const Cluster& cluster = node.cluster();
  node.membership().watch(to_worker, {cluster.workers, cluster.workers + cluster.servers});
  Stream random = node.rng("codec");
  for (int server = 0; server < cluster.servers; ++server) {
    compressors_.emplace_back(codec, cluster, std::vector{cluster.slice_of(cluster.workers + server)},
                              codec_stream(node, codec, random, server));
  }
}

ShardedModel::Pulled ShardedModel::pull() {
  std::optional<Pulled> model = pull_unless_refused();
  check(model.has_value(), "servers that answer every pull");
  return *std::move(model);
}

std::optional<ShardedModel::Pulled> ShardedModel::pull_unless_refused() {
  const Cluster& cluster = node_.cluster();
  const Message question{.port = to_server, .step = node_.step(), .body = Pull{}};
  const std::int64_t asked_after = node_.membership().events();
  std::set<int> awaited;
  for (int server = cluster.workers; server < cluster.workers + cluster.servers; ++server) {
    node_.send(server, question);
    awaited.insert(server);
  }
  const Reason reason("the servers' model", [&] { return std::vector<int>(awaited.begin(), awaited.end()); });
  PerNode<Payload> shards(cluster.servers);
  bool refused = false;
  std::int64_t steps = 0;
  while (!awaited.empty()) {
    const Message message = node_.receive(to_worker, reason);
    if (message.is<MembershipEvent>()) {
      if (is_back(message, cluster.workers, asked_after) && awaited.contains(message.source)) {
        node_.send(message.source, question);
      }
      continue;
    }
    awaited.erase(message.source);
    if (message.is<NoShard>()) refused = true;
    if (message.is<Shard>()) steps = std::max(steps, message.as<Shard>().steps);
    shards[message.source - cluster.workers] = message.values;
  }
  if (refused) return std::nullopt;
  if (shards.size() == 1 || cluster.timing_only) return Pulled{shards.front(), steps};
  std::vector<float> model;
  model.reserve(cluster.parameters);
  for (const Payload& shard : shards) model.insert(model.end(), shard->begin(), shard->end());
  return Pulled{make_payload(std::move(model)), steps};
}

void ShardedModel::push(const Payload& vector, double run_share) {
  const Cluster& cluster = node_.cluster();
  for (int server = 0; server < cluster.servers; ++server) {
    Message message{.port = to_server, .step = node_.step(), .body = Push{node_.weights().steps().whole, run_share}};
    compressors_[server].compress(message, share_part(vector, cluster.slice_of(cluster.workers + server)));
    node_.send(cluster.workers + server, std::move(message));
  }
}

void ShardedModel::leave() {
  const Cluster& cluster = node_.cluster();
  const Message word{.port = to_server, .step = node_.step(), .body = Leave{}};
  const std::int64_t left_after = node_.membership().events();
  for (int server = cluster.workers; server < cluster.workers + cluster.servers; ++server) node_.send(server, word);
  if (!cluster.hosts_change) return;
  node_.spawn("leave again", [&node = node_, word, left_after] {
    while (true) {
      const Message message = node.receive(to_worker, service);
      if (is_back(message, node.cluster().workers, left_after)) node.send(message.source, word);
    }
  });
}

bool ShardedModel::is_back(const Message& message, int workers, std::int64_t events) {
  if (!message.is<MembershipEvent>() || message.source < workers) return false;
  const auto event = message.as<MembershipEvent>();
  return event.presence == Presence::up && event.number > events;
}

ShardServer::ShardServer(Node& node) : node_(node), copies_(node.cluster().workers) {
  node.membership().watch(to_server);
}

Message ShardServer::receive(const Reason& reason) {
  Message message = node_.receive(to_server, reason);
  hear(message);
  return message;
}

void ShardServer::hear(const Message& message) {
  const int worker = message.source;
  if (message.is<Pull>()) asking_[worker] = {message.step, node_.now()};
  if (!message.is<MembershipEvent>() || worker >= node_.cluster().workers) return;
  if (message.as<MembershipEvent>().presence == Presence::up) return;
  asking_.erase(worker);
  copies_[worker] = {};
}

double ShardServer::oldest_pull_s() const {
  double oldest_s = node_.now();
  for (const auto& [worker, asked] : asking_) oldest_s = std::min(oldest_s, asked.since_s);
  return oldest_s;
}

void ShardServer::answer(int worker) {
  const auto asked = asking_.find(worker);
  check(asked != asking_.end(), "an answer to a worker that asks");
  copies_[worker] = {version_, asked->second.step};
  asking_.erase(asked);
  node_.send(worker, {.port = to_worker,
                      .values = node_.weights().snapshot(),
                      .wire_bytes = node_.cluster().wire_bytes(node_.shard()),
                      .body = Shard{node_.weights().steps().whole}});
}

void ShardServer::refuse_all() {
  for (const auto& [worker, asked] : asking_) node_.send(worker, {.port = to_worker, .body = NoShard{}});
  asking_.clear();
}

void ShardServer::apply(std::span<const float> gradient, float factor, Update how) {
  update_.assign(gradient.begin(), gradient.end());
  for (float& value : update_) value *= factor;
  how.gradient = update_;
  node_.apply(how);
  ++version_;
}

void ShardServer::add(std::span<const float> difference) {
  add_scaled(node_.weights().write(), difference);
  ++version_;
}

std::int64_t ShardServer::record_staleness(const Message& push) {
  const std::int64_t staleness = version_ - copy_of(push.source).version;
  if (node_.server_rank() == 0) node_.record(Staleness{push.source, push.step, static_cast<double>(staleness)});
  return staleness;
}

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
