// TCP's delay of a message beyond latency and bytes. A connection sends as much as its window allows, and the next only
// when the first acknowledgement is back: while a window does not cover the round trip, each such round leaves the
// connection idle for the rest of it (Cardwell, Savage and Anderson, 2000, "Modeling TCP latency", section 2). All gaps
// come before the message's first byte, as latency, so that a transport carries a message in one piece. A window at its
// limit leaves no gaps: it bounds the message's rate.
//
// Acknowledgements wait behind traffic in the other direction (Zhang, Shenker and Clark, 1991, section 4), and segments
// without room in a link's queue are lost. Connections that share a link share its bandwidth equally here.
//
// Deterministic. A link's bandwidth is the one at the instant in which a message starts.
#pragma once

#include <limits>
#include <map>
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
  // Neither depends on their order. A latency_s that is set is that of a message in slices.
  void start(const std::vector<Transmission*>& transmissions, double now_s);
  void end(const Transmission& transmission, double now_s);  // it is through, or given up
  // The node's connections are no more: the next message to or from it opens a new one.
  void forget(int node);

 private:
  struct Train {
    double wait_s = 0;    // until its first acknowledgement is back, from when the connection last sent
    double segments = 0;  // which may then be sent
  };
  // State that lasts while it is idle.
  struct Connection {
    Connection(const packets::TcpRules& rules, int its_life) : window(rules), life(its_life) {}
    double occupied() const;  // segments of its window
    double wait_for_first();  // seconds until the first acknowledgement, which pass
    void pass(double seconds);
    void leave_open(double its_sent, double its_pauses_s, double its_before_s) {
      sent = its_sent, pauses_s = its_pauses_s, before_s = its_before_s;
    }
    TcpWindow window;
    int life = 0;
    double idle_since_s = 0;
    std::vector<Train> under_way;
    // A message in slices leaves its last round open for what comes behind it: segments sent, and seconds without any.
    double sent = 0, pauses_s = 0;
    double before_s = 0;  // seconds of the round before
  };
  struct Link {
    int connections = 0;  // those with a message under way
    double bytes = 0;     // their bytes under way at most
  };
  // Effect of a message's rounds.
  struct Timing {
    double gaps_s = 0;
    double most_bytes_per_s = std::numeric_limits<double>::infinity();
  };
  Connection& connection(const Transmission& transmission);
  const packets::TcpRules& rules_of(double window_bytes);
  int connections() const { return fabric_.network_numbers().connections; }  // a message's
  bool is_shared(int link) const;
  double bytes_per_s(int link) const;
  double round_trip_s(const Transmission& transmission) const;
  double queued_trip_s(const Transmission& transmission, double nominal_s) const;
  void put_on_links(const Transmission& transmission, double bytes);
  double queue_s(const platform::Route& route) const;
  double fair_bytes_per_s(const platform::Route& route) const;
  double alone_bytes_per_s(const platform::Route& route) const;
  double seconds_of_paced(const platform::Route& route, double at_limit, double others, double limited_s) const;
  void open_round(Connection& by, const Transmission& transmission, double now_s) const;
  Timing send_in_rounds(Connection& by, double most_segments, const Transmission& transmission) const;

  const platform::Fabric& fabric_;
  std::map<double, packets::TcpRules> rules_;  // by the connection's largest window, in bytes
  ByPair<Connection> connections_;
  ByPair<double> under_way_bytes_;  // at most, per pair
  std::vector<Link> links_;
  std::vector<int> forgotten_;  // by node, number of times: the sum of both ends is a connection's life
};

}  // namespace ddl::network
