// The model TCP, with both solvers, against hand calculations.
#include <doctest/doctest.h>

#include <vector>

#include "tests/support/carried.hpp"
#include "tests/support/forked.hpp"

using namespace ddl;

using nlohmann::json;

namespace {

constexpr double segment = 1448, bandwidth = 5e6;  // bytes, bytes per second of frames
constexpr double segment_s = (1514.0 + 33) / bandwidth;

scenario::Scenario connected(double latency_s, double queue_s = 0.05) {
  scenario::Scenario scenario =
      on_platform({.workers = 4, .bandwidth = {{bandwidth}}, .latency = {latency_s}}, scenario::NetworkModel::TCP);
  scenario.platform.network.sharing = scenario::LinkSharing::tcp;
  scenario.platform.network.queue = {queue_s};
  return scenario;
}

std::vector<double> times(scenario::Scenario scenario, scenario::LinkSolver solver, const std::vector<Sent>& messages) {
  scenario.platform.network.solver = solver;
  const json found = forked([&] { return json(carried(scenario, messages)); });
  REQUIRE_MESSAGE(found.is_array(), found.dump());
  return found.get<std::vector<double>>();
}

void check_times(const scenario::Scenario& scenario, const std::vector<Sent>& messages,
                 const std::vector<double>& expected) {
  for (const auto solver : {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator}) {
    CAPTURE(static_cast<int>(solver));
    const std::vector<double> found = times(scenario, solver, messages);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(i);
      CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-6));
    }
  }
}

}  // namespace

TEST_CASE("what fits into the first window takes its length and one way") {
  check_times(connected(0.05), {{0, 1, 10 * segment}}, {0.05 + 10 * segment_s});
}

TEST_CASE("each further round waits for the first acknowledgement") {
  // A window of 10 is sent in 10 segment_s; then nothing until 0.1 s have passed. So is one of 20.
  const double first_gap_s = 0.1 - 10 * segment_s, second_gap_s = 0.1 - 20 * segment_s;
  check_times(connected(0.05), {{0, 1, 11 * segment}}, {0.05 + first_gap_s + 11 * segment_s});
  check_times(connected(0.05), {{0, 1, 30 * segment}}, {0.05 + first_gap_s + 30 * segment_s});
  check_times(connected(0.05), {{0, 1, 70 * segment}}, {0.05 + first_gap_s + second_gap_s + 70 * segment_s});
}

TEST_CASE("where the first window covers the way, a message takes its length over the rate") {
  // 10 segments take 3.1 ms.
  check_times(connected(0.001), {{0, 1, 100 * segment}}, {0.001 + 100 * segment_s});
}

TEST_CASE("a connection keeps its window, and forgets it while it is idle") {
  const double gaps_s = 0.2 - 30 * segment_s, rest_s = 0.05 + 70 * segment_s;
  // 10, 20 and 40 segments have made the window 80.
  check_times(connected(0.05), {{0, 1, 70 * segment}, {0, 1, 70 * segment, 0.3}}, {gaps_s + rest_s, 0.3 + rest_s});
  check_times(connected(0.05), {{0, 1, 70 * segment}, {0, 1, 70 * segment, 9}}, {gaps_s + rest_s, 9 + gaps_s + rest_s});
  scenario::Scenario kept = connected(0.05);
  kept.platform.network.slow_start_after_idle = false;
  check_times(kept, {{0, 1, 70 * segment}, {0, 1, 70 * segment, 9}}, {gaps_s + rest_s, 9 + rest_s});
}

TEST_CASE("what a queue cannot hold is lost, and found out by a probe") {
  // The second message's 70 segments leave at once, 10 more than the queue holds: a probe after two round trips.
  const double gaps_s = 0.2 - 30 * segment_s, rest_s = 0.05 + 70 * segment_s;
  check_times(connected(0.05, 60 * segment_s + 1e-6), {{0, 1, 70 * segment}, {0, 1, 70 * segment, 0.3}},
              {gaps_s + rest_s, 0.3 + 2 * 0.1 + rest_s});
}

TEST_CASE("without latency the model is the textbook's, and its frames have headers") {
  check_times(connected(0), {{0, 1, 1000 * segment}}, {1000 * segment_s});
}

TEST_CASE("acknowledgements wait behind what goes the other way, but for one that starts first") {
  // Both have 10 segments under way at first: an acknowledgement waits for 5 of the other direction's.
  const double gap_s = 0.1 + 5 * segment_s - 10 * segment_s, alone_gap_s = 0.1 - 10 * segment_s;
  const double rest_s = 0.05 + 30 * segment_s;
  check_times(connected(0.05), {{0, 1, 30 * segment}, {1, 0, 30 * segment}}, {gap_s + rest_s, gap_s + rest_s});
  check_times(connected(0.05), {{0, 1, 30 * segment}, {1, 0, 30 * segment, 0.01}},
              {alone_gap_s + rest_s, 0.01 + gap_s + rest_s});
}

TEST_CASE("connections that share a link have each their part of it, whichever starts first in an instant") {
  // Two to one node: 10 segments take each as long as 20.
  for (const auto solver : {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator}) {
    scenario::Scenario scenario = connected(0.05);
    scenario.platform.network.sharing = scenario::LinkSharing::fair;
    scenario.platform.network.crosstraffic = false;
    const double frame_s = segment / (0.97 * bandwidth);
    const double gap_s = 0.1 - 20 * frame_s;
    const std::vector<double> found = times(scenario, solver, {{0, 1, 30 * segment}, {2, 1, 30 * segment}});
    for (const double time : found) CHECK(time == doctest::Approx(0.05 + gap_s + 60 * frame_s).epsilon(1e-6));
  }
}

TEST_CASE("when a link is up again, messages need no longer than if they started then") {
  const std::vector<Sent> messages = {{0, 1, 1000 * segment}, {0, 1, 1000 * segment, 0.1}, {2, 1, 100 * segment, 0.1}};
  const std::vector<double> usual = times(connected(0.02), scenario::LinkSolver::accelerator, messages);
  for (const char* const link : {"w0", "w1"}) {
    for (const auto direction :
         {scenario::LinkDirection::both, scenario::LinkDirection::up, scenario::LinkDirection::down}) {
      CAPTURE(link);
      CAPTURE(static_cast<int>(direction));
      scenario::Scenario scenario = connected(0.02);
      scenario.faults.emplace_back(scenario::LinkDown{{{0.05}, {5}}, link, direction});
      const std::vector<double> found = times(scenario, scenario::LinkSolver::accelerator, messages);
      // What one connection has under way when the link fails may cost it a loss: as a probe takes.
      for (std::size_t i = 0; i < messages.size(); ++i) CHECK(found[i] - 5 < usual[i] + 0.2);
    }
  }
}
