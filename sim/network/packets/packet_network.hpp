// TCP connections over links with queues, packet by packet. Knows neither SimGrid nor messages: a connection carries a
// number of bytes at a time, of which the next may be written already, and its caller passes the time.
//
// Deterministic, for given streams of jitter and turns: among events due at one time, the connections' timers come
// first, then lines, in order.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/agenda.hpp"
#include "sim/network/packets/end_bound.hpp"
#include "sim/network/packets/receiver.hpp"
#include "sim/network/packets/sender.hpp"
#include "sim/network/packets/turns.hpp"

namespace ddl::network::packets {

class PacketNetwork {
 public:
  static constexpr double never = Line::never;
  struct Message {
    int connection = 0;
    double bytes = 0;       // counted in whole ones
    double more_bytes = 0;  // written right behind it, the next message's
  };

  // Connections are numbered below `connections`.
  PacketNetwork(const TcpRules& rules, std::size_t connections);

  // Adds a line without random losses. `jitter`: draws, if the settings have jitter.
  int add_line(const Line::Settings& settings, const Stream& jitter = stream(0, "line", "jitter"));
  const Line& line(int number) const { return lines_[static_cast<std::size_t>(number)]; }
  void set_factors(double now_s, int line, double rate, double latency);

  bool is_open(int connection) const { return connections_[static_cast<std::size_t>(connection)] != nullptr; }
  // Over these lines. `most_segments`: the limit of its window, unless it is the rules'.
  void open(int connection, std::vector<int> there, std::vector<int> back,
            std::optional<double> most_segments = std::nullopt);
  void close(int connection);  // process earlier events first; packets under way are ignored

  // Begins messages of one host, with its turns, as far as they are not written yet. Process earlier events first; no
  // message of these connections may be under way.
  void begin(double now_s, std::span<const Message> messages, Turns& turns);
  // Writes bytes of messages that will begin later, behind all those written so far.
  void write_ahead(double now_s, int connection, double bytes, Turns& turns);
  void pass(double now_s);  // processes events up to that time
  // The connections whose messages have ended since the last call.
  std::vector<int> take_ended() { return std::exchange(ended_, {}); }
  // Lower bound of the next message's end; a call at that time may return a later one.
  double next_end_s();
  double missing_bytes(int connection) const;  // not yet arrived, of its present message
  Sender::Counts counts() const;               // over all connections ever opened
  std::int64_t dropped() const;                // packets that a queue had no room for

 private:
  struct Connection {
    Connection(const TcpRules& rules, double handshake_s, Sender::Transmit transmit, DeviceQueue device);
    std::vector<int> there, back;
    int life = 0;
    Sender sender;
    Receiver receiver;
    EndBound end;
    double end_bytes = 0;  // where the message under way, or the last, ends
    bool is_busy = false;
  };
  std::size_t place_of(int line) const { return connections_.size() + static_cast<std::size_t>(line); }
  Connection& at(int connection) { return *connections_[static_cast<std::size_t>(connection)]; }
  void plan(int connection);
  void send(double now_s, const std::vector<int>& connections, Turns& turns);
  void end_if_there(int connection);
  bool put(double now_s, const Packet& packet);
  void step(int line, double now_s);
  void arrive(double now_s, const Packet& packet);
  double latency_of(std::span<const int> lines) const;
  double least_latency_of(std::span<const int> lines) const;
  void acknowledge(double now_s, int connection, const Acknowledgement& tells);
  double least_end_s(const Connection& connection) const;

  const TcpRules rules_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::deque<Line> lines_;
  Agenda agenda_;          // connections, then lines
  Agenda ends_;            // connections: no earlier does the message end
  std::vector<int> busy_;  // connections whose messages are under way
  std::vector<int> ended_;
  int lives_ = 0;
  double now_s_ = 0;
  Sender::Counts closed_;
};

}  // namespace ddl::network::packets
