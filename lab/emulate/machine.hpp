// The machine that an emulation runs on: its other work, and how soon it lets our threads run.
#pragma once

#include <cstdint>
#include <string>

#include "lab/emulate/measurement.hpp"

namespace ddl::emulate {

std::string kernel_release();

// Gives the calling thread, and those it starts from then on, precedence over the machine's other work, and returns the
// permitted kind: "real-time", "nice -20" or "none".
std::string take_precedence();

// Processor time since the machine started, in the kernel's ticks over all cores.
struct ProcessorTicks {
  std::int64_t all = 0, idle = 0, soft_interrupts = 0;  // soft interrupts are where the kernel's TCP mostly works
};
ProcessorTicks processor_ticks();

// Use of the processors between two moments of a measurement.
class MachineUse {
 public:
  void begin() { before_ = now(); }
  void end() { after_ = now(); }
  // Sets the three shares. `duration_s` lies between begin() and end().
  void add_shares(Measurement& measured, double duration_s) const;

 private:
  struct Moment {
    ProcessorTicks ticks;
    double own_cpu_s = 0;
  };
  static Moment now();

  Moment before_, after_;
};

}  // namespace ddl::emulate
