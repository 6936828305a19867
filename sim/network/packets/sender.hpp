// The sending end of a TCP connection, like Linux: its limits (congestion_window.hpp, the receiver's window, the
// application's buffer, send_buffer.hpp, and its host's device, device_queue.hpp), and its reaction to losses: those
// reported by later segments (loss/scoreboard.hpp), a lost tail (loss/tail_probe.hpp), and silence
// (loss/loss_timer.hpp). It repairs all of them (loss/recovery.hpp).
//
// Without a clock: its caller passes the time, wakes it at next_s(), and hears of each segment that it sends.
// docs/network.md lists the omissions.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "sim/network/packets/burst.hpp"
#include "sim/network/packets/congestion_window.hpp"
#include "sim/network/packets/device_queue.hpp"
#include "sim/network/packets/loss/loss_timer.hpp"
#include "sim/network/packets/loss/recovery.hpp"
#include "sim/network/packets/loss/scoreboard.hpp"
#include "sim/network/packets/loss/tail_probe.hpp"
#include "sim/network/packets/round_trips.hpp"
#include "sim/network/packets/send_buffer.hpp"

namespace ddl::network::packets {

class Sender {
 public:
  static constexpr double never = Scoreboard::never;
  // False if the first link has no room for it.
  using Transmit = std::function<bool(const Segment& segment)>;
  struct Counts {
    std::int64_t sent = 0, sent_again = 0;  // segments; the second are among the first
    std::int64_t probes = 0, timeouts = 0, spurious_timeouts = 0;
  };

  Sender(const TcpRules& rules, double handshake_s, double receivers_window_bytes, Transmit transmit,
         DeviceQueue device = {})
      : window_(rules),
        trips_(handshake_s),
        device_(device),
        receivers_end_bytes_(receivers_window_bytes),
        transmit_(std::move(transmit)) {}

  // The application writes a message behind those before it. Sends nothing yet.
  void write(double now_s, double bytes);
  // The segment after its last, if all unsent ones are full.
  std::int64_t message_ends() const;
  double message_ends_bytes() const { return board_.next_bytes() + buffer_.left_bytes(); }
  // The segment in which the first `end_bytes` will end, or a later one if some before it are not full; -1: it was
  // sent.
  std::int64_t segment_with_end(double end_bytes) const {
    return end_bytes > board_.next_bytes() ? board_.next() + segments_in(end_bytes - board_.next_bytes()) - 1 : -1;
  }
  void send(double now_s);             // as much as permitted: lost segments, then bursts
  void send_lost_again(double now_s);  // as much of the lost data as permitted
  bool send_burst(double now_s);       // new data; false if there is none or it may not be sent
  void take(double now_s, const Acknowledgement& tells);
  // A transmitted segment comes out of the first link. True if others are sent because of it.
  bool leave_device(double now_s);
  double next_s() const { return timer_.at_s(); }
  void wake(double now_s);

  double timeout_s() const { return trips_.timeout_s(); }
  const Counts& counts() const { return counts_; }

 private:
  void send_new(double now_s);
  Burst burst(double now_s) const;
  void send_next(double now_s, double bytes);
  enum class As { first, lost, probe };
  void put_on_wire(double now_s, std::int64_t segment, As as);
  void note_use(double now_s, bool is_full);

  Scoreboard::Found find_lost(double now_s);
  void send_what_time_tells(double now_s);
  void probe(double now_s);
  void restart(double now_s);
  bool plan_probe(double now_s, bool acknowledged);
  void plan_timeout(double now_s) { timer_.plan_timeout(now_s, board_, trips_); }

  CongestionWindow window_;
  RoundTrips trips_;
  Scoreboard board_;
  SendBuffer buffer_;
  DeviceQueue device_;
  double receivers_end_bytes_, last_sent_s_ = 0, echo_s_ = never_sent;  // echo_s_: of the latest acknowledgement
  const Transmit transmit_;
  bool is_held_back_ = false;  // by the device
  Recovery recovery_;
  LossTimer timer_;
  TailProbe probe_;
  Counts counts_;
};

}  // namespace ddl::network::packets
