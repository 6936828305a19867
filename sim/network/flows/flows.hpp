// Transfers under way on a network of links, in simulated time: each first waits for its latency, and then takes its
// fair share of the links on its route until it is through. Independent of SimGrid; the caller has the clock.
//
// A flow bound at a link (see MaxMin) progresses with the integral of the link's level. So a change of level touches
// one link and none of the flows that share it.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "core/base/agenda.hpp"
#include "sim/network/flows/max_min.hpp"

namespace ddl::network::flows {

// A transfer's demand on the network.
struct FlowShape {
  std::vector<Use> uses;         // none, and no bound: it is through after its latency
  double latency_s = 0;          // before the first byte
  double penalty = 1;            // its claim on a full link is 1 / penalty
  double bound = MaxMin::never;  // limit of its rate
  double efficiency = 1;         // bytes delivered per byte of its rate
};

class Flows final : private MaxMin::Listener {
 public:
  explicit Flows(const std::vector<double>& capacities);

  // The transfer's number, used again once it is over. `now_s` never goes back from one call to the next.
  int start(double now_s, const FlowShape& shape, double bytes);
  // When the next transfer has paid its latency or is over; never, when none is under way.
  double next_s();
  // The transfers that end at `now_s`, in the order started. Events less than a nanosecond apart count as one, as in
  // SimGrid.
  std::vector<int> advance(double now_s);
  // Cancels a transfer; returns its undelivered bytes. Its number may be used again.
  double cancel(double now_s, int transfer);
  // Undelivered bytes at `now_s`; no event may come before.
  double remaining_bytes(double now_s, int transfer) const;
  void set_capacity(double now_s, int link, double capacity);

 private:
  struct Transfer {
    std::int64_t order = 0;  // rank of its start
    FlowShape shape;
    double bytes = 0;
    int flow = -1;  // in sharing_, once the latency is paid
    bool running = false;
    double end = 0;          // value of the integral of its link's level at its end; or a time, when bound by itself
    double left = 0;         // level times seconds, kept while between two bindings
    std::int64_t stamp = 0;  // marks its valid entry in a heap of ends
  };
  struct End {
    double at = 0;
    int transfer = 0;
    std::int64_t stamp = 0;
    bool operator>(const End& other) const { return at > other.at; }
  };
  using Ends = std::priority_queue<End, std::vector<End>, std::greater<>>;
  struct Line {                        // state of a link
    double integral = 0, since_s = 0;  // integral of its level up to since_s
    Ends ends;
    bool is_stale = false;  // its entry in agenda_ is
  };

  void before_level(int link) override;
  void after_level(int link) override;
  void before_binding(int flow) override;
  void after_binding(int flow) override;

  Line& line(int link) { return lines_[static_cast<std::size_t>(link)]; }
  Transfer& transfer(int number) { return transfers_[static_cast<std::size_t>(number)]; }
  const Transfer& transfer(int number) const { return transfers_[static_cast<std::size_t>(number)]; }
  double left(double now_s, const Transfer& transfer) const;
  bool is_current(const End& end) const;
  void drop_old_ends(Line& line);
  void mark_stale(int link);  // reschedule(), once levels have settled
  void reschedule(int link);
  void run(int number);
  void collect(Ends& ends, double up_to, std::vector<int>& finished);

  MaxMin sharing_;
  double now_s_ = 0;
  std::int64_t started_ = 0, stamps_ = 0;
  std::vector<Transfer> transfers_;
  std::vector<int> free_, of_flow_;  // transfer of each flow
  std::vector<Line> lines_;
  std::vector<int> stale_lines_;
  Agenda agenda_;             // when the next transfer at a link is over
  Ends latencies_, bounded_;  // ends in time
  bool settled_ = true;
};

}  // namespace ddl::network::flows
