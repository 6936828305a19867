// What happens in one instant, where nothing tells the workers apart: all of them see the same.
#include <doctest/doctest.h>

#include "tests/support/scenarios.hpp"

namespace ddl::instants_test {

namespace {

// Models of 1 MB over links of 1 MB/s, and gradients of 1/8 s, so that messages arrive and steps end together: these
// times, and those of eight parts over a quarter of a link, are exact.
experiment::RunResult run(const std::string& ako, int workers, const char* latency, scenario::LinkSolver solver) {
  auto scenario = timing_only(fmt::format(R"({{"name": "ako", "schedule": "broadcast", {}}})", ako), workers, 0,
                              latency, R"({"iterations": 12})");
  scenario.platform.network.solver = solver;
  scenario.compute.seconds_per_batch = Seconds{0.125};
  return runtime::run(scenario);
}

struct Step {
  double end_s = 0, staleness = 0;
};

// By worker, then step.
std::vector<std::vector<Step>> steps_of(const experiment::RunResult& result) {
  std::vector<std::vector<Step>> steps(result.steps.size());
  for (const experiment::IterationRow& row : result.iterations) {
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
        CAPTURE(name_of(solver));
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

}  // namespace ddl::instants_test
