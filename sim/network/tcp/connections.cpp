#include "sim/network/tcp/connections.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace ddl::network {
namespace {

constexpr double least_latency_s = 2e-9;   // SimGrid weighs transfers only once they have paid a latency
constexpr double whole_claim_bytes = 1e6;  // of the penalty 1
constexpr double remembered_s = 2;         // bursts
constexpr double alone = 1 - 1e-6;         // so much of a link's queue is all of it

// Chosen by hand against real TCP (docs/decisions/0060).
constexpr double loss_exponent = 2;  // large bursts lose more than their share of what a queue cannot hold
constexpr double held_back = 0.5;    // of what acknowledgements behind a burst let go, so much leaves after it
constexpr double most_lost = 0.5;    // of a burst

}  // namespace

TcpConnections::TcpConnections(const platform::Fabric& fabric, std::uint64_t seed)
    : fabric_(fabric), seed_(seed), most_queue_s_(fabric.network_numbers().queue_s), links_(fabric.links().size()) {
  rules_.most_segments = std::max(2.0, fabric.network_numbers().window_bytes / rules_.segment_bytes);
  rules_.slow_start_after_idle = fabric.network_numbers().slow_start_after_idle;
}

TcpConnections::Connection& TcpConnections::connection(const Channel& channel) {
  const std::pair pair{channel.source, channel.target};
  auto found = connections_.find(pair);
  if (found == connections_.end()) {
    const std::string name = fabric_.name(channel.source) + " to " + fabric_.name(channel.target);
    found = connections_.try_emplace(pair, rules_, stream(seed_, name, "full queues")).first;
    found->second.there = fabric_.find_route(channel.source, channel.target);
    found->second.back = fabric_.find_route(channel.target, channel.source);
  }
  return found->second;
}

// Queues keep what they have while a link is down: a part on it waits in the transport, and no time passes here.
double TcpConnections::bytes_per_s(int link) const {
  const double nominal = fabric_.links()[static_cast<std::size_t>(link)].bandwidth_bytes_per_s;
  const double now = fabric_.bandwidth_bytes_per_s(link);
  constexpr double down = 2 * scenario::least_link_share;
  return (now < down * nominal ? nominal : now) * fabric_.network_numbers().bandwidth_factor;
}

double TcpConnections::narrowest_bytes_per_s(const platform::Route& route) const {
  double least = std::numeric_limits<double>::infinity();
  for (const int link : route.links) least = std::min(least, bytes_per_s(link));
  return least;
}

double TcpConnections::start(Channel& channel, double now_s) {
  Connection& by = connection(channel);
  const double factor = fabric_.network_numbers().latency_factor;
  by.there_s = fabric_.latency_now_s(by.there) * factor;
  by.round_trip_s = by.there_s + fabric_.latency_now_s(by.back) * factor;
  by.window.rest(now_s - by.idle_since_s, by.round_trip_s);
  by.before = {};
  by.ready_s = now_s + by.there_s;
  channel.left_bytes = channel.on_wire_bytes;
  return by.ready_s;
}

void TcpConnections::start_part(Channel& channel, double now_s) {
  Connection& by = connection(channel);
  Part part;
  part.bytes = channel.left_bytes;
  if (by.round_trip_s > 0) part.bytes = std::min(part.bytes, std::floor(by.window.segments()) * rules_.segment_bytes);
  part.lost_bytes = put_on_links(by, part.bytes, now_s);
  part.latency_s = by.there.latency_s > 0 ? least_latency_s : 0;
  // SimGrid knows no penalty below the latency, and no claim that is much smaller than a segment's.
  part.penalty = std::max(by.there.latency_s, whole_claim_bytes / std::max(part.bytes, rules_.segment_bytes));
  by.now = {.bytes = part.bytes, .from_s = now_s};
  channel.part = part;
}

// What of it is lost. Acknowledgements come as data went, so what they let go is no burst; neither is what a link
// before has spread.
double TcpConnections::put_on_links(Connection& by, double bytes, double now_s) {
  const double from_s = now_s - by.there_s;
  by.queued_s = std::max(0.0, now_s - by.ready_s);
  double spread_s = std::min(by.before.until_s - by.before.from_s, by.round_trip_s), lost = 0;
  for (const int number : by.there.links) {
    Link& at = link(number);
    const double rate = bytes_per_s(number), own_s = bytes / rate;
    by.queued_s = std::max(by.queued_s, at.busy_until_s - from_s);
    at.busy_until_s = std::max(at.busy_until_s, from_s) + own_s;
    const double over_s = at.busy_until_s - from_s - spread_s - most_queue_s_;
    if (over_s > 0 && by.round_trip_s > 0) {
      const double share = std::pow(std::min(1.0, own_s / (at.busy_until_s - from_s)), loss_exponent);
      const double segments = share * std::ceil(over_s * rate / rules_.segment_bytes);
      lost = std::max(lost, share < alone ? std::floor(segments + by.random.uniform()) : segments);
      at.busy_until_s = from_s + spread_s + most_queue_s_;
    }
    at.bursts.push_back({from_s, at.busy_until_s});
    while (at.bursts.front().from_s < from_s - remembered_s) at.bursts.pop_front();
    spread_s = std::max(spread_s, own_s);
  }
  const double most = std::max(rules_.segment_bytes, most_lost * bytes);
  return std::min({lost * rules_.segment_bytes, most, bytes});
}

