#include "sim/network/tcp/delays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ddl::network {
namespace {

constexpr double mean_wait = 0.5;          // share of the queue, which grows evenly, that an acknowledgement waits for
constexpr int most_followed_rounds = 200;  // by then a window rises and falls as before
constexpr double segment_of_rules = packets::TcpRules().segment_bytes;

TcpRound round_of(double sent, double sent_s, double nominal_s, double trip_s) {
  return {.sent = sent,
          .used = sent,
          .round_trip_s = nominal_s,
          .spread_s = sent_s,
          .queued_s = std::max(0.0, sent_s - nominal_s),
          .seconds = std::max(trip_s, sent_s)};
}

}  // namespace

double TcpDelays::Connection::occupied() const {
  double segments = 0;
  for (const Train& train : under_way) segments += train.segments;
  return segments;
}

double TcpDelays::Connection::wait_for_first() {
  const double wait_s = under_way.front().wait_s;
  pass(wait_s);
  return wait_s;
}

void TcpDelays::Connection::pass(double seconds) {
  for (Train& train : under_way) train.wait_s -= seconds;
  std::erase_if(under_way, [](const Train& train) { return train.wait_s <= 0; });
}

TcpDelays::TcpDelays(const platform::Fabric& fabric)
    : fabric_(fabric), links_(fabric.links().size()), forgotten_(static_cast<std::size_t>(fabric.node_count())) {}

const packets::TcpRules& TcpDelays::rules_of(double window_bytes) {
  const auto [known, is_new] = rules_.try_emplace(window_bytes);
  packets::TcpRules& rules = known->second;
  if (!is_new) return rules;
  rules.most_segments = std::max(2.0, window_bytes / rules.segment_bytes);
  rules.initial_segments = std::min(rules.initial_segments, rules.most_segments);
  rules.slow_start_after_idle = fabric_.network_numbers().slow_start_after_idle;
  return rules;
}

// A new one if either node has gone since the last message.
TcpDelays::Connection& TcpDelays::connection(const Transmission& it) {
  const Pair& pair = it.pair;
  const int life =
      forgotten_[static_cast<std::size_t>(pair.source)] + forgotten_[static_cast<std::size_t>(pair.target)];
  const packets::TcpRules& rules = rules_of(it.route.window_bytes);
  Connection& known = connections_.get(pair, rules, life);
  if (known.life != life) known = Connection(rules, life);
  return known;
}

// A fat pipe gives everyone all it has.
bool TcpDelays::is_shared(int link) const {
  return fabric_.links()[static_cast<std::size_t>(link)].direction != "free";
}

// Queues keep their content while a link is down; the transport makes the message wait.
double TcpDelays::bytes_per_s(int link) const {
  const double nominal = fabric_.links()[static_cast<std::size_t>(link)].bandwidth_bytes_per_s;
  const double now = fabric_.bandwidth_bytes_per_s(link);
  const bool is_down = now <= platform::no_bandwidth * nominal;
  return (is_down ? nominal : now) * fabric_.network_numbers().bandwidth_factor;
}

double TcpDelays::round_trip_s(const Transmission& it) const {
  return fabric_.latency_now_s(it.route) + fabric_.latency_now_s(it.back);
}

void TcpDelays::start(const std::vector<Transmission*>& transmissions, double now_s) {
  for (const Transmission* it : transmissions) {
    Connection& by = connection(*it);
    open_round(by, *it, now_s);
    by.window.rest(now_s - by.idle_since_s, round_trip_s(*it));
    put_on_links(*it, std::min(it->part_bytes(), connections() * by.window.segments() * segment_of_rules));
  }
  for (Transmission* it : transmissions) {
    const Timing timing = send_in_rounds(connection(*it), rules_of(it->route.window_bytes).most_segments, *it);
    it->latency_s = it->latency_s.value_or(fabric_.latency_now_s(it->route)) + timing.gaps_s;
    it->most_bytes_per_s = timing.most_bytes_per_s;
  }
}

void TcpDelays::end(const Transmission& it, double now_s) {
  put_on_links(it, 0);
  under_way_bytes_.erase(it.pair);
  connection(it).idle_since_s = now_s;
}

void TcpDelays::forget(int node) { ++forgotten_[static_cast<std::size_t>(node)]; }

