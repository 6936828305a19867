// How a run over real TCP was measured, and what of the machine's processors that took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/run/rows/run_result.hpp"

namespace ddl::emulate {

// How exact emulated links with latencies were, and what they cost.
struct DelayBoxUse {
  std::int64_t packets = 0, dropped = 0, lost = 0;            // sent; dropped by full queues; lost at random
  double error_mean_s = 0, error_p99_s = 0, error_max_s = 0;  // from when packets should have come out to when they did
  double processor_share = 0;                                 // of one core, with the kernel's TCP that this drives
};

struct Measurement {
  std::string kernel, congestion_control;
  std::string compute;     // "slept" or "real": what a gradient's time is
  std::string precedence;  // over the machine's other work
  int repetition = 1;
  std::string links;                       // how they are made: "token buckets" or "delay box"
  double queue_s = 0, queue_bytes = 0;     // of each limited link: one of them
  double jitter_s = 0, loss = 0;           // of packets, at each link
  bool slow_start_after_idle = true;       // of TCP
  double late_mean_s = 0, late_max_s = 0;  // that sleeps ended after their time
  double retransmitted_share = 0;          // of TCP's segments
  double own_share = 0;                    // of all cores' time, of this run's processes without the kernel's
  double busy_share = 0;                   // of all processes, the kernel included
  double soft_interrupt_share = 0;         // of the kernel's soft interrupts, such as its TCP
  std::optional<DelayBoxUse> delay_box;
};

// Puts it into a result: its files and closing table say how it was measured, instead of how networks are simulated.
void put_measurement(run::RunResult& result, const Measurement& measured);

}  // namespace ddl::emulate
