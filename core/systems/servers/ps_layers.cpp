// Parameter servers layer by layer (P3: Jayarajan et al., SysML 2019; ByteScheduler: Peng et al., SOSP 2019); l is a
// layer, or the piece of it that one server holds:
//
//   worker:  1  before the forward pass comes to l:  wait for x_l
//            2  as soon as g_l is known:             push it
//   server:  3  asynchronous, on a push of g_l:      x_l = step(x_l, g_l) of weight 1 / n, or less if it is stale
//            4  synchronous, when all have pushed:   x_l = step(x_l, mean of g_l, summed in worker order)
//            5  send x_l to each worker whose g_l is in it, with a staleness bound s once clock_l[w] - s <= the least
//   both:    6  among messages that wait for a channel, those that the forward pass needs first go first
//
// n is the number of workers, clock_l[w] the number of g_l that worker w has pushed. Because of 6 a layer may be a step
// ahead of another, so each layer counts its own steps. The first x_l are pulled; the last ones are sent for no step.
#include "core/systems/servers/ps_layers.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
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

// The part of a layer that one server holds. Pieces are numbered in the order of the forward pass.
struct Piece {
  std::size_t layer = 0;
  int server = 0;  // node
  Slice slice;
};

std::vector<Piece> pieces_of(const Cluster& cluster) {
  comm::expect_layers(cluster);
  std::vector<Piece> pieces;
  for (std::size_t layer = 0; layer < cluster.layers.size(); ++layer) {
    const Slice whole = cluster.layers[layer].slice;
    for (int server = cluster.workers; server < cluster.workers + cluster.servers; ++server) {
      const Slice shard = cluster.slice_of(server);
      const Slice part{std::max(whole.begin, shard.begin), std::min(whole.end, shard.end)};
      if (part.begin < part.end) pieces.push_back({layer, server, part});
    }
  }
  return pieces;
}

// The body of a message with a piece of a gradient or of the model.
struct OfPiece {
  static constexpr std::string_view body_name = "ps_layers.piece";
  std::size_t piece = 0;
  double run_share = 0;  // a gradient's
};

// 6: messages that wait for the channel to one target.
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
  void send(std::size_t piece, Message message) {
    waiting_.emplace(piece, std::move(message));
    node_.notify();
  }

 private:
  Node& node_;
  const int target_;
  std::multimap<std::size_t, Message> waiting_;  // by number of the piece
};

class LayeredWorker : public Program {
 public:
  LayeredWorker(Node& node, const codec::CodecParams& codec) : node_(node), pieces_(pieces_of(node.cluster())) {
    const Cluster& cluster = node.cluster();
    for (int server = 0; server < cluster.servers; ++server) lanes_.emplace_back(node, cluster.workers + server);
    Stream random = node.rng("codec");
    for (const Piece& piece : pieces_) {
      const auto number = static_cast<std::int64_t>(compressors_.size());
      compressors_.emplace_back(codec, cluster, std::vector{piece.slice},
                                comm::codec_stream(node, codec, random, number));
    }
    calls_.begin = [this](std::size_t layer) { take(layer); };
    calls_.known = [this](std::size_t layer, const Gradient& gradient) { push(layer, gradient); };
    for (std::size_t layer = 0; layer < cluster.layers.size(); ++layer) {
      calls_.held.push_back(layer);
    }
    calls_.told.assign(calls_.held.rbegin(), calls_.held.rend());
  }

  void run() override {
    for (Lane& lane : lanes_) lane.start();
    node_.spawn("the model's layers", [this] {
      while (true) {
        const Message message = node_.receive(comm::to_worker, service);
        arrived_[message.as<OfPiece>().piece] = message.values;
        node_.notify();
      }
    });
    tell_servers(0, {.port = comm::to_server, .body = comm::Pull{}});
    while (node_.next_step()) {
      node_.gradient(&calls_);
      node_.finish_step();
    }
    tell_servers(pieces_.size(), {.port = comm::to_server, .body = comm::Leave{}});  // behind all pushes
  }

 private:
  void tell_servers(std::size_t place, const Message& message) {
    for (Lane& lane : lanes_) lane.send(place, message);
  }

  // Numbers of the layer's pieces, which lie side by side.
  auto pieces_in(std::size_t layer) const {
    const auto found = std::ranges::equal_range(pieces_, layer, {}, &Piece::layer);
    const auto first = static_cast<std::size_t>(found.begin() - pieces_.begin());
    return std::views::iota(first, first + found.size());
  }

  void take(std::size_t layer) {  // W. 1
    for (const std::size_t p : pieces_in(layer)) {
      node_.wait_until([this, p] { return arrived_.contains(p); }, "the servers' model");
      const Payload values = arrived_.extract(p).mapped();
      if (values) std::ranges::copy(*values, part_of(node_.weights().write(), pieces_[p].slice).begin());
    }
  }

  void push(std::size_t layer, const Gradient& gradient) {  // 2
    for (const std::size_t p : pieces_in(layer)) {
      const Piece& piece = pieces_[p];
      Message message{.port = comm::to_server, .step = node_.step(), .body = OfPiece{p, gradient.run_share}};
      compressors_[p].compress(message, share_part(gradient.values, piece.slice));
      lanes_[static_cast<std::size_t>(piece.server - node_.cluster().workers)].send(p, std::move(message));
    }
  }

