// Computations of a node's actors, as SimGrid executions on its host.
#pragma once

#include <cstdint>
#include <simgrid/s4u/Exec.hpp>
#include <vector>

#include "sim/run/simulation.hpp"

namespace ddl::run {

class Processor {
 public:
  Processor(Simulation& simulation, int node) : simulation_(simulation), node_(node) {}

  // Suspend the calling actor for what takes `seconds` > 0 at the host's nominal speed. Return how long it took: as
  // long as asked for, unless it was cut short or the host's speed changes.
  double compute(double seconds, TraceSpan::Kind kind, std::int64_t step);
  double compute_gradient(double seconds, std::int64_t step);
  void cut_gradient_short();
  void cancel_all();

 private:
  double run(const simgrid::s4u::ExecPtr& execution, double seconds, TraceSpan::Kind kind, std::int64_t step);
  simgrid::s4u::ExecPtr execution(double seconds) const;

  Simulation& simulation_;
  const int node_;
  simgrid::s4u::ExecPtr gradient_;
  std::vector<simgrid::s4u::ExecPtr> others_;
};

}  // namespace ddl::run
