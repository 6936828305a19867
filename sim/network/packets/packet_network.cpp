#include "sim/network/packets/packet_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.hpp"

namespace ddl::network::packets {
namespace {

constexpr double rounding = 1e-9, clock_rounding = 1e-12;
// A shorter first link is its host's own device.
constexpr double own_links_s = 0.001 * (1 - 1e-9);

void add(Sender::Counts& sum, const Sender::Counts& more) {
  sum.sent += more.sent;
  sum.sent_again += more.sent_again;
  sum.probes += more.probes;
  sum.timeouts += more.timeouts;
  sum.spurious_timeouts += more.spurious_timeouts;
}

double whole_bytes(double bytes) { return std::max(std::ceil(bytes), 1.0); }

DeviceQueue device_of(const Line& link) {
  return link.settings().latency_s < own_links_s ? DeviceQueue(link) : DeviceQueue();
}

}  // namespace

PacketNetwork::Connection::Connection(const TcpRules& rules, double handshake_s, Sender::Transmit transmit,
                                      DeviceQueue device)
    : sender(rules, handshake_s, ReceiveWindow(rules.most_segments).end_bytes(), std::move(transmit), device),
      receiver(rules.most_segments, handshake_s) {}

PacketNetwork::PacketNetwork(const TcpRules& rules, std::size_t connections)
    : rules_(rules), connections_(connections), agenda_(connections), ends_(connections) {}

int PacketNetwork::add_line(const Line::Settings& settings, const Stream& jitter) {
  check(settings.loss == 0, "a segment that is lost on a line never leaves its sender's device");
  lines_.emplace_back(settings, jitter);
  agenda_.grow(connections_.size() + lines_.size());
  return static_cast<int>(lines_.size()) - 1;
}

void PacketNetwork::set_factors(double now_s, int line, double rate, double latency) {
  Line& changed = lines_[static_cast<std::size_t>(line)];
  if (changed.rate_factor() == rate && changed.latency_factor() == latency) return;
  changed.set_factors(now_s, rate, latency);
  agenda_.set(place_of(line), changed.next_s());
  // Includes connections with the line on their way back: an acknowledgement may now come before the next known event.
  for (const int connection : busy_) {
    at(connection).end.change(least_latency_of(at(connection).there));
    ends_.set(static_cast<std::size_t>(connection), now_s);
  }
}

double PacketNetwork::latency_of(std::span<const int> lines) const {
  double latency_s = 0;
  for (const int line : lines) latency_s += this->line(line).latency_s();
  return latency_s;
}

double PacketNetwork::least_latency_of(std::span<const int> lines) const {
  double latency_s = 0;
  for (const int line : lines) latency_s += this->line(line).least_latency_s();
  return latency_s;
}

void PacketNetwork::open(int connection, std::vector<int> there, std::vector<int> back,
                         std::optional<double> most_segments) {
  TcpRules rules = rules_;
  rules.most_segments = most_segments.value_or(rules.most_segments);
  rules.initial_segments = std::min(rules.initial_segments, rules.most_segments);
  auto made = std::make_unique<Connection>(
      rules, latency_of(there) + latency_of(back),
      [this, connection](const Segment& segment) {
        return put(segment.sent_s, {.connection = connection,
                                    .life = at(connection).life,
                                    .bytes = segment.bytes + overhead_bytes,
                                    .segment = segment});
      },
      device_of(line(there.front())));
  made->there = std::move(there);
  made->back = std::move(back);
  made->life = ++lives_;
  connections_[static_cast<std::size_t>(connection)] = std::move(made);
}

void PacketNetwork::close(int connection) {
  add(closed_, at(connection).sender.counts());
  std::erase(busy_, connection);
  std::erase(ended_, connection);
  connections_[static_cast<std::size_t>(connection)].reset();
  agenda_.set(static_cast<std::size_t>(connection), never);
  ends_.set(static_cast<std::size_t>(connection), never);
}

void PacketNetwork::begin(double now_s, std::span<const Message> messages, Turns& turns) {
  now_s_ = now_s;
  std::vector<int> writing;
  for (const auto& [connection, bytes, more_bytes] : messages) {
    Connection& by = at(connection);
    by.end_bytes += whole_bytes(bytes);
    const double written_to = by.end_bytes + (more_bytes > 0 ? whole_bytes(more_bytes) : 0);
    const double lacking = written_to - by.sender.message_ends_bytes();
    if (lacking > 0) by.sender.write(now_s, lacking);
    busy_.push_back(connection);
    by.is_busy = true;
    by.end.begin(by.sender.segment_with_end(by.end_bytes), least_latency_of(by.there));
    ends_.set(static_cast<std::size_t>(connection), now_s);
    if (lacking > 0) writing.push_back(connection);
    end_if_there(connection);
  }
  send(now_s, writing, turns);
}

void PacketNetwork::write_ahead(double now_s, int connection, double bytes, Turns& turns) {
  now_s_ = now_s;
  at(connection).sender.write(now_s, whole_bytes(bytes));
  send(now_s, {connection}, turns);
}

void PacketNetwork::send(double now_s, const std::vector<int>& connections, Turns& turns) {
  for (const int connection : connections) at(connection).sender.send_lost_again(now_s);
  turns.take(connections, [&](int connection) { return at(connection).sender.send_burst(now_s); });
  for (const int connection : connections) plan(connection);
}

void PacketNetwork::pass(double now_s) {
  while (agenda_.next_s() <= now_s) {
    const double due_s = agenda_.next_s();
    const std::size_t due = agenda_.next();
    now_s_ = due_s;
    if (due >= connections_.size()) {
      step(static_cast<int>(due - connections_.size()), due_s);
      continue;
    }
    const int connection = static_cast<int>(due);
    if (at(connection).receiver.next_s() <= due_s) {
      acknowledge(due_s, connection, at(connection).receiver.wake(due_s));
    } else {
      at(connection).sender.wake(due_s);
    }
    plan(connection);
  }
  now_s_ = now_s;
}

void PacketNetwork::plan(int connection) {
  agenda_.set(static_cast<std::size_t>(connection),
              std::min(at(connection).sender.next_s(), at(connection).receiver.next_s()));
}

// On the next line of its way; false if that has no room.
bool PacketNetwork::put(double now_s, const Packet& packet) {
  Connection& by = at(packet.connection);
  const auto& way = packet.is_acknowledgement ? by.back : by.there;
  const int number = way[static_cast<std::size_t>(packet.hops)];
  Line& line = lines_[static_cast<std::size_t>(number)];
  const bool has_room = line.offer(now_s, packet);
  if (!packet.is_acknowledgement) {
    const std::int64_t segment = packet.segment.number, first = by.receiver.next();
    const auto left = std::span(way).subspan(static_cast<std::size_t>(packet.hops) + 1);
    if (packet.hops == 0) by.end.send(segment, by.sender.segment_with_end(by.end_bytes));
    if (!has_room) {
      by.end.drop(segment);
    } else if (by.end.watches(segment, first)) {
      by.end.travel(segment, first, line.last_s() + least_latency_of(left));
    }
  }
  agenda_.set(place_of(number), line.next_s());
  return has_room;
}

void PacketNetwork::step(int number, double now_s) {
  Line& line = lines_[static_cast<std::size_t>(number)];
  std::optional<Packet> packet = line.step();
  agenda_.set(place_of(number), line.next_s());
  if (!packet || !is_open(packet->connection) || at(packet->connection).life != packet->life) return;
  Connection& by = at(packet->connection);
  const bool leaves_device = packet->hops == 0 && !packet->is_acknowledgement;
  ++packet->hops;
  const auto& way = packet->is_acknowledgement ? by.back : by.there;
  const bool goes_on = static_cast<std::size_t>(packet->hops) < way.size();
  if (goes_on) put(now_s, *packet);
  const bool sends_on = leaves_device && by.sender.leave_device(now_s);
  if (!goes_on) arrive(now_s, *packet);
  if (sends_on || !goes_on) plan(packet->connection);
}

void PacketNetwork::arrive(double now_s, const Packet& packet) {
  Connection& by = at(packet.connection);
  if (packet.is_acknowledgement) return by.sender.take(now_s, packet.tells);
  const auto tells = by.receiver.take(now_s, packet.segment, by.sender.timeout_s());
  by.end.arrive(packet.segment.number, by.receiver.next());
  if (tells) acknowledge(now_s, packet.connection, *tells);
  end_if_there(packet.connection);
}

void PacketNetwork::end_if_there(int connection) {
  Connection& by = at(connection);
  if (!by.is_busy || by.receiver.next_bytes() < by.end_bytes) return;
  by.is_busy = false;
  std::erase(busy_, connection);
  ends_.set(static_cast<std::size_t>(connection), never);
  ended_.push_back(connection);
}

void PacketNetwork::acknowledge(double now_s, int connection, const Acknowledgement& tells) {
  put(now_s, {.connection = connection,
              .life = at(connection).life,
              .is_acknowledgement = true,
              .bytes = bytes_of(tells),
              .tells = tells});
}

// Lower bound: the last line has put out all missing bytes, in full segments except one.
double PacketNetwork::least_end_s(const Connection& connection) const {
  const double missing_bytes = connection.receiver.missing_bytes_before(connection.end_bytes);
  const std::int64_t missing = std::max<std::int64_t>(1, segments_in(missing_bytes));
  const double out_s = line(connection.there.back()).least_s_of(now_s_, missing, frame_of_segment_bytes);
  const double least_s = std::max(out_s, connection.end.least_s(now_s_, connection.receiver.next()));
  // Times are sums of the same terms in another order.
  return now_s_ + (least_s - now_s_) * (1 - rounding) - clock_rounding * now_s_;
}

double PacketNetwork::next_end_s() {
  if (!ended_.empty()) return now_s_;
  while (ends_.next_s() < never) {
    const std::size_t first = ends_.next();
    const double least_s = std::max({ends_.next_s(), agenda_.next_s(), least_end_s(*connections_[first])});
    if (least_s <= ends_.next_s()) break;
    ends_.set(first, least_s);
  }
  return ends_.next_s();
}

double PacketNetwork::missing_bytes(int connection) const {
  const Connection& by = *connections_[static_cast<std::size_t>(connection)];
  return by.receiver.missing_bytes_before(by.end_bytes);
}

Sender::Counts PacketNetwork::counts() const {
  Sender::Counts sum = closed_;
  for (const auto& connection : connections_) {
    if (connection) add(sum, connection->sender.counts());
  }
  return sum;
}

std::int64_t PacketNetwork::dropped() const {
  std::int64_t dropped = 0;
  for (const Line& line : lines_) dropped += line.counts().dropped;
  return dropped;
}

}  // namespace ddl::network::packets
