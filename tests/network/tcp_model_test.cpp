// The model TCP, with both solvers, against hand calculations.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/rng.hpp"
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
  scenario.platform.network.queue = {queue_s};
  return scenario;
}

// With a seed by which the first messages from w0 and w2 to w1 count as equally many flows.
scenario::Scenario with_equal_shares(scenario::Scenario scenario) {
  const auto flows = [&](const char* pair) { return stream(scenario.seed, pair, "uneven shares").below(4); };
  while (flows("w0 to w1") != flows("w2 to w1")) ++scenario.seed;
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

TEST_CASE("a connection is as new when one of its hosts was away") {
  const double gaps_s = 0.2 - 30 * segment_s, rest_s = 0.05 + 70 * segment_s;
  for (const auto solver : {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator}) {
    CAPTURE(static_cast<int>(solver));
    scenario::Scenario scenario = connected(0.05);
    scenario.platform.network.solver = solver;
    for (const int gone : {0, 1, 2}) {
      CAPTURE(gone);
      const json found = forked([&] {
        return json(carried(scenario, {{0, 1, 70 * segment}, {0, 1, 70 * segment, 0.3}},
                            [gone](network::Network& network, std::size_t i) {
                              network.set_reachable(gone, i == 0);
                              network.set_reachable(gone, true);
                            }));
      });
      REQUIRE_MESSAGE(found.is_array(), found.dump());
      // What is between others keeps its window.
      const double second_s = 0.3 + (gone == 2 ? 0 : gaps_s) + rest_s;
      CHECK(found[1].get<double>() == doctest::Approx(second_s).epsilon(1e-6));
    }
  }
}

TEST_CASE("a message that is cut off with its host takes no part of a link from those after it") {
  for (const auto solver : {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator}) {
    CAPTURE(static_cast<int>(solver));
    scenario::Scenario scenario = connected(0.05);
    scenario.platform.network.solver = solver;
    const json found = forked([&] {
      return json(carried(scenario, {{2, 1, 1000 * segment}, {0, 1, 30 * segment, 0.01}},
                          [](network::Network& network, std::size_t i) {
                            if (i == 1) network.set_reachable(2, false);
                          }));
    });
    REQUIRE_MESSAGE(found.is_array(), found.dump());
    CHECK(found[0].get<double>() == -1);
    CHECK(found[1].get<double>() == doctest::Approx(0.01 + 0.05 + 0.1 + 20 * segment_s).epsilon(1e-6));
  }
}

TEST_CASE("a message that its window limits takes a round trip for each window, and its last at the link's rate") {
  // 20 segments take 6 of 100 ms: 10 and then 20 a round trip.
  scenario::Scenario limited = connected(0.05);
  limited.platform.network.tcp_window = {20 * segment};
  for (const int windows : {1, 2, 100}) {
    for (const int last : {1, 13, 20}) {
      CAPTURE(windows);
      CAPTURE(last);
      check_times(limited, {{0, 1, (10 + 20 * windows + last) * segment}},
                  {0.05 + 0.1 * (1 + windows) + last * segment_s});
    }
  }
  // A window that is there from the start, and what fits into it.
  check_times(limited, {{0, 1, 50 * segment}, {0, 1, 45 * segment, 0.3}, {0, 1, 20 * segment, 0.7}},
              {0.05 + 0.2 + 20 * segment_s, 0.3 + 0.05 + 0.2 + 5 * segment_s, 0.7 + 0.05 + 20 * segment_s});
  // The law, for one so long that neither its first nor its last round counts.
  for (const auto solver : {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator}) {
    CHECK(times(limited, solver, {{0, 1, 20 * 5000 * segment}})[0] == doctest::Approx(500).epsilon(1e-3));
  }
}

TEST_CASE("a window at its limit bounds the rate, also after others have left the link") {
  // A link carries 100 segments in a round trip, a window has 60. Two messages have 50 each; when the shorter is
  // through, the other has 60.
  const double round_trip_s = 100 * segment_s;
  scenario::Scenario scenario = with_equal_shares(connected(round_trip_s / 2));
  scenario.platform.network.tcp_window = {60 * segment};
  const std::vector<Sent> messages = {{0, 1, 60000 * segment}, {2, 1, 30000 * segment}};
  const double both_s = 30000 / 50.0 * round_trip_s, all_s = both_s + 30000 / 60.0 * round_trip_s;
  for (const auto solver : {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator}) {
    CAPTURE(static_cast<int>(solver));
    const std::vector<double> found = times(scenario, solver, messages);
    CHECK(found[0] == doctest::Approx(all_s).epsilon(0.01));
    CHECK(found[1] == doctest::Approx(both_s).epsilon(0.01));
  }
}

TEST_CASE("a window at its limit waits for acknowledgements that wait behind what goes the other way") {
  // 20 and 40 segments the other way: half of them are before an acknowledgement.
  scenario::Scenario limited = connected(0.05);
  limited.platform.network.tcp_window = {20 * segment};
  const std::vector<Sent> messages = {
      {0, 1, 10 * segment}, {1, 0, 10 * segment}, {0, 1, 100 * segment, 0.1}, {1, 0, 100 * segment, 0.1}};
  const double trip_s = 0.1 + 10 * segment_s, end_s = 0.1 + 0.05 + 4 * trip_s + 20 * segment_s;
  check_times(limited, messages, {0.05 + 10 * segment_s, 0.05 + 10 * segment_s, end_s, end_s});
}

TEST_CASE("latency on the way back alone costs its gaps, and windows bound there, too, by the accelerator") {
  const auto one_way = [](const char* latency) {
    return on_file("one_way.xml",
                   {.text = std::make_shared<const std::string>(
                        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/>"
                        "<host id=\"b\" speed=\"1Gf\"/><link id=\"there\" bandwidth=\"5MBps\" latency=\"" +
                        std::string(latency) +
                        "\"/><link id=\"back\" bandwidth=\"5MBps\" latency=\"100ms\"/>"
                        "<route src=\"a\" dst=\"b\" symmetrical=\"NO\"><link_ctn id=\"there\"/></route>"
                        "<route src=\"b\" dst=\"a\" symmetrical=\"NO\"><link_ctn id=\"back\"/></route>"
                        "</zone></platform>")},
                   scenario::NetworkModel::TCP);
  };
  const auto set = [](scenario::Scenario scenario, double window) {
    scenario.platform.network.tcp_window = {window};
    return scenario;
  };
  const std::vector<Sent> messages = {{0, 1, 70 * segment}, {1, 0, 70 * segment, 1}};
  const double gaps_s = 0.2 - 30 * segment_s, rest_s = 70 * segment_s;
  const json none = forked([&] { return json(carried(set(one_way("0ms"), 1e6), messages)); });
  REQUIRE_MESSAGE(none.is_array(), none.dump());
  CHECK(none[0].get<double>() == doctest::Approx(gaps_s + rest_s).epsilon(1e-6));
  CHECK(none[1].get<double>() == doctest::Approx(1 + 0.1 + gaps_s + rest_s).epsilon(1e-6));
  const json limited = forked([&] { return json(carried(set(one_way("0ms"), 20 * segment), messages)); });
  REQUIRE_MESSAGE(limited.is_array(), limited.dump());
  CHECK(limited[0].get<double>() == doctest::Approx(0.3 + 20 * segment_s).epsilon(1e-6));
  // Where there is some on both ways SimGrid carries it; the round trip is both together.
  check_times(set(one_way("20ms"), 20 * segment), messages,
              {0.02 + 0.36 + 20 * segment_s, 1.1 + 0.36 + 20 * segment_s});

  scenario::Scenario forced = set(one_way("0ms"), 1e6);
  forced.platform.network.solver = scenario::LinkSolver::simgrid;
  const json refused = forked([&] { return json(platform::Fabric(forced).node_count()); });
  CHECK_MESSAGE(refused.value("input_error", "").find("on its way back alone") != std::string::npos, refused.dump());
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
    const scenario::Scenario scenario = with_equal_shares(connected(0.05));
    const double gap_s = 0.1 - 20 * segment_s;
    const std::vector<double> found = times(scenario, solver, {{0, 1, 30 * segment}, {2, 1, 30 * segment}});
    for (const double time : found) CHECK(time == doctest::Approx(0.05 + gap_s + 60 * segment_s).epsilon(1e-6));
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
