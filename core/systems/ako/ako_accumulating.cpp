// Beside the worker's steps, for each peer j:
//
//   1  acc_j += g, and one part more may be sent                       (each gradient)
//   2  as soon as one may:  send the next part of acc_j, which is 0 from then on; wait until it is there
//   3  after all parts:     cut into P parts, where P follows what 2 and the gradients have taken lately
//
// A part that finds the network busy is not cut before it can leave, so every coordinate of every gradient reaches j
// exactly once, whatever P was when. No more than queue_depth parts wait for the network; all of them where a staleness
// bound makes peers wait for what they lack.
#include "core/systems/ako/ako_accumulating.hpp"

#include <algorithm>
#include <string_view>

#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

constexpr std::int64_t transfers_per_probe = 32;

// An empty message, whose time is the latency.
struct Probe {
  static constexpr std::string_view body_name = "ako.probe";
};

}  // namespace

AccumulatingSender::AccumulatingSender(Node& node, const AkoParams& params, const AkoPlan& plan)
    : node_(node),
      params_(params),
      plan_(plan),
      random_(node.rng("codec")),
      measured_(node, params.utilisation, static_cast<int>(plan.partitions(node.id()).size())) {
  const Cluster& cluster = node.cluster();
  for (int id = 0; id < cluster.workers; ++id) {
    if (id == node.id()) continue;
    Peer& peer = peers_.emplace_back();
    peer.id = id;
    peer.rank = id < node.id() ? id : id - 1;
    peer.sum.resize(cluster.timing_only ? 0 : cluster.parameters);
    peer.since.assign(static_cast<std::size_t>(measured_.partitions()), node.step());
    begin_round(peer, measured_.partitions());
  }
}

void AccumulatingSender::start() {
  for (Peer& peer : peers_) {
    node_.spawn("send", [this, &peer] { serve(peer); });
  }
}

void AccumulatingSender::send(const Payload& gradient, double seconds) {
  last_ = node_.step();
  measured_.note_gradient(seconds);
  for (Peer& peer : peers_) {
    add_scaled(peer.sum, values_of(gradient));  // 1
    const int most = params_.staleness_bound ? peer.partitions : std::min(params_.queue_depth, peer.partitions);
    peer.turns = std::min(peer.turns + 1, most);
  }
  node_.notify();
}

void AccumulatingSender::serve(Peer& peer) {
  while (true) {
    node_.wait_until([&peer] { return peer.turns > 0; }, service);
    if (params_.partitions.adaptive() && peer.transfers++ % transfers_per_probe == 0) measure_latency(peer);
    --peer.turns;
    const double since_s = node_.now();
    Message part = take(peer);  // 2
    const auto bytes = static_cast<double>(part.wire_bytes);
    node_.send(peer.id, std::move(part));
    node_.queue(peer.id).flush();
    measured_.note_transfer(peer.id, std::max(0.0, node_.now() - since_s - peer.latency_s), bytes);
    if (peer.sent == peer.partitions) end_round(peer);  // 3
  }
}

void AccumulatingSender::measure_latency(Peer& peer) {
  const double since_s = node_.now();
  node_.send(peer.id, {.body = Probe{}});
  node_.queue(peer.id).flush();
  peer.latency_s = node_.now() - since_s;
}

Message AccumulatingSender::take(Peer& peer) {
  const int part = peer.next;
  const comm::Partition slices = plan_.cut(node_.id(), part, peer.partitions);
  std::int64_t& since = peer.since[static_cast<std::size_t>(part)];
  Message message{
      .port = part % params_.tf_ako.receive_threads, .step = last_, .body = PartOfSum{part, peer.partitions, since}};
  if (params_.partitions.adaptive()) {
    message.values = comm::gather(peer.sum, slices);
    message.wire_bytes = comm::wire_bytes(node_.cluster(), slices);
  } else {
    compressor(peer, part, slices).compress(message, comm::gather(peer.sum, slices));
  }
  comm::fill_zero(peer.sum, slices);
  since = last_ + 1;
  peer.next = (part + 1) % peer.partitions;
  ++peer.sent;
  return message;
}

void AccumulatingSender::end_round(Peer& peer) {
  if (params_.partitions.adaptive()) measured_.adapt();
  const int partitions = measured_.partitions();
  if (partitions != peer.partitions) peer.since = cut_again(peer.since, partitions, node_.cluster().parameters);
  begin_round(peer, partitions);
}

void AccumulatingSender::begin_round(Peer& peer, int partitions) {
  peer.partitions = partitions;
  peer.sent = 0;
  peer.next = params_.schedule == AkoSchedule::rotate ? peer.rank % partitions : 0;
}

comm::Compressor& AccumulatingSender::compressor(const Peer& peer, int part, const comm::Partition& slices) {
  const auto key = std::pair(peer.id, part);
  const auto found = compressors_.find(key);
  if (found != compressors_.end()) return found->second;
  const Stream random =
      comm::codec_stream(node_, params_.codec, random_, static_cast<std::int64_t>(compressors_.size()));
  return compressors_.emplace(key, comm::Compressor(params_.codec, node_.cluster(), slices, random)).first->second;
}

}  // namespace ddl::systems
