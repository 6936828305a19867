// Events in one instant: workers without distinction all see the same.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/scenarios.hpp"

namespace ddl::instants_test {

namespace {

// Models of 1 MB over links of 1 MB/s, and gradients of 1/8 s, so that messages arrive and steps end together: these
// times, and those of eight parts over a quarter of a link, are exact.
run::RunResult run(const std::string& ako, int workers, const char* latency, scenario::LinkSolver solver) {
  auto scenario = timing_only(fmt::format(R"({{"name": "ako", "schedule": "broadcast", {}}})", ako), workers, 0,
                              latency, R"({"iterations": 12})");
  scenario.platform.network.solver = solver;
  scenario.compute.seconds_per_batch = Seconds{0.125};
  return run::run(scenario);
}

struct Step {
  double end_s = 0, staleness = 0;
};

// By worker, then step.
std::vector<std::vector<Step>> steps_of(const run::RunResult& result) {
  std::vector<std::vector<Step>> steps(result.steps.size());
  for (const run::IterationRow& row : result.iterations) {
    steps[static_cast<std::size_t>(row.worker)].push_back({row.end_s, row.staleness});
  }
  return steps;
}

void check_same(const std::vector<Step>& one, const std::vector<Step>& other) {
  REQUIRE(one.size() == other.size());
  for (std::size_t step = 0; step < one.size(); ++step) {
    CAPTURE(step);
    CHECK(one[step].end_s == doctest::Approx(other[step].end_s).epsilon(1e-9));
    CHECK(one[step].staleness == other[step].staleness);
  }
}

// Bytes that the link carried in one direction.
double bytes_of(const run::RunResult& result, const std::string& link, const std::string& direction) {
  const auto found = std::ranges::find_if(
      result.traffic, [&](const run::TrafficRow& row) { return row.link == link && row.direction == direction; });
  REQUIRE(found != result.traffic.end());
  return found->bytes;
}

// Three workers of Ako with eight parts of 1/8 MB each: messages arrive at multiples of 1/8 s.
scenario::Scenario eighths(const std::string& stop, scenario::LinkSolver solver) {
  auto scenario = timing_only(R"({"name": "ako", "partitions": 8, "overflow": "merge"})", 3, 0, "0ms", stop);
  scenario.platform.network.solver = solver;
  scenario.compute.seconds_per_batch = Seconds{0.125};
  return scenario;
}

// One worker and one server: gradients of 1/8 s between messages of 1 s.
scenario::Scenario pulls_and_pushes(const std::string& stop, scenario::LinkSolver solver) {
  auto scenario = timing_only(R"({"name": "ps_async"})", 1, 1, "0ms", stop);
  scenario.platform.network.solver = solver;
  scenario.compute.seconds_per_batch = Seconds{0.125};
  return scenario;
}

constexpr auto solvers = {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator};

}  // namespace

TEST_CASE("workers that nothing tells apart take the same gradients in the same steps") {
  for (const std::string ako : {R"("partitions": 1, "overflow": "block")", R"("partitions": 2, "overflow": "block")",
                                R"("partitions": 8, "overflow": "block", "queue_depth": 2)",
                                R"("partitions": 8, "overflow": "block", "apply": "on_arrival")",
                                R"("partitions": 4, "overflow": "block", "staleness_bound": 1)", R"("partitions": 8)",
                                R"("partitions": 8, "staleness_bound": 2)"}) {
    for (const char* latency : {"0ms", "62500us"}) {
      for (const auto solver : solvers) {
        CAPTURE(ako);
        CAPTURE(latency);
        CAPTURE(static_cast<int>(solver));
        const auto steps = steps_of(run(ako, 5, latency, solver));
        for (const auto& worker : steps) check_same(worker, steps[0]);
      }
    }
  }
}

TEST_CASE("a gradient that arrives when a worker goes on is in the step that this worker ends") {
  // Each model takes a second, so step k's arrives when the worker has room for the next: at 1.125 s, in its third
  // step.
  for (const auto solver : solvers) {
    const auto steps = steps_of(run(R"("partitions": 1, "overflow": "block")", 2, "0ms", solver));
    CHECK(steps[0][2].end_s == doctest::Approx(1.125));
    CHECK(steps[0][2].staleness == 2);
  }
}

TEST_CASE("a gradient that arrives when a worker's own is computed is in the step of that one") {
  // Eight parts of 1/8 s each: that of step k arrives when the gradient of step k + 1 is there.
  for (const auto solver : solvers) {
    const auto steps = steps_of(run(R"("partitions": 8, "overflow": "block", "queue_depth": 4)", 2, "0ms", solver));
    CHECK(steps[0][0].staleness == 0);
    CHECK(steps[0][1].end_s == doctest::Approx(0.25));
    CHECK(steps[0][1].staleness == 1);
  }
}

TEST_CASE("SimGrid and the accelerator agree on what comes first in an instant") {
  for (const std::string ako :
       {R"("partitions": 8, "overflow": "block", "queue_depth": 2)", R"("partitions": 8)", R"("partitions": 2)"}) {
    CAPTURE(ako);
    const auto by_simgrid = steps_of(run(ako, 5, "0ms", scenario::LinkSolver::simgrid));
    const auto by_accelerator = steps_of(run(ako, 5, "0ms", scenario::LinkSolver::accelerator));
    for (std::size_t worker = 0; worker < by_simgrid.size(); ++worker) {
      check_same(by_simgrid[worker], by_accelerator[worker]);
    }
  }
}

TEST_CASE("a run that its time ends has carried what its links could until then") {
  for (const auto solver : solvers) {
    CAPTURE(static_cast<int>(solver));
    // All links are busy since the first gradients, at 1/8 s.
    for (const auto& [stop, bytes] : {std::pair(R"({"time": "300ms"})", 175e3), {R"({"time": "375ms"})", 250e3}}) {
      const auto result = run::run(eighths(stop, solver));
      for (const char* worker : {"w0", "w1", "w2"}) {
        CHECK(bytes_of(result, worker, "up") == doctest::Approx(bytes));
        CHECK(bytes_of(result, worker, "down") == doctest::Approx(bytes));
      }
    }
  }
}

TEST_CASE("messages that arrive, and a step that ends, in the instant in which the time is over count") {
  // Pull until 1 s, push until 2.125 s, the next until 3.125 s and 4.25 s; the second gradient is there at 3.25 s.
  for (const auto solver : solvers) {
    CAPTURE(static_cast<int>(solver));
    const auto through = run::run(pulls_and_pushes(R"({"time": "4.25s"})", solver));
    CHECK(bytes_of(through, "ps0", "down") == doctest::Approx(2e6));
    CHECK(bytes_of(through, "ps0", "up") == doctest::Approx(2e6));
    CHECK(through.bytes_delivered == doctest::Approx(4e6));
    const auto computed = run::run(pulls_and_pushes(R"({"time": "3.25s"})", solver));
    CHECK(computed.simulated_s == 3.25);
    CHECK(bytes_of(computed, "ps0", "down") == doctest::Approx(1e6));
  }
}

TEST_CASE("messages that arrive in the instant of a crash have arrived, and a restart's effects come after arrivals") {
  std::vector<run::RunResult> crashed, restarted;
  for (const auto solver : solvers) {
    auto scenario = eighths(R"({"time": "20s"})", solver);
    scenario.faults = {scenario::HostCrash{"w1", Seconds{1.125}}};
    crashed.push_back(run::run(scenario));
    scenario.faults = {scenario::HostCrash{"w1", Seconds{0.375}, Seconds{5.03}}};
    restarted.push_back(run::run(scenario));
    // Between w0 and the server a push ends at 2.125 s.
    auto pair = pulls_and_pushes(R"({"time": "4s"})", solver);
    pair.faults = {scenario::HostCrash{"w0", Seconds{2.125}, Seconds{3.5}}};
    CHECK(run::run(pair).bytes_delivered == 2e6);
  }
  for (const auto& runs : {crashed, restarted}) {
    CHECK(runs[0].faults->messages_lost == runs[1].faults->messages_lost);
    CHECK(runs[0].bytes_delivered == doctest::Approx(runs[1].bytes_delivered));
    CHECK(runs[0].steps == runs[1].steps);
  }
}

}  // namespace ddl::instants_test