  Node& node_;
  const std::vector<Piece> pieces_;
  std::deque<Lane> lanes_;  // to each server
  std::vector<comm::Compressor> compressors_;
  LayerCalls calls_;
  std::map<std::size_t, Payload> arrived_;  // by number of the piece
};

class LayeredServer : public Program {
 public:
  LayeredServer(Node& node, double update_s, PsLayers how) : node_(node), update_s_(update_s), how_(how) {
    const std::vector<Piece> all = pieces_of(node.cluster());
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (all[p].server == node.id()) pieces_[p].slice = all[p].slice;
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
        for (const auto& [p, held] : pieces_) answer(p, message.source);
      } else if (message.is<comm::Leave>()) {
        present_.erase(message.source);
        for (const auto& [p, held] : pieces_) go_on_with(p);
      } else {
        take(message);
      }
    }
  }

 private:
  // A piece on this server.
  struct Held {
    Slice slice;
    std::int64_t version = 0;                 // steps made
    std::map<int, std::int64_t> taken = {};   // by worker, its version
    std::map<int, std::int64_t> clocks = {};  // by worker, the number of gradients it has pushed
    // By worker, its gradient since the piece was last sent to it; null if already applied.
    std::map<int, Payload> pushed = {};
    double run_share = 0;  // the greatest in a synchronous step
  };

  void take(const Message& push) {  // W.
    const auto about = push.as<OfPiece>();
    Held& held = pieces_.at(about.piece);
    node_.compute(update_s_ * static_cast<double>(held.slice.size()) / static_cast<double>(node_.shard().size()));
    const std::int64_t staleness = held.version - held.taken[push.source];
    const bool ends_a_step = about.piece == pieces_.begin()->first;  // the backward pass reaches it last
    if (ends_a_step && node_.server_rank() == 0) {
      node_.record(Staleness{push.source, push.step, static_cast<double>(staleness)});
    }
    held.clocks[push.source] = push.step + 1;
    held.pushed[push.source] = how_.synchronous ? push.values : nullptr;
    held.run_share = std::max(held.run_share, about.run_share);
    if (!how_.synchronous) {
      float weight = node_.cluster().gradient_weight(node_.cluster().workers);
      if (how_.staleness_aware) weight /= static_cast<float>(std::max<std::int64_t>(1, staleness));
      apply(held, values_of(push.values), weight,
            {.weight = weight, .workers = node_.cluster().workers, .run_share = about.run_share});  // 3
    }
    go_on_with(about.piece);
  }

  // Called after a push or a leave.
  void go_on_with(std::size_t p) {
    Held& held = pieces_.at(p);
    const auto has_pushed = [&](int worker) { return held.pushed.contains(worker); };
    if (how_.synchronous && !std::ranges::all_of(present_, has_pushed)) return;
    if (how_.synchronous && !held.pushed.empty()) step_with_all(held);  // 4
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const int worker : present_) least = std::min(least, held.clocks[worker]);
    std::erase_if(held.pushed, [&](const auto& entry) {  // 5
      const int worker = entry.first;
      const bool may = !how_.staleness_bound || held.clocks[worker] - *how_.staleness_bound <= least;
      if (may) answer(p, worker);
      return may;
    });
  }

  void step_with_all(Held& held) {
    std::vector<float> sum(node_.cluster().timing_only ? 0 : held.slice.size());
    for (const auto& [worker, gradient] : held.pushed) add_scaled(sum, values_of(gradient));
    const int count = static_cast<int>(held.pushed.size());
    const Cluster& cluster = node_.cluster();
    apply(held, sum, cluster.gradient_weight(count),
          {.weight = cluster.step_weight(count), .run_share = std::exchange(held.run_share, 0)});
  }

  void apply(Held& held, std::span<const float> gradient, float factor, Update how) {
    update_.assign(gradient.begin(), gradient.end());
    for (float& value : update_) value *= factor;
    how.gradient = update_;
    how.first = held.slice.begin - node_.shard().begin;
    how.updates = held.version++;
    node_.apply(how);
  }

  void answer(std::size_t p, int worker) {
    Held& held = pieces_.at(p);
    held.taken[worker] = held.version;
    const Slice here{held.slice.begin - node_.shard().begin, held.slice.end - node_.shard().begin};
    lanes_[static_cast<std::size_t>(worker)].send(p, {.port = comm::to_worker,
                                                      .values = share_part(node_.weights().snapshot(), here),
                                                      .wire_bytes = node_.cluster().wire_bytes(held.slice),
                                                      .body = OfPiece{p}});
  }

  Node& node_;
  const double update_s_;
  const PsLayers how_;
  std::map<std::size_t, Held> pieces_;  // by number
  std::deque<Lane> lanes_;              // to each worker
  std::set<int> present_;               // workers that push
  std::vector<float> update_;
};

}  // namespace

std::unique_ptr<Program> ps_by_layers(Node& node, const codec::CodecParams& codec, double update_s, PsLayers how) {
  if (node.is_worker()) return std::make_unique<LayeredWorker>(node, codec);
  return std::make_unique<LayeredServer>(node, update_s, how);
}

Traffic traffic_by_layers(const Cluster& cluster, const codec::CodecParams& codec) {
  Traffic traffic = comm::pull_and_push(cluster, Pace::overlapped, 1, codec);
  const double pieces = static_cast<double>(pieces_of(cluster).size()) / cluster.servers;
  for (auto& phase : traffic.phases) {
    for (Flow& flow : phase) flow.messages *= pieces;
  }
  return traffic;
}

}  // namespace ddl::systems
