// Parameter servers layer by layer (P3: Jayarajan et al., SysML 2019; ByteScheduler: Peng et al., SOSP 2019); l is a
// layer, or what of it is on one server:
//
//   worker:  1  before the forward pass comes to l:  wait for x_l
//            2  as soon as g_l is known:             push it
//   server:  3  asynchronous, on a push of g_l:      x_l = step(x_l, g_l) of weight 1 / n, or less if it is stale;
//                                                    send x_l to its worker
//            4  synchronous, when all have pushed:   x_l = step(x_l, mean of g_l, summed in worker order);
//                                                    send x_l to all of them
//   both:    5  of what waits for a channel, what the forward pass needs first goes first
//
// n is the number of workers. The first x_l are pulled; the last that are sent are for no step.
#include "core/systems/servers/ps_layers.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/comm/buckets.hpp"
#include "core/comm/compression.hpp"
#include "core/comm/sharded_model.hpp"
#include "core/node/layers.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

// What of a layer is on one server. They are numbered in the order of the forward pass.
struct Piece {
  std::size_t layer = 0;
  int server = 0;  // node
  Slice slice;
};

std::vector<Piece> pieces_of(const Cluster& cluster) {
  comm::expect_layers(cluster);
  std::vector<Piece> units;
  for (std::size_t layer = 0; layer < cluster.layers.size(); ++layer) {
    const Slice whole = cluster.layers[layer].slice;
    for (int server = cluster.workers; server < cluster.workers + cluster.servers; ++server) {
      const Slice shard = cluster.slice_of(server);
      const Slice part{std::max(whole.begin, shard.begin), std::min(whole.end, shard.end)};
      if (part.begin < part.end) units.push_back({layer, server, part});
    }
  }
  return units;
}

// The body of a gradient or a part of the model.
struct OfPiece {
  static constexpr std::string_view body_name = "ps_layers.piece";
  std::size_t unit = 0;
  double run_share = 0;  // of a gradient
};

// What waits for the channel to one target.  5
class Lane {
 public:
  Lane(Node& node, int target) : node_(node), target_(target) {}

  void start() {
    node_.spawn("sends by layers", [this] {
      while (true) {
        node_.wait_until([this] { return !waiting_.empty(); }, service);
        node_.queue(target_).wait_for_room(1);
        node_.send(target_, waiting_.extract(waiting_.begin()).mapped());
      }
    });
  }
  void send(std::size_t unit, Message message) {
    waiting_.emplace(unit, std::move(message));
    node_.notify();
  }

 private:
  Node& node_;
  const int target_;
  std::multimap<std::size_t, Message> waiting_;  // by unit
};

class LayeredWorker : public Program {
 public:
  LayeredWorker(Node& node, const codec::CodecParams& codec) : node_(node), units_(pieces_of(node.cluster())) {
    const Cluster& cluster = node.cluster();
    for (int server = 0; server < cluster.servers; ++server) lanes_.emplace_back(node, cluster.workers + server);
    Stream random = node.rng("codec");
    for (const Piece& unit : units_) {
      const auto number = static_cast<std::int64_t>(compressors_.size());
      compressors_.emplace_back(codec, cluster, std::vector{unit.slice},
                                comm::codec_stream(node, codec, random, number));
    }
    calls_.begin = [this](std::size_t layer) { take(layer); };
    calls_.known = [this](std::size_t layer, const Gradient& gradient) { push(layer, gradient); };
    for (std::size_t layer = 0; layer < cluster.layers.size(); ++layer) {
      calls_.held.push_back(layer);
      calls_.told.insert(calls_.told.begin(), layer);
    }
  }

  void run() override {
    for (Lane& lane : lanes_) lane.start();
    node_.spawn("the model's layers", [this] {
      while (true) {
        const Message message = node_.receive(comm::to_worker, service);
        arrived_[message.as<OfPiece>().unit] = message.values;
        node_.notify();
      }
    });
    tell_servers(0, {.port = comm::to_server, .body = comm::Pull{}});
    while (node_.next_step()) {
      node_.gradient(&calls_);
      node_.finish_step();
    }
    tell_servers(units_.size(), {.port = comm::to_server, .body = comm::Leave{}});  // behind all pushes
  }

 private:
  void tell_servers(std::size_t place, const Message& message) {
    for (Lane& lane : lanes_) lane.send(place, message);
  }

  void take(std::size_t layer) {  // W. 1
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (units_[u].layer != layer) continue;
      node_.wait_until([this, u] { return arrived_.contains(u); }, "the servers' model");
      const Payload values = arrived_.extract(u).mapped();
      if (values) std::ranges::copy(*values, part_of(node_.weights().write(), units_[u].slice).begin());
    }
  }

  void push(std::size_t layer, const Gradient& gradient) {  // 2
    for (std::size_t u = 0; u < units_.size(); ++u) {
      const Piece& unit = units_[u];
      if (unit.layer != layer) continue;
      Message message{.port = comm::to_server, .step = node_.step(), .body = OfPiece{u, gradient.run_share}};
      compressors_[u].compress(message, share_part(gradient.values, unit.slice));
      lanes_[static_cast<std::size_t>(unit.server - node_.cluster().workers)].send(u, std::move(message));
    }
  }

  Node& node_;
  const std::vector<Piece> units_;
  std::deque<Lane> lanes_;  // to each server
  std::vector<comm::Compressor> compressors_;
  LayerCalls calls_;
  std::map<std::size_t, Payload> arrived_;  // by unit
};

