// How long TCP keeps a message waiting beyond its way and its bytes. A connection sends as much as its window allows,
// and the next only when the first acknowledgement is back: as long as a window does not cover the way there and back,
// each such round leaves the connection idle for the rest of a round trip (Cardwell, Savage and Anderson, 2000,
// "Modeling TCP latency", section 2). All these gaps are put before the message's first byte, so that a transport
// carries a message in one piece. A window that stands at its limit leaves no gaps: it bounds the message's rate.
//
// Acknowledgements wait behind what goes the other way (Zhang, Shenker and Clark, 1991, section 4), and what a link's
// queue cannot hold is lost. Connections that share a link share its bandwidth equally here.
//
// Deterministic. A link's bandwidth is that of the instant in which a message starts.
#pragma once

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "sim/network/channel.hpp"
#include "sim/network/tcp/window.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class TcpDelays {
 public:
  explicit TcpDelays(const platform::Fabric& fabric);

  // The channels' messages start now. Sets their latency_s, the seconds until their first bytes are there, and their
  // most_bytes_per_s. Neither depends on the order of the channels.
  void start(const std::vector<Channel*>& channels, double now_s);
  // The channel's message is through, or given up.
  void end(const Channel& channel, double now_s);
  // The node's connections are no more: the next message to or from it opens a new one.
  void forget(int node);

 private:
  struct Connection {
    explicit Connection(const packets::TcpRules& rules) : window(rules) {}
    TcpWindow window;
    platform::Route there, back;
    double idle_since_s = 0;
    double under_way_bytes = 0;  // at most, of the present message; 0: none
  };
  struct Link {
    int connections = 0;  // that carry a message
    double bytes = 0;     // which they have under way at most
  };
  // What a message's rounds make of it.
  struct Timing {
    double gaps_s = 0;
    double most_bytes_per_s = std::numeric_limits<double>::infinity();
  };
  Connection& connection(const Channel& channel);
  bool is_shared(int link) const;
  double bytes_per_s(int link) const;
  double round_trip_s(const Connection& by) const;
  void put_on_links(Connection& by, double bytes);
  double queue_s(const platform::Route& route) const;
  double fair_bytes_per_s(const platform::Route& route) const;
  double alone_bytes_per_s(const platform::Route& route) const;
  Timing send_in_rounds(Connection& by, double bytes);

  const platform::Fabric& fabric_;
  packets::TcpRules rules_;
  std::map<std::pair<int, int>, Connection> connections_;
  std::vector<Link> links_;
};

}  // namespace ddl::network