// Replaces the bytes that the message had there.
void TcpDelays::put_on_links(const Transmission& it, double bytes) {
  double& before = under_way_bytes_.get(it.pair);
  for (const int number : it.route.links) {
    Link& link = links_[static_cast<std::size_t>(number)];
    link.connections += connections() * ((bytes > 0 ? 1 : 0) - (before > 0 ? 1 : 0));
    link.bytes = link.connections == 0 ? 0 : link.bytes + bytes - before;
  }
  before = bytes;
}

// The queue if all connections' bytes under way arrive there at once.
double TcpDelays::queue_s(const platform::Route& route) const {
  double seconds = 0;
  for (const int link : route.links) {
    if (is_shared(link)) seconds = std::max(seconds, links_[static_cast<std::size_t>(link)].bytes / bytes_per_s(link));
  }
  return std::min(seconds, fabric_.network_numbers().queue_s);
}

double TcpDelays::fair_bytes_per_s(const platform::Route& route) const {
  double least = std::numeric_limits<double>::infinity();
  for (const int link : route.links) {
    const int sharing = is_shared(link) ? std::max(1, links_[static_cast<std::size_t>(link)].connections) : 1;
    least = std::min(least, bytes_per_s(link) / sharing);
  }
  return least;
}

// Rate of one connection of an uncontended message.
double TcpDelays::alone_bytes_per_s(const platform::Route& route) const {
  double least = std::numeric_limits<double>::infinity();
  for (const int link : route.links) least = std::min(least, bytes_per_s(link));
  return least / connections();
}

// With the queues that acknowledgements meet. A message in slices is a stream of which a round trip's bytes are under
// way without waiting, and the others', in a ring, likewise.
double TcpDelays::queued_trip_s(const Transmission& it, double nominal_s) const {
  const double queue_s = this->queue_s(it.back);
  return nominal_s + mean_wait * (it.latency_s ? std::max(0.0, queue_s - nominal_s) : queue_s);
}

// The one that slices have left open goes on with further slices, unless its acknowledgements are back by now.
void TcpDelays::open_round(Connection& by, const Transmission& it, double now_s) const {
  const double pause_s = it.latency_s.value_or(fabric_.latency_now_s(it.route)) + (now_s - by.idle_since_s);
  by.pass(pause_s);
  if (!(by.sent > 0)) return;
  by.pauses_s += pause_s;
  const double nominal_s = round_trip_s(it), trip_s = queued_trip_s(it, nominal_s);
  const double sent_s = by.sent * (segment_of_rules / fair_bytes_per_s(it.route));
  const double wait_s = trip_s - by.pauses_s - sent_s;
  if (it.latency_s && wait_s > 0) return;
  const double before = by.window.segments();
  if (trip_s > 0) by.window.grow(round_of(by.sent, sent_s, nominal_s, trip_s));
  if (wait_s > 0) by.under_way.push_back({wait_s, by.sent + by.window.segments() - before});
  by.leave_open(0, 0, 0);
}

