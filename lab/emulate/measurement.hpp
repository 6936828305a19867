// How a run over real TCP was measured, and how much of the machine's processors it used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/run/rows/run_result.hpp"

namespace ddl::emulate {

// Accuracy and cost of emulated links with latencies.
struct DelayBoxUse {
  std::int64_t packets = 0, dropped = 0, lost = 0;            // sent; dropped by full queues; lost at random
  double error_mean_s = 0, error_p99_s = 0, error_max_s = 0;  // errors of the times at which packets come out
  double processor_share = 0;                                 // share of one core, including the kernel's TCP
};

struct Measurement {
  std::string kernel, congestion_control;
  std::string compute;     // "slept" or "real": kind of a gradient's time
  std::string precedence;  // over the machine's other work
  int repetition = 1;
  std::string links;                       // implementation: "token buckets" or "delay box"
  double queue_s = 0, queue_bytes = 0;     // per limited link: one of them
  double jitter_s = 0, loss = 0;           // per packet, at each link
  bool slow_start_after_idle = true;       // TCP's
  double late_mean_s = 0, late_max_s = 0;  // delay of sleeps' ends after their time
  double retransmitted_share = 0;          // share of TCP's segments
  double own_share = 0;                    // shares of all cores' time: this run's processes without the kernel's
  double busy_share = 0;                   // all processes, including the kernel
  double soft_interrupt_share = 0;         // the kernel's soft interrupts, such as its TCP
  std::optional<DelayBoxUse> delay_box;
};

// Puts it into a result: its files and closing table say how it was measured, instead of how networks are simulated.
void put_measurement(run::RunResult& result, const Measurement& measured);

}  // namespace ddl::emulate
