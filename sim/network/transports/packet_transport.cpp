#include "sim/network/transports/packet_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace ddl::network {
namespace {

constexpr double least_queue_bytes = 8 * packets::frame_of_segment_bytes;  // as an emulated link's
constexpr double rounding = 1e-9;

packets::TcpRules packet_rules(const platform::NetworkNumbers& numbers) {
  packets::TcpRules rules;
  rules.segment_bytes = packets::segment_bytes;
  rules.slow_start_after_idle = numbers.slow_start_after_idle;
  return rules;
}

double most_segments_of(double window_bytes) {
  return std::max(2.0, std::floor(window_bytes / packets::segment_bytes));
}

}  // namespace

PacketTransport::PacketTransport(platform::Fabric& fabric, std::uint64_t seed, std::function<void()> sooner)
    : fabric_(fabric),
      seed_(seed),
      connections_(fabric.network_numbers().connections),
      network_(packet_rules(fabric.network_numbers()),
               static_cast<std::size_t>(connection_of({fabric.node_count(), 0}))),
      lines_(fabric.links().size()),
      carried_(static_cast<std::size_t>(fabric.node_count()) * static_cast<std::size_t>(fabric.node_count())) {
  for (int node = 0; node < fabric.node_count(); ++node) turns_.emplace_back(stream(seed, fabric.name(node), "turns"));
  const auto changed = [this, sooner = std::move(sooner)](int link) {
    if (stopped_) return;
    change(link);
    sooner();
  };
  fabric.when_bandwidth_changes([changed](int link, double) { changed(link); });
  fabric.when_latency_changes(changed);
}

const PacketTransport::Way& PacketTransport::way(const Transmission& it) {
  const auto [found, is_new] = ways_.try_emplace(connection_of(it.pair));
  if (is_new) {
    found->second.there = lines_on(it.route);
    found->second.back = lines_on(fabric_.find_route(it.pair.target, it.pair.source));
  }
  return found->second;
}

// On a fat pipe each direction of a connection has a line of its own. Latencies from hosts' coordinates belong to no
// link; they come after the host's own link.
std::vector<int> PacketTransport::lines_on(const platform::Route& route) {
  std::vector<int> lines;
  double latency_s = route.latency_s;
  for (const int link : route.links) latency_s -= fabric_.links()[static_cast<std::size_t>(link)].latency_s;
  for (const int link : route.links) {
    std::vector<int>& known = lines_[static_cast<std::size_t>(link)];
    const bool is_shared = fabric_.links()[static_cast<std::size_t>(link)].direction != "free";
    if (known.empty() || !is_shared) known.push_back(add_line(link));
    lines.push_back(known.back());
  }
  if (latency_s > rounding * route.latency_s) {
    const int line = network_.add_line({.bytes_per_s = packets::PacketNetwork::never,
                                        .latency_s = latency_s,
                                        .queue_bytes = packets::PacketNetwork::never});
    lines.insert(lines.begin() + (lines.size() > 1 ? 1 : 0), line);
  }
  return lines;
}

// Frames come out sooner or later by up to half the time that a full one takes to leave, with the link's nominal
// bandwidth. Without that, one that always comes just when another leaves finds room in a full queue, where those of
// other connections never do (phase effects: Floyd and Jacobson, 1992).
int PacketTransport::add_line(int link) {
  const platform::LinkInfo& info = fabric_.links()[static_cast<std::size_t>(link)];
  const std::string name =
      fmt::format("{} {} {}", info.name, info.direction, lines_[static_cast<std::size_t>(link)].size());
  const int line = network_.add_line(
      {.bytes_per_s = info.bandwidth_bytes_per_s,
       .latency_s = info.latency_s,
       .jitter_s = packets::frame_of_segment_bytes / info.bandwidth_bytes_per_s / 2,
       .queue_bytes = std::max(least_queue_bytes, fabric_.network_numbers().queue_s * info.bandwidth_bytes_per_s)},
      stream(seed_, name, "jitter"));
  follow(link, line);
  return line;
}

void PacketTransport::follow(int link, int line) {
  const platform::LinkInfo& info = fabric_.links()[static_cast<std::size_t>(link)];
  const double latency_s = fabric_.latency_now_s({.links = {link}, .latency_s = info.latency_s});
  network_.set_factors(now(), line, fabric_.bandwidth_bytes_per_s(link) / info.bandwidth_bytes_per_s,
                       info.latency_s > 0 ? latency_s / info.latency_s : 1);
}

// Processes events up to now with the old values first.
void PacketTransport::change(int link) {
  network_.pass(now());
  for (const int line : lines_[static_cast<std::size_t>(link)]) follow(link, line);
}

void PacketTransport::start(const std::vector<Transmission*>& transmissions) {
  network_.pass(now());
  std::map<int, std::vector<packets::PacketNetwork::Message>> of_host;
  for (Transmission* it : transmissions) {
    it->transfer = connection_of(it->pair);
    carried_[static_cast<std::size_t>(it->transfer / connections_)] = {it, connections_};
    for_each_of(it->transfer, [&](int connection) {
      if (!network_.is_open(connection)) {
        const Way& by = way(*it);
        network_.open(connection, by.there, by.back, most_segments_of(it->route.window_bytes));
      }
      of_host[it->pair.source].push_back({connection, it->part_bytes() / connections_, it->rest_bytes / connections_});
    });
  }
  for (const auto& [host, messages] : of_host) {
    network_.begin(now(), messages, turns_[static_cast<std::size_t>(host)]);
  }
}

void PacketTransport::expect(const Transmission& it, double first_bytes, double rest_bytes) {
  network_.pass(now());
  for (const double bytes : {first_bytes, rest_bytes}) {
    for_each_of(connection_of(it.pair), [&](int connection) {
      network_.write_ahead(now(), connection, bytes / connections_, turns_[static_cast<std::size_t>(it.pair.source)]);
    });
  }
}

double PacketTransport::cancel(Transmission& it) {
  const double arrived = it.part_bytes() - remaining_bytes(it);
  for_each_of(it.transfer, [&](int connection) { network_.close(connection); });
  it.transfer = -1;
  return arrived;
}

void PacketTransport::forget(int node) {
  network_.pass(now());
  for (int other = 0; other < fabric_.node_count(); ++other) {
    for (const int first : {connection_of({node, other}), connection_of({other, node})}) {
      for_each_of(first, [&](int connection) {
        if (network_.is_open(connection)) network_.close(connection);
      });
    }
  }
}

double PacketTransport::remaining_bytes(const Transmission& it) const {
  network_.pass(now());
  double missing = 0;
  for_each_of(it.transfer, [&](int connection) { missing += network_.missing_bytes(connection); });
  return std::min(it.part_bytes(), missing);
}

std::vector<Transmission*> PacketTransport::take_ended() {
  network_.pass(now());
  std::vector<Transmission*> ended;
  for (const int connection : network_.take_ended()) {
    Carried& of_pair = carried_[static_cast<std::size_t>(connection / connections_)];
    if (--of_pair.parts > 0) continue;
    ended.push_back(of_pair.message);
    ended.back()->transfer = -1;
  }
  return ended;
}

}  // namespace ddl::network
