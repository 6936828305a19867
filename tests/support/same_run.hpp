// Independence of a run from the number of threads and, up to rounding, from the transport of its messages.
#pragma once

#include <doctest/doctest.h>

#include "tests/support/scenarios.hpp"

namespace ddl {

// For a scenario with faults and a network that shares links equally. Jitter separates events that rounding might swap.
inline void check_same_with_any_threads_and_transport(scenario::Scenario scenario) {
  scenario.compute.jitter = 0.2;
  scenario.wire.model_bytes = Bytes{1e5};
  run::RunOptions one_thread, five_threads;
  one_thread.threads = 1;
  five_threads.threads = 5;
  scenario.platform.network.solver = scenario::LinkSolver::simgrid;
  const auto simgrid = run::run(scenario, one_thread), again = run::run(scenario, five_threads);
  CHECK(simgrid.weights == again.weights);
  CHECK(simgrid.simulated_s == again.simulated_s);
  scenario.platform.network.solver = scenario::LinkSolver::accelerator;
  const auto own = run::run(scenario);
  CHECK(own.steps == simgrid.steps);
  CHECK(own.faults->crashes == simgrid.faults->crashes);
  CHECK(own.faults->messages_lost == simgrid.faults->messages_lost);
  CHECK(own.faults->bytes_lost == simgrid.faults->bytes_lost);
  CHECK(own.bytes_sent == simgrid.bytes_sent);
  CHECK(own.simulated_s == doctest::Approx(simgrid.simulated_s).epsilon(1e-6));
}

}  // namespace ddl