double TcpConnections::back_queue_s(const Connection& by, double now_s) {
  double seconds = 0;
  for (const int number : by.back.links) seconds = std::max(seconds, link(number).busy_until_s - now_s);
  return std::min(seconds, most_queue_s_);
}

void TcpConnections::look_back(const Channel& channel, double now_s) {
  Connection& by = connection(channel);
  by.now.back_queue_from_s = back_queue_s(by, now_s);
}

// Not before the acknowledgements that let its last bytes go, and those of the round before that waited behind a burst
// of the other direction.
double TcpConnections::arrives_s(const Channel& channel, double now_s) {
  Connection& by = connection(channel);
  const Round& before = by.before;
  if (!(before.bytes > 0)) return now_s;
  const double share = std::min(1.0, by.now.bytes / before.bytes), length_s = before.until_s - before.from_s;
  const double acknowledged_s = before.from_s + share * length_s;
  const double queue_s = before.back_queue_from_s + share * (before.back_queue_until_s - before.back_queue_from_s);
  double latest_s = acknowledged_s + by.round_trip_s + queue_s;
  const double whole_s = before.bytes / narrowest_bytes_per_s(by.there);
  for (const int number : by.back.links) {
    const std::deque<Burst>& bursts = link(number).bursts;
    for (auto burst = bursts.rbegin(); burst != bursts.rend() && burst->from_s > before.from_s; ++burst) {
      if (burst->from_s >= acknowledged_s) continue;
      const double until_s = std::min(burst->until_s, burst->from_s + most_queue_s_);
      const double after = share - (burst->from_s - before.from_s) / length_s;
      latest_s = std::max(latest_s, until_s + by.round_trip_s + held_back * after * whole_s);
    }
  }
  return std::max(latest_s, now_s);
}

std::optional<double> TcpConnections::end_part(Channel& channel, double now_s) {
  Connection& by = connection(channel);
  const Part& part = channel.part.value();
  channel.left_bytes = std::max(0.0, channel.left_bytes - (part.bytes - part.lost_bytes));
  by.now.until_s = now_s;
  by.now.back_queue_until_s = back_queue_s(by, now_s);
  by.ready_s = by.now.from_s + by.round_trip_s + by.now.back_queue_from_s +
               rules_.segment_bytes / narrowest_bytes_per_s(by.there);
  if (part.lost_bytes > 0) {
    by.window.lose();
    if (channel.left_bytes <= part.lost_bytes) by.ready_s = now_s + after_tail_loss_s(by, part.lost_bytes);
  } else {
    by.window.grow({.sent = std::ceil(part.bytes / rules_.segment_bytes),
                    .round_trip_s = by.round_trip_s,
                    .spread_s = now_s - by.now.from_s,
                    .queued_s = by.queued_s + by.now.back_queue_from_s,
                    .seconds = std::max(by.ready_s, now_s) - by.now.from_s});
  }
  by.before = by.now;
  // Parts that end together start together, though the transport may tell of one after the other.
  if (channel.left_bytes > 0) return std::max(by.ready_s, now_s + least_latency_s);
  by.idle_since_s = now_s;
  return std::nullopt;
}

// Nothing follows that would tell of the loss: a probe does, after two round trips (RFC 8985, 7), and what it shows to
// be lost goes out one, two, four, ... segments a round trip.
double TcpConnections::after_tail_loss_s(const Connection& by, double lost_bytes) const {
  const double queue_s = std::min(by.now.until_s - by.now.from_s, most_queue_s_) + by.now.back_queue_from_s;
  const double smoothed_s = by.round_trip_s + queue_s;
  const double segments = std::ceil(lost_bytes / rules_.segment_bytes);
  const double rounds = segments > 1 ? 1.25 + std::ceil(std::log2(segments)) : 1;
  return 2 * smoothed_s + rounds * by.round_trip_s;
}

}  // namespace ddl::network
