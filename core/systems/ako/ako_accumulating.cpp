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
#include <cmath>
#include <limits>

#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

constexpr std::int64_t transfers_per_probe = 32;

// An empty message, whose time is the latency.
struct Probe {};

}  // namespace

std::optional<double> RecentRate::seconds_per_unit() const {
  double seconds = 0, amount = 0;
  for (const auto& [took, of] : recent_) seconds += took, amount += of;
  if (amount <= 0) return std::nullopt;
  return seconds / amount;
}

int adapted_partitions(int now, double exchange_s, double gradient_s, double utilisation, double most) {
  const double wanted = gradient_s > 0 ? std::min(exchange_s / (utilisation * gradient_s), most) : most;
  if (wanted <= now && wanted >= 0.9 * (now - 1)) return now;
  return static_cast<int>(std::clamp(std::ceil(wanted - 1e-9), 1.0, most));
}

AccumulatingSender::AccumulatingSender(Node& node, const AkoParams& params, const AkoPlan& plan)
    : node_(node),
      params_(params),
      plan_(plan),
      random_(node.rng("codec")),
      partitions_(static_cast<int>(plan.partitions(node.id()).size())) {
  const Cluster& cluster = node.cluster();
  for (int id = 0; id < cluster.workers; ++id) {
    if (id == node.id()) continue;
    Peer& peer = peers_.emplace_back();
    peer.id = id;
    peer.rank = id < node.id() ? id : id - 1;
    peer.sum.resize(cluster.timing_only ? 0 : cluster.parameters);
    peer.since.assign(static_cast<std::size_t>(partitions_), 0);
    begin_round(peer, partitions_);
  }
}

void AccumulatingSender::start() {
  for (Peer& peer : peers_) {
    node_.spawn("send", [this, &peer] { serve(peer); });
  }
}

void AccumulatingSender::send(const Payload& gradient, double seconds) {
  last_ = node_.step();
  gradients_.add(seconds, 1);
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
    if (params_.partitions.adaptive && peer.transfers++ % transfers_per_probe == 0) measure_latency(peer);
    --peer.turns;
    const double since_s = node_.now();
    Message part = take(peer);  // 2
    const auto bytes = static_cast<double>(part.wire_bytes);
    node_.send(peer.id, std::move(part));
    node_.queue(peer.id).flush();
    if (node_.up(peer.id)) peer.rate.add(std::max(0.0, node_.now() - since_s - peer.latency_s), bytes);
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
  if (params_.partitions.adaptive) {
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
  if (!params_.partitions.adaptive) return begin_round(peer, peer.partitions);
  adapt();
  if (partitions_ == peer.partitions) return begin_round(peer, partitions_);
  // The oldest gradient of a new part is that of the old ones it has coordinates of.
  const std::size_t parameters = node_.cluster().parameters;
  std::vector<std::int64_t> since(static_cast<std::size_t>(partitions_), std::numeric_limits<std::int64_t>::max());
  for (int part = 0, old = 0; part < partitions_;) {
    const Slice mine = even_part(parameters, partitions_, part), theirs = even_part(parameters, peer.partitions, old);
    std::int64_t& oldest = since[static_cast<std::size_t>(part)];
    oldest = std::min(oldest, peer.since[static_cast<std::size_t>(old)]);
    if (theirs.end > mine.end) {
      ++part;
    } else {
      if (theirs.end == mine.end) ++part;
      ++old;
    }
  }
  peer.since = std::move(since);
  begin_round(peer, partitions_);
}

void AccumulatingSender::begin_round(Peer& peer, int partitions) {
  peer.partitions = partitions;
  peer.sent = 0;
  peer.next = params_.schedule == AkoSchedule::rotate ? peer.rank % partitions : 0;
}

void AccumulatingSender::adapt() {
  const Cluster& cluster = node_.cluster();
  double slowest = 0;  // seconds per byte
  for (const Peer& peer : peers_) {
    if (node_.up(peer.id)) slowest = std::max(slowest, peer.rate.seconds_per_unit().value_or(0));
  }
  const auto gradient_s = gradients_.seconds_per_unit();
  if (slowest == 0 || !gradient_s) return;
  partitions_ = adapted_partitions(partitions_, slowest * static_cast<double>(cluster.model_bytes), *gradient_s,
                                   params_.utilisation, most_partitions(cluster));
}

comm::Compressor& AccumulatingSender::compressor(const Peer& peer, int part, const comm::Partition& slices) {
  const auto key = std::pair(peer.id, part);
  const auto found = compressors_.find(key);
  if (found != compressors_.end()) return found->second;
  return compressors_.emplace(key, comm::Compressor(params_.codec, node_.cluster(), slices, Stream(random_.bits())))
      .first->second;
}

}  // namespace ddl::systems