// Follows the rounds r = 1, 2, ... in which a message of N segments leaves, or its part on each of its connections,
// which are all alike:
//
//   1  w_r = min(segments left, W_r)               W_r: the window, at most W
//   2  s_r = w_r s                                 s: time of a segment at the fair share of the slowest link
//   3  g_r = max(0, T - s_r) if w_r < W            T: round trip with queues. The connection is idle: its
//            max(0, T - max(T_0, s_r)) otherwise   acknowledgements are not back. T_0: without queues. A full window
//            0 in the last round                   leaves no gap, for it bounds the rate
//   4  q_r = s_r - min(s_{r-1}, T)                 what arrives no faster than the round before does not wait
//   5  q_r > Q: (q_r - Q) / s segments are lost and sent again, and W_{r+1} shrinks; else it grows
//
// Rounds that fill W are paced at W segments per T_0, even when others leave their links; the last one waits for
// nothing. The window is afterwards what the message leaves.
//
// A message that follows another within T finds segments under way, which occupy the window until T after they left. A
// round is then a train: w_r segments have room, at first or when further acknowledgements are back. In 4 and 5 those
// under way count as well. Whole windows are paced as above.
//
// Slices make one stream with those before and after them: the first round goes on with the one that is open, pauses
// shorten its gap, and the last one stays open. It is paced like others.
TcpDelays::Timing TcpDelays::send_in_rounds(Connection& by, double most_segments, const Transmission& it) const {
  const double nominal_s = round_trip_s(it);  // T_0
  if (!(nominal_s > 0)) return {};
  const bool in_slices = it.latency_s.has_value();
  const double trip_s = queued_trip_s(it, nominal_s);
  const double segment_s = segment_of_rules / fair_bytes_per_s(it.route);
  TcpWindow& window = by.window;
  const double limit = std::floor(most_segments), most_queue_s = fabric_.network_numbers().queue_s;
  double begun = by.sent, pauses_s = by.pauses_s, before_s = by.before_s;  // of the round that is open
  by.leave_open(0, 0, 0);
  double gaps_s = 0;
  double left = it.part_bytes() / connections() / segment_of_rules;
  double below_limit = 0, at_limit = 0, last = 0;  // segments, in rounds before the last; in the last, and in trains
  for (int round = 0; round < most_followed_rounds && left > 0;) {
    const double window_now = std::floor(window.segments());
    const double room = window_now - by.occupied();
    if (room < std::min(left, 1.0) && !by.under_way.empty()) {
      gaps_s += by.wait_for_first();
      continue;
    }
    const bool is_train = !by.under_way.empty() && !in_slices;
    if (is_train && window_now >= limit && left > limit) {
      const double whole = std::ceil(left / limit) - 1;
      at_limit += whole * limit;
      left -= whole * limit;
      gaps_s += whole * std::max(0.0, trip_s - std::max(nominal_s, limit * segment_s));
    }
    ++round;
    const double more = std::clamp(room - begun, 0.0, left);      // 1
    const double sent = begun + more, sent_s = sent * segment_s;  // 2
    left -= more;
    const bool is_last = left <= 0;
    if ((is_last || (is_train && window_now >= limit)) && !in_slices) {
      last += sent;
    } else {
      (window_now < limit ? below_limit : at_limit) += more;
    }
    if (is_last && in_slices) {
      by.leave_open(sent, pauses_s, before_s);
      break;
    }
    double wait_s = trip_s - pauses_s - (is_last || sent < limit ? sent_s : std::max(nominal_s, sent_s));  // 3
    const double all = sent + (is_train ? by.occupied() : 0), all_s = all * segment_s;                     // in queues
    const double waits_s = all_s - std::min(before_s, trip_s);                                             // 4
    const double before = window.segments();
    if (waits_s > most_queue_s) {  // 5
      if (is_last) {               // nothing that follows shows the loss: a probe does (RFC 8985, 7)
        gaps_s += 2 * trip_s;
        by.pass(2 * trip_s);
        wait_s -= 2 * trip_s;
      }
      left += std::min(sent, (waits_s - most_queue_s) / segment_s);
      window.lose();
    } else {
      TcpRound grown = round_of(sent, all_s, nominal_s, trip_s);
      if (is_train) grown.share = sent / window_now;
      grown.used = all;
      window.grow(grown);
    }
    by.pass(sent_s);
    if (wait_s > 0) by.under_way.push_back({wait_s, std::max(0.0, sent + window.segments() - before)});
    begun = pauses_s = 0;
    before_s = all_s;
  }
  if (!(at_limit > 0)) return {.gaps_s = gaps_s};
  const double paced_s = seconds_of_paced(it.route, at_limit, last, nominal_s / limit);
  // Smaller windows travel at that rate, too, which fills some of their gaps.
  gaps_s -= below_limit * std::max(0.0, paced_s - segment_s);
  return {.gaps_s = std::max(0.0, gaps_s), .most_bytes_per_s = connections() * segment_of_rules / paced_s};
}

// Mean time of a segment whose message has so many in full windows, which take `limited_s` each, and others.
double TcpDelays::seconds_of_paced(const platform::Route& route, double at_limit, double others,
                                   double limited_s) const {
  const double alone_s = segment_of_rules / alone_bytes_per_s(route);
  return (at_limit * limited_s + others * std::min(limited_s, alone_s)) / (at_limit + others);
}

}  // namespace ddl::network
