// The vector is cut into one contiguous shard per server. A worker's cycle is pull, gradient, push; the pull request
// follows the last push through the same channel, so a worker never reads weights that miss its own gradient.
//
//   asynchronous server:  forever: a pull is answered at once; a push is applied on arrival
//   synchronous server:   a pull for round t is answered once round t-1 is applied; a round is applied when every
//                         worker still at work has pushed, summed in worker order
#include "core/algorithms/parameter_server.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/algorithms/compression.hpp"
#include "core/algorithms/vectors.hpp"

namespace ddl {
namespace {

enum Port { to_server, to_worker };
enum Kind { pull, push, leave };

Slice shard_of(const Cluster& cluster, int server) { return even_part(cluster.parameters, cluster.servers, server); }

class PsWorker : public Program {
 public:
  PsWorker(Node& node, const PsParams& params) : node_(node) {
    Stream random = node.rng("codec");
    for (int server = 0; server < node.cluster().servers; ++server) {
      const Slice shard = shard_of(node.cluster(), server);
      to_server_.emplace_back(params.codec, node.cluster(), std::vector{shard}, Stream(random.bits()));
    }
  }

  void run() override {
    while (node_.next_step()) {
      pull_weights();
      const Payload gradient = node_.gradient();
      to_all_servers(push, gradient);
      node_.finish_step();
    }
    to_all_servers(leave, nullptr);
  }

 private:
  void pull_weights() {
    to_all_servers(pull, nullptr);
    for (int replies = 0; replies < node_.cluster().servers; ++replies) take(node_.receive(to_worker));
  }

  void take(const Message& reply) {
    if (node_.cluster().servers == 1) {
      node_.weights().adopt(reply.values);
      return;
    }
    const auto shard = part_of(node_.weights().write(), shard_of(node_.cluster(), reply.part));
    std::ranges::copy(values_of(reply.values), shard.begin());
  }

  void to_all_servers(Kind kind, const Payload& gradient) {
    const Cluster& cluster = node_.cluster();
    for (int server = 0; server < cluster.servers; ++server) {
      const Slice shard = shard_of(cluster, server);
      Message message{.port = to_server, .kind = kind, .part = server, .step = node_.step()};
      if (kind == push) {
        to_server_[static_cast<std::size_t>(server)].compress(message, share_part(gradient, shard));
      }
      node_.send(cluster.workers + server, std::move(message));
    }
  }

  Node& node_;
  std::vector<Compressor> to_server_;
};

// What both kinds of server do alike.
class PsServer : public Program {
 public:
  PsServer(Node& node, const PsParams& params)
      : node_(node), params_(params), version_pulled_(static_cast<std::size_t>(node.cluster().workers)) {}

 protected:
  void answer(int worker) {
    version_pulled_[static_cast<std::size_t>(worker)] = version_;
    node_.send(worker, {.port = to_worker,
                        .part = node_.server_rank(),
                        .step = version_,
                        .values = node_.weights().snapshot(),
                        .wire_bytes = node_.cluster().wire_bytes(node_.shard())});
  }

  void apply(std::span<const float> sum, float weight) {
    update_.assign(sum.begin(), sum.end());
    for (float& value : update_) value *= weight;
    node_.apply(update_);
    ++version_;
  }

  // Updates others have made since the worker pulled what its gradient was taken at.
  void record_staleness(const Message& gradient) {
    if (node_.server_rank() != 0) return;
    const auto pulled = version_pulled_[static_cast<std::size_t>(gradient.source)];
    node_.record_staleness(gradient.source, gradient.step, static_cast<double>(version_ - pulled));
  }

  Node& node_;
  const PsParams params_;
  std::int64_t version_ = 0;  // updates applied

 private:
  std::vector<std::int64_t> version_pulled_;  // per worker
  std::vector<float> update_;
};

class PsAsyncServer : public PsServer {
 public:
  using PsServer::PsServer;

  void run() override {
    while (true) {
      const Message message = node_.receive(to_server);
      if (message.kind == pull) answer(message.source);
      if (message.kind == push) {
        node_.compute(params_.update_time.value);
        record_staleness(message);
        apply(values_of(message.values), node_.cluster().gradient_weight());
      }
    }
  }
};

class PsSyncServer : public PsServer {
 public:
  using PsServer::PsServer;

  void run() override {
    while (true) {
      const Message message = node_.receive(to_server);
      if (message.kind == pull) asking(message.source, message.step);
      if (message.kind == push) {
        node_.compute(params_.update_time.value);
        record_staleness(message);
        if (!gradients_.contains(message.source) && left_.contains(message.source)) --left_without_gradient_;
        gradients_[message.source] = message.values;
      }
      if (message.kind == leave && left_.insert(message.source).second && !gradients_.contains(message.source)) {
        ++left_without_gradient_;
      }
      if (!gradients_.empty() && nobody_is_missing()) {
        finish_round();
        answer_those_of_this_round();
      }
    }
  }

 private:
  // Whoever asks for a round that is there already is answered at once.
  void asking(int worker, std::int64_t round) {
    if (round <= version_) {
      answer(worker);
    } else {
      asking_[worker] = round;
    }
  }

  // A worker that has left may still have its last gradient in this round.
  bool nobody_is_missing() const {
    return gradients_.size() + left_without_gradient_ == static_cast<std::size_t>(node_.cluster().workers);
  }

  void finish_round() {
    std::vector<float> sum(node_.weights().read().size());
    for (const auto& [worker, gradient] : gradients_) add_scaled(sum, values_of(gradient));
    const bool mean = node_.cluster().scale == GradientScale::mean;
    apply(sum, mean ? 1.0f / static_cast<float>(gradients_.size()) : 1.0f);
    gradients_.clear();
    left_without_gradient_ = left_.size();
  }

  void answer_those_of_this_round() {
    for (auto asking = asking_.begin(); asking != asking_.end();) {
      const auto [worker, round] = *asking;
      asking = round <= version_ ? (answer(worker), asking_.erase(asking)) : std::next(asking);
    }
  }

  std::set<int> left_;                     // workers that will push no more
  std::size_t left_without_gradient_ = 0;  // those of them who have none in this round
  std::map<int, Payload> gradients_;       // of the round, by worker
  std::map<int, std::int64_t> asking_;     // worker -> the round whose weights it wants
};

Traffic traffic(const PsParams& params, const Cluster& cluster, Pace pace) {
  Traffic result{pace, {{}, {}}};
  const double share = 1.0 / cluster.servers, encoded = least_share(params.codec, cluster);
  for (int server = 0; server < cluster.servers; ++server) {
    for (int worker = 0; worker < cluster.workers; ++worker) {
      result.phases[0].push_back({cluster.workers + server, worker, share});
      result.phases[1].push_back({worker, cluster.workers + server, share * encoded});
    }
  }
  return result;
}

}  // namespace

std::unique_ptr<Program> make_program(const PsAsyncParams& params, Node& node) {
  if (node.is_worker()) return std::make_unique<PsWorker>(node, params);
  return std::make_unique<PsAsyncServer>(node, params);
}

std::unique_ptr<Program> make_program(const PsSyncParams& params, Node& node) {
  if (node.is_worker()) return std::make_unique<PsWorker>(node, params);
  return std::make_unique<PsSyncServer>(node, params);
}

Traffic traffic_of(const PsAsyncParams& params, const Cluster& cluster) { return traffic(params, cluster, Pace::free); }
Traffic traffic_of(const PsSyncParams& params, const Cluster& cluster) {
  return traffic(params, cluster, Pace::lockstep);
}

}  // namespace ddl