class LayeredServer : public Program {
 public:
  LayeredServer(Node& node, double update_s, PsLayers how) : node_(node), update_s_(update_s), how_(how) {
    const std::vector<Piece> all = pieces_of(node.cluster());
    for (std::size_t u = 0; u < all.size(); ++u) {
      if (all[u].server == node.id()) units_[u].slice = all[u].slice;
    }
    for (int worker = 0; worker < node.cluster().workers; ++worker) {
      lanes_.emplace_back(node, worker);
      present_.insert(worker);
    }
  }

  void run() override {
    for (Lane& lane : lanes_) lane.start();
    while (true) {
      const Message message = node_.receive(comm::to_server, "gradients of workers");
      if (message.is<comm::Pull>()) {
        for (const auto& [u, unit] : units_) answer(u, message.source);
      } else if (message.is<comm::Leave>()) {
        present_.erase(message.source);
        for (const auto& [u, unit] : units_) step_if_all_are_there(u);
      } else {
        take(message);
      }
    }
  }

 private:
  // Of the model here, with the gradients of a round that is not over.
  struct Part {
    Slice slice;
    std::int64_t version = 0;                // steps made
    std::map<int, std::int64_t> taken = {};  // by worker, the version that it has
    std::map<int, Payload> gradients = {};
    double run_share = 0;
  };

  // The last of a step: a backward pass comes to it last.
  bool is_last(std::size_t u) const { return u == units_.begin()->first; }

  void take(const Message& push) {  // W.
    const auto about = push.as<OfPiece>();
    Part& part = units_.at(about.unit);
    node_.compute(update_s_ * static_cast<double>(part.slice.size()) / static_cast<double>(node_.shard().size()));
    const std::int64_t staleness = part.version - part.taken[push.source];
    if (is_last(about.unit) && node_.server_rank() == 0) {
      node_.record(Staleness{push.source, push.step, static_cast<double>(staleness)});
    }
    if (how_.synchronous) {
      part.gradients[push.source] = push.values;
      part.run_share = std::max(part.run_share, about.run_share);
      return step_if_all_are_there(about.unit);
    }
    float weight = node_.cluster().gradient_weight(node_.cluster().workers);
    if (how_.staleness_aware) weight /= static_cast<float>(std::max<std::int64_t>(1, staleness));
    apply(about.unit, values_of(push.values), weight,
          {.weight = weight, .workers = node_.cluster().workers, .run_share = about.run_share});  // 3
    answer(about.unit, push.source);
  }

  void step_if_all_are_there(std::size_t u) {
    Part& part = units_.at(u);
    const auto is_in = [&](int worker) { return part.gradients.contains(worker); };
    if (!how_.synchronous || part.gradients.empty() || !std::ranges::all_of(present_, is_in)) return;
    std::vector<float> sum(node_.cluster().timing_only ? 0 : part.slice.size());
    for (const auto& [worker, gradient] : part.gradients) add_scaled(sum, values_of(gradient));
    const int count = static_cast<int>(part.gradients.size());
    const Cluster& cluster = node_.cluster();
    apply(u, sum, cluster.gradient_weight(count),
          {.weight = cluster.step_weight(count), .run_share = part.run_share});  // 4
    part.run_share = 0;
    for (const auto& [worker, gradient] : std::exchange(part.gradients, {})) answer(u, worker);
  }

  // Weight 1 of a step is over with the last part.
  void apply(std::size_t u, std::span<const float> gradient, float factor, Update how) {
    Part& part = units_.at(u);
    update_.assign(gradient.begin(), gradient.end());
    for (float& value : update_) value *= factor;
    how.gradient = update_;
    how.first = part.slice.begin - node_.shard().begin;
    how.gradients = is_last(u) ? 1 : 0;
    node_.apply(how);
    ++part.version;
  }

  void answer(std::size_t u, int worker) {
    Part& part = units_.at(u);
    part.taken[worker] = part.version;
    const Slice here{part.slice.begin - node_.shard().begin, part.slice.end - node_.shard().begin};
    lanes_[static_cast<std::size_t>(worker)].send(u, {.port = comm::to_worker,
                                                      .values = share_part(node_.weights().snapshot(), here),
                                                      .wire_bytes = node_.cluster().wire_bytes(part.slice),
                                                      .body = OfPiece{u}});
  }

  Node& node_;
  const double update_s_;
  const PsLayers how_;
  std::map<std::size_t, Part> units_;  // that are here
  std::deque<Lane> lanes_;             // to each worker
  std::set<int> present_;              // workers that push
  std::vector<float> update_;
};

}  // namespace

std::unique_ptr<Program> ps_by_layers(Node& node, const PsParams& params, PsLayers how) {
  if (node.is_worker()) return std::make_unique<LayeredWorker>(node, params.codec);
  return std::make_unique<LayeredServer>(node, params.update_time.value, how);
}

Traffic traffic_by_layers(const Cluster& cluster, const PsParams& params) {
  Traffic traffic = comm::pull_and_push(cluster, Pace::overlapped, 1, params.codec);
  const double units = static_cast<double>(pieces_of(cluster).size()) / cluster.servers;
  for (auto& phase : traffic.phases) {
    for (Flow& flow : phase) flow.messages *= units;
  }
  return traffic;
}

}  // namespace ddl::systems
