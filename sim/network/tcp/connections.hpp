// Messages as TCP carries them where ways are long and queues short. A connection sends in rounds: a part of the
// message, as long as its window, leaves at once, and the next when the first acknowledgement is back (Cardwell, Savage
// and Anderson, 2000, "Modeling TCP latency", section 2). Parts share links by what they have under way, as in a queue
// that serves all alike.
//
// What waits for a link follows from its bursts: it is busy until it has carried all of them. What a link's queue
// cannot hold is lost and sent again. Acknowledgements wait behind the bursts of the other direction and then come
// together (Zhang, Shenker and Clark, 1991, "Observations on the dynamics of a congestion control algorithm", section
// 4).
//
// Deterministic and seeded. A transport carries the parts; all times here are those of the receiver.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/rng.hpp"
#include "sim/network/channel.hpp"
#include "sim/network/tcp/window.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class TcpConnections {
 public:
  TcpConnections(const platform::Fabric& fabric, std::uint64_t seed);

  // The channel's message starts now: when its first part does.
  double start(Channel& channel, double now_s);
  // The next part starts; of several that start together all are first put on their links, then all look back.
  void start_part(Channel& channel, double now_s);
  void look_back(const Channel& channel, double now_s);
  // The transport has carried it: when it is there.
  double arrives_s(const Channel& channel, double now_s);
  // It is there: when the next starts; nothing, when the message is through.
  std::optional<double> end_part(Channel& channel, double now_s);

 private:
  struct Burst {  // at a link, in time of the link's own end
    double from_s = 0, until_s = 0;
  };
  struct Link {
    double busy_until_s = 0;
    std::deque<Burst> bursts;
  };
  struct Round {  // of a connection
    double bytes = 0, from_s = 0, until_s = 0;
    double back_queue_from_s = 0, back_queue_until_s = 0;  // what acknowledgements waited for, first and last
  };
  struct Connection {
    Connection(const TcpRules& rules, Stream stream) : window(rules), random(std::move(stream)) {}
    TcpWindow window;
    Stream random;
    platform::Route there, back;
    double there_s = 0, round_trip_s = 0;
    double idle_since_s = 0, ready_s = 0, queued_s = 0;
    Round now, before;  // before.bytes == 0: the message has just started
  };
  Connection& connection(const Channel& channel);
  Link& link(int number) { return links_[static_cast<std::size_t>(number)]; }
  double bytes_per_s(int link) const;
  double narrowest_bytes_per_s(const platform::Route& route) const;
  double put_on_links(Connection& by, double bytes, double now_s);
  double back_queue_s(const Connection& by, double now_s);
  double after_tail_loss_s(const Connection& by, double lost_bytes) const;

  const platform::Fabric& fabric_;
  const std::uint64_t seed_;
  TcpRules rules_;
  const double most_queue_s_;
  std::map<std::pair<int, int>, Connection> connections_;
  std::vector<Link> links_;
};

}  // namespace ddl::network
