// What a measurement took of the machine's processors, between two moments.
#pragma once

#include "sim/emulate/machine.hpp"
#include "sim/experiment/run_result.hpp"

namespace ddl::emulate {

class MachineUse {
 public:
  void begin() { before_ = now(); }
  void end() { after_ = now(); }
  // Sets the three shares. `duration_s` lies between begin() and end().
  void add_shares(experiment::Measurement& measured, double duration_s) const;

 private:
  struct Moment {
    ProcessorTicks ticks;
    double own_cpu_s = 0;
  };
  static Moment now();

  Moment before_, after_;
};

}  // namespace ddl::emulate
