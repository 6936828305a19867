// A star of links with latencies, which gives the kernel's TCP real round trips: one thread reads hosts' packets from
// their TUN devices, takes them over a DelayedStar in real time, and writes them to the target's device. It needs no
// kernel module but `tun`, and no address outside the hosts' namespaces.
//
// The time at which a packet comes out follows from its reading time and the links, not from the time at which the
// thread ran: a late thread delays single packets, and takes no bandwidth away.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "lab/emulate/measurement.hpp"
#include "lab/emulate/monitor.hpp"
#include "lab/emulate/testbed/delayed_star.hpp"
#include "lab/emulate/testbed/network_namespace.hpp"
#include "sim/platform/time_series.hpp"

namespace ddl::emulate {

// A file descriptor, closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();
  int number() const { return number_; }

 private:
  int number_;
};

// At 9 microseconds a packet (the least of those measured on a busy machine) seven tenths of a core.
constexpr double most_packets_per_s = 80e3;
// Assumes that all links are full: frames of data, and an acknowledgement for every second one. Throws InputError
// beyond a box's capacity.
void check_packet_rate(const std::vector<double>& up_bytes_per_s, const std::vector<double>& down_bytes_per_s);

// A line's changes over time: factors on its rate and latency.
struct LineChange {
  using TimeSeriesList = std::vector<std::unique_ptr<platform::TimeSeries>>;
  int node = 0;
  bool up = false;
  TimeSeriesList rate, latency;
};

class DelayBox {
 public:
  // Puts a device "eth0" into each host's namespace, without an address yet. Packets are routed by the last byte of
  // their target's address, which is the node's index plus one. `changes` of lines start with begin(). Throws
  // InputError.
  DelayBox(const std::vector<NetworkNamespace>& hosts, DelayedStar star, std::vector<LineChange> changes);
  ~DelayBox();
  DelayBox(const DelayBox&) = delete;
  DelayBox& operator=(const DelayBox&) = delete;

  // Starts the run at that time: the report counts, links change.
  void begin(WallClock::time_point start);
  // The thread ends; the report is complete. Nothing is carried any more.
  void stop();
  DelayBoxUse use() const;  // since the run began; once stopped

 private:
  void carry();  // the thread
  double now_s() const { return std::chrono::duration<double>(WallClock::now() - origin_).count(); }
  void begin_if_due(double now_s);
  // In seconds of the run, as a time series compares them with its own: a sum with begin_s_ may round to less.
  void change_lines(double run_s);
  double next_change_s() const;  // `never` before the run has begun
  bool put_out(double until_s);  // true if any came out
  void take_from(std::size_t node, double came_s);
  void wait();  // until something is due or has arrived
  void look(double longest_s);
  void note_error(double error_s);
  void wake() const;
  void sum_up();

  DelayedStar star_;
  std::vector<LineChange> changes_;
  std::vector<Descriptor> devices_;  // by node
  Descriptor news_;                  // readable when the run begins or ends
  const WallClock::time_point origin_ = WallClock::now();
  std::latch is_ready_{1};  // the thread carries packets
  std::atomic<bool> over_ = false;
  std::atomic<double> begins_s_ = DelayLine::never;

  // The thread's own.
  double wake_latency_s_ = 0;  // made up for, when a packet is read and when it is written
  bool has_begun_ = false;
  double begin_s_ = 0, begin_cpu_s_ = 0;
  DelayLine::Counts before_;    // the run began
  std::vector<pollfd> polled_;  // the devices, then news_
  std::vector<std::uint8_t> buffer_;
  std::vector<std::int64_t> error_counts_;  // by tens of microseconds
  double error_sum_s_ = 0;
  DelayBoxUse use_;

  std::thread thread_;
};

}  // namespace ddl::emulate
