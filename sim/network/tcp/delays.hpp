// How long TCP keeps a message waiting beyond its way and its bytes. A connection sends as much as its window allows,
// and the next only when the first acknowledgement is back: as long as a window does not cover the way there and back,
// each such round leaves the connection idle for the rest of a round trip (Cardwell, Savage and Anderson, 2000,
// "Modeling TCP latency", section 2). All gaps come before the message's first byte, as latency, so that a transport
// carries a message in one piece. A window that stands at its limit leaves no gaps: it bounds the message's rate.
//
// Acknowledgements wait behind what goes the other way (Zhang, Shenker and Clark, 1991, section 4), and what a link's
// queue cannot hold is lost. Connections that share a link share its bandwidth equally here.
//
// Deterministic. A link's bandwidth is that of the instant in which a message starts.
#pragma once

#include <limits>
#include <vector>

#include "sim/network/pair.hpp"
#include "sim/network/tcp/window.hpp"
#include "sim/network/transmission.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class TcpDelays {
 public:
  explicit TcpDelays(const platform::Fabric& fabric);

  // They start now. Sets their latency_s, the seconds until their first bytes are there, and their most_bytes_per_s.
  // Neither depends on their order.
  void start(const std::vector<Transmission*>& transmissions, double now_s);
  void end(const Transmission& transmission, double now_s);  // it is through, or given up
  // The node's connections are no more: the next message to or from it opens a new one.
  void forget(int node);

 private:
  // What lasts while it is idle.
  struct Connection {
    Connection(const packets::TcpRules& rules, int its_life) : window(rules), life(its_life) {}
    TcpWindow window;
    int life = 0;
    double idle_since_s = 0;
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
  Connection& connection(const Pair& pair);
  bool is_shared(int link) const;
  double bytes_per_s(int link) const;
  double round_trip_s(const Transmission& transmission) const;
  void put_on_links(const Transmission& transmission, double bytes);
  double queue_s(const platform::Route& route) const;
  double fair_bytes_per_s(const platform::Route& route) const;
  double alone_bytes_per_s(const platform::Route& route) const;
  Timing send_in_rounds(TcpWindow& window, const Transmission& transmission) const;

  const platform::Fabric& fabric_;
  packets::TcpRules rules_;
  ByPair<Connection> connections_;
  ByPair<double> under_way_bytes_;  // at most, of what is carried
  std::vector<Link> links_;
  std::vector<int> forgotten_;  // how often, by node: the sum of both ends is a connection's life
};

}  // namespace ddl::network
