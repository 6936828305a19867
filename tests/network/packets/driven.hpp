// A network of lines, driven from one end of a message to the next.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/base/rng.hpp"
#include "sim/network/packets/packet_network.hpp"
#include "sim/network/packets/turns.hpp"

namespace ddl::network::packets {

constexpr double all_bytes = 1e12;  // a queue for everything

inline double frames_s(double segments, double bytes_per_s) { return segments * frame_of_segment_bytes / bytes_per_s; }

class Driven {
 public:
  explicit Driven(std::size_t connections, const TcpRules& rules = {}) : network(rules, connections) {}

  // Until `until_s`, or for ever where nothing is left to happen. Looks at the network whenever a message may end.
  void drive(double until_s = PacketNetwork::never) {
    while (network.next_end_s() <= until_s && network.next_end_s() < PacketNetwork::never) {
      now_s = std::max(now_s, network.next_end_s());
      look();
    }
    if (until_s == PacketNetwork::never) return;
    now_s = until_s;
    look();
  }
  // The same in more calls. No message ends at a time when none may.
  void drive_in_steps(double step_s, double until_s) {
    while (now_s < until_s) {
      const double may_end_s = network.next_end_s();
      now_s = std::min({may_end_s, now_s + step_s, until_s});
      const std::size_t before = ends.size();
      look();
      if (now_s < may_end_s) REQUIRE(ends.size() == before);
    }
  }
  void begin(const std::vector<PacketNetwork::Message>& messages) {  // one per host
    network.pass(now_s);
    for (const PacketNetwork::Message& message : messages) network.begin(now_s, {&message, 1}, turns_);
  }
  void begin_at_one_host(const std::vector<PacketNetwork::Message>& messages) {
    network.pass(now_s);
    network.begin(now_s, messages, turns_);
  }
  void look() {
    ++looks;
    network.pass(now_s);
    for (const int connection : network.take_ended()) {
      ends.emplace_back(connection, now_s);
      last_end_s[connection] = now_s;
    }
  }

  PacketNetwork network;
  double now_s = 0;
  int looks = 0;                             // number of calls of the network
  std::vector<std::pair<int, double>> ends;  // ends of messages: connection and time, in order
  std::map<int, double> last_end_s;

 private:
  Turns turns_{stream(1, "host", "turns")};
};

// One line there and one back, with connections open between them.
struct DrivenPair : Driven {
  explicit DrivenPair(const Line::Settings& settings, std::size_t connections = 1, const TcpRules& rules = {})
      : Driven(connections, rules), there(network.add_line(settings)), back(network.add_line(settings)) {
    for (std::size_t i = 0; i < connections; ++i) network.open(static_cast<int>(i), {there}, {back});
  }
  int there, back;
};

// End of a lone message over one line there and one back.
inline double alone_s(const Line::Settings& settings, double bytes, const TcpRules& rules = {}) {
  DrivenPair driven(settings, 1, rules);
  driven.begin({{0, bytes}});
  driven.drive();
  REQUIRE(driven.ends.size() == 1);
  return driven.ends[0].second;
}

}  // namespace ddl::network::packets
