// A worker keeps unsent gradients as a sum, of which each message takes a part:
//
//   1  acc_r += g for each group r of receivers             (each gradient; with "backward" the part due in this step
//      as soon as its layers are known, the others at the end)
//   2  send the next part of acc_r, which is 0 from then on
//   3  after all parts:  cut into P parts, where P follows the recent durations of 2 and of gradients    ("adaptive")
//
// If the worker waits to send, r is a class of peers, and 2 follows 1 in every step. Otherwise r is a peer, each step
// makes one more part due to it, and a service does 2 for it, one part at a time. A part is cut and encoded only when
// the network takes it, so sums accumulate while a queue is full, and every coordinate of every gradient reaches the
// peer exactly once, even if P has changed. At most queue_depth parts are due at a time; all parts may be where a
// staleness bound makes peers wait for them.
//
// The paper keeps a window of P gradients for the same purpose. Sums that restart from zero hold the same values
// without drift.
#include "core/systems/ako/ako_sender.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

constexpr std::int64_t transfers_per_probe = 32;

// An empty message, to measure the latency.
struct Probe {
  static constexpr std::string_view body_name = "ako.probe";
};

}  // namespace

AkoSender::AkoSender(Node& node, const AkoParams& params, const AkoPlan& plan)
    : node_(node),
      params_(params),
      plan_(plan),
      random_(node.rng("codec")),
      measured_(node, params.utilisation, static_cast<int>(plan.partitions(node.id()).size())) {
  const Cluster& cluster = node.cluster();
  const auto groups = waits_to_send(params) ? plan.classes(node.id()) : static_cast<std::size_t>(cluster.workers - 1);
  receivers_.resize(groups);
  for (int peer = 0, rank = 0; peer < cluster.workers; ++peer) {
    if (peer == node.id()) continue;
    const auto of_peer = waits_to_send(params) ? plan.class_of(node.id(), peer) : static_cast<std::size_t>(rank);
    receivers_[of_peer].peers.push_back(peer);
    ++rank;
  }
  int rank = 0;
  for (Receivers& to : receivers_) {
    to.first_part = params.schedule == AkoSchedule::rotate ? rank++ : 0;
    to.sum.resize(cluster.timing_only ? 0 : cluster.parameters);
    to.partitions = measured_.partitions();
    to.since.assign(static_cast<std::size_t>(to.partitions), node.step());
    to.next = scheduled(to);
  }
}

void AkoSender::start() {
  if (waits_to_send(params_)) return;
  for (Receivers& to : receivers_) {
    node_.spawn("send", [this, &to] { serve(to); });
  }
}

void AkoSender::send(const Payload& gradient, double seconds) {
  measured_.note_gradient(seconds);
  last_ = node_.step();
  for (Receivers& to : receivers_) add(to, gradient);  // 1
  if (waits_to_send(params_)) return send_to_all();
  for (Receivers& to : receivers_) {
    if (std::exchange(to.early, std::nullopt)) continue;
    if (const auto part = next_due(to, last_)) make_due(to, *part);
  }
  node_.notify();
}

void AkoSender::send_known(const Payload& gradient, std::size_t from) {
  for (Receivers& to : receivers_) {
    const auto part = to.early ? std::nullopt : next_due(to, node_.step());
    if (!part) continue;
    const comm::Partition slices = plan_.cut(node_.id(), *part, to.partitions);
    if (slices.front().begin < from) continue;
    for (const Slice slice : slices) {
      add_scaled(part_of(std::span<float>(to.sum), slice), part_of(values_of(gradient), slice));
    }
    to.early = part;
    make_due(to, *part);
  }
  node_.notify();
}

// Adds the values that the early part lacks.
void AkoSender::add(Receivers& to, const Payload& gradient) {
  std::size_t begin = 0;
  const auto add_until = [&](std::size_t end) {
    const Slice slice{begin, end};
    add_scaled(part_of(std::span<float>(to.sum), slice), part_of(values_of(gradient), slice));
  };
  if (to.early) {
    for (const Slice slice : plan_.cut(node_.id(), *to.early, to.partitions)) {
      add_until(slice.begin);
      begin = slice.end;
    }
  }
  add_until(to.sum.size());
}

int AkoSender::scheduled(const Receivers& to) const {
  return static_cast<int>(
      part_of_step(node_.step(), static_cast<std::size_t>(to.first_part), static_cast<std::size_t>(to.partitions)));
}

