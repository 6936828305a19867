#include "sim/run/actors/processor.hpp"

#include <simgrid/Exception.hpp>
#include <simgrid/s4u/Actor.hpp>

namespace ddl::run {

namespace sg = simgrid::s4u;

namespace {

// Whether it came to its end, and was not cancelled.
bool wait_for(const sg::ExecPtr& execution) {
  try {
    execution->start()->wait();
    return true;
  } catch (const simgrid::CancelException&) {
    return false;
  }
}

}  // namespace

double Processor::compute(double seconds, TraceSpan::Kind kind, std::int64_t step) {
  others_.push_back(execution(seconds));
  const sg::ExecPtr mine = others_.back();
  const double spent_s = run(mine, seconds, kind, step);
  std::erase(others_, mine);
  return spent_s;
}

double Processor::compute_gradient(double seconds, std::int64_t step) {
  gradient_ = execution(seconds);
  const double spent_s = run(gradient_, seconds, TraceSpan::gradient, step);
  gradient_.reset();
  return spent_s;
}

sg::ExecPtr Processor::execution(double seconds) const {
  return sg::this_actor::exec_init(seconds * simulation_.fabric().speed_flops(node_));
}

double Processor::run(const sg::ExecPtr& execution, double seconds, TraceSpan::Kind kind, std::int64_t step) {
  const double since_s = simulation_.now();
  const auto traced = simulation_.tracer().begin(kind, node_, step);
  const bool whole = wait_for(execution);
  simulation_.tracer().end(traced);
  // The clock's difference is a rounding off what was asked for, which is therefore kept when it is the same.
  const platform::Fabric& fabric = simulation_.fabric();
  const bool as_asked = whole && !fabric.speed_changes(node_) && !fabric.shares_host(node_);
  return as_asked ? seconds : simulation_.now() - since_s;
}

void Processor::cut_gradient_short() {
  // A copy: cancelling lets the computing actor go on before it returns.
  if (const sg::ExecPtr gradient = gradient_) gradient->cancel();
}

void Processor::cancel_all() {
  std::vector<sg::ExecPtr> executions = others_;
  if (gradient_) executions.push_back(gradient_);
  for (const sg::ExecPtr& execution : executions) execution->cancel();
}

}  // namespace ddl::run