// With a bound, peers count on the part of each step. Without one, parts take turns, skipping steps without room:
// otherwise the parts sent might always be the same ones.
std::optional<int> AkoSender::next_due(const Receivers& to, std::int64_t newest) const {
  const bool has_room = params_.staleness_bound || std::ssize(to.due) < params_.queue_depth;
  const int part = params_.staleness_bound ? scheduled(to) : to.next;
  if (!has_room || std::ranges::find(to.due, part) != to.due.end()) return std::nullopt;
  return to.since[static_cast<std::size_t>(part)] <= newest ? std::optional(part) : std::nullopt;
}

void AkoSender::make_due(Receivers& to, int part) {
  to.due.push_back(part);
  to.next = (part + 1) % to.partitions;
}

void AkoSender::send_to_all() {
  if (params_.overflow == Overflow::block) wait_for_room();
  for (Receivers& to : receivers_) {
    const Message part = cut_part(to, scheduled(to));  // 2
    for (const int peer : to.peers) {
      node_.send(peer, part);
      if (params_.tf_ako.publish == Publish::blocking) node_.queue(peer).flush();
    }
  }
}

void AkoSender::wait_for_room() {
  const auto depth = static_cast<std::size_t>(params_.queue_depth);
  const auto first_full_queue = [&] {
    for (int peer = 0; peer < node_.cluster().workers; ++peer) {
      if (peer != node_.id() && node_.queue(peer).length() >= depth) return peer;
    }
    return -1;
  };
  // The clock's messages may fill a place at one peer while the worker waits for another.
  for (int peer = first_full_queue(); peer >= 0; peer = first_full_queue()) node_.queue(peer).wait_for_room(depth);
}

void AkoSender::serve(Receivers& to) {
  const int peer = to.peers.front();
  while (true) {
    node_.wait_until([&to] { return !to.due.empty(); }, service);
    if (params_.partitions.adaptive() && to.transfers++ % transfers_per_probe == 0) measure_latency(to);
    const double since_s = node_.now();
    Message part = cut_part(to, to.due.front());  // 2
    to.due.pop_front();
    const auto bytes = static_cast<double>(part.wire_bytes);
    node_.send(peer, std::move(part));
    node_.queue(peer).flush();
    measured_.note_transfer(peer, std::max(0.0, node_.now() - since_s - to.latency_s), bytes);
    if (params_.partitions.adaptive() && to.sent == to.partitions) end_round(to);  // 3
  }
}

void AkoSender::measure_latency(Receivers& to) {
  const double since_s = node_.now();
  node_.send(to.peers.front(), {.body = Probe{}});
  node_.queue(to.peers.front()).flush();
  to.latency_s = node_.now() - since_s;
}

Message AkoSender::cut_part(Receivers& to, int part) {
  const comm::Partition slices = plan_.cut(node_.id(), part, to.partitions);
  std::int64_t& since = to.since[static_cast<std::size_t>(part)];
  const std::int64_t newest = part == to.early ? node_.step() : last_;  // the step of its newest gradient
  Message message{
      .port = part % params_.tf_ako.receive_threads, .step = newest, .body = PartOfSum{part, to.partitions, since}};
  compressor(to, part).compress(message, comm::gather(to.sum, slices));
  comm::fill_zero(to.sum, slices);
  since = newest + 1;
  ++to.sent;
  return message;
}

void AkoSender::end_round(Receivers& to) {
  measured_.adapt();
  const int partitions = measured_.partitions();
  if (partitions != to.partitions) {
    to.since = cut_again(to.since, partitions, node_.cluster().parameters);
    to.compressors.clear();
  }
  to.partitions = partitions;
  to.sent = 0;
  to.next = to.first_part % partitions;
  for (std::size_t due = std::exchange(to.due, {}).size(); due > 0; --due) {
    if (const auto part = next_due(to, last_)) make_due(to, *part);
  }
}

comm::Compressor& AkoSender::compressor(Receivers& to, int part) {
  const auto found = to.compressors.find(part);
  if (found != to.compressors.end()) return found->second;
  const Stream random = comm::codec_stream(node_, params_.codec, random_, compressors_++);
  const comm::Partition slices = plan_.cut(node_.id(), part, to.partitions);
  return to.compressors.emplace(part, comm::Compressor(params_.codec, node_.cluster(), slices, random)).first->second;
}

}  // namespace ddl::systems
