// Platforms of measured connections: messages get what was measured, in every network model.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/platform/layout.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/network/arrivals.hpp"
#include "tests/support/files.hpp"

namespace ddl::measured_test {
namespace {

using scenario::LinkSolver;
using scenario::NetworkModel;
using scenario::Scenario;

struct Model {
  NetworkModel model;
  LinkSolver solver;
  double grown;    // tolerance of rates that windows bind: whole segments, acknowledgements that are late
  double filling;  // likewise, where links are full: headers, unequal shares at the end
};
const Model models[] = {{NetworkModel::CM02, LinkSolver::simgrid, 1e-6, 1e-6},
                        {NetworkModel::CM02, LinkSolver::accelerator, 1e-6, 1e-6},
                        {NetworkModel::TCP, LinkSolver::simgrid, 0.005, 0.1},
                        {NetworkModel::TCP, LinkSolver::accelerator, 0.005, 0.1},
                        {NetworkModel::packets, LinkSolver::accelerator, 0.04, 0.1}};

constexpr double Mbps = 1e6 / 8;

Scenario of_lines(const std::string& lines, const Model& by, const std::string& more = "") {
  const TemporaryFolder folder;
  folder.write("m.csv", "from,to,rate_mbps,rtt_ms,streams\n" + lines);
  Scenario scenario = scenario::parse_scenario(systems::built_in(),
                                               R"({"platform": {"topology": "measured", "matrix": ")" +
                                                   folder.file("m.csv") + "\"" + more +
                                                   R"(}, "model": "none", "wire": {"model_bytes": "1MB"},
      "compute": {"seconds_per_batch": "1s"}, "algorithm": "alone", "stop": {"iterations": 1}})",
                                               "measured.json");
  scenario.platform.network.model = by.model;
  if (by.model != NetworkModel::packets) scenario.platform.network.solver = by.solver;
  return scenario;
}

// Seconds until worker `first` + i has sent `count` messages of so many bytes to worker `other` + i, for all i at once.
double seconds(const Scenario& scenario, int pairs, double bytes, int count, int first, int other) {
  std::vector<Sent> sent;
  for (int i = 0; i < pairs * count; ++i) sent.push_back({first + i % pairs, other + i % pairs, bytes, 0});
  const std::vector<double> times = network::times(scenario, sent);
  return std::ranges::max(times);
}

// Bytes per second that so many messages get together when their windows have grown: what more windows add, whole
// ones, since the last round may be short.
double grown_rate(const Scenario& scenario, double window, int pairs, int first, int other) {
  constexpr double segment = 1448;
  const double more = 20 * scenario.platform.network.connections * std::floor(window / segment) * segment;
  const double more_s =
      seconds(scenario, pairs, 3 * more, 1, first, other) - seconds(scenario, pairs, 2 * more, 1, first, other);
  return pairs * more / more_s;
}

// The same where they fill a link, which they share unevenly: over several messages each, one way after the other.
double filling_rate(const Scenario& scenario, int pairs, double way_s, int first, int other) {
  constexpr double bytes = 10e6;
  constexpr int fewer = 4, more = 16;
  const double each_s =
      (seconds(scenario, pairs, bytes, more, first, other) - seconds(scenario, pairs, bytes, fewer, first, other)) /
      (more - fewer);
  return pairs * bytes / (each_s - way_s);
}

}  // namespace

TEST_CASE("a connection between two sites gets what was measured, each direction for itself") {
  for (const Model& by : models) {
    CAPTURE(static_cast<int>(by.model));
    const Scenario scenario =
        of_lines("us,us,6900,0.66,1\neu,eu,6810,0.65,1\nus,eu,210,103,1\neu,us,1120,103,16\n", by);
    CHECK(grown_rate(scenario, 210 * Mbps * 0.103, 1, 0, 1) == doctest::Approx(210 * Mbps).epsilon(by.grown));
    CHECK(grown_rate(scenario, 70 * Mbps * 0.103, 1, 1, 0) == doctest::Approx(70 * Mbps).epsilon(by.grown));
    // One way, and the bytes: windows grow first, except in the textbook.
    const double alone_s = network::times(scenario, {{0, 1, 50e6, 0}})[0];
    const double least_s = 0.103 / 2 + 50e6 / (210 * Mbps);
    CHECK(alone_s >= least_s * (1 - 1e-3));
    CHECK(alone_s <= least_s * (1 + (by.model == NetworkModel::CM02 ? 1e-9 : 0.5)));
  }
}

TEST_CASE("a message that fills its links gets the rate of the line, headers and acknowledgements apart") {
  for (const Model& by : models) {
    CAPTURE(static_cast<int>(by.model));
    const Scenario scenario = of_lines("a,a,400,2,1\nb,b,400,2,1\na,b,100,40,8\n", by, ", \"workers_per_site\": 2");
    const double exact = by.model == NetworkModel::packets ? 0.01 : 1e-4;
    for (const auto& [other, rate] : {std::pair(1, 400 * Mbps), std::pair(2, 100 * Mbps)}) {
      Scenario over = scenario;
      over.platform.network.connections = other == 1 ? 1 : 12;  // eight windows fill the route
      const double more_s = seconds(over, 1, 400e6, 1, 0, other) - seconds(over, 1, 200e6, 1, 0, other);
      CHECK(200e6 / more_s == doctest::Approx(rate).epsilon(exact));
    }
  }
}

TEST_CASE("one direction that was measured holds for both") {
  const Scenario scenario = of_lines("a,a,1000,1,1\nb,b,1000,1,1\nb,a,80,50,1\n", models[1]);
  CHECK(grown_rate(scenario, 80 * Mbps * 0.05, 1, 0, 1) == doctest::Approx(80 * Mbps));
  CHECK(grown_rate(scenario, 80 * Mbps * 0.05, 1, 1, 0) == doctest::Approx(80 * Mbps));
}

// The window is one connection's; the route, if several streams were measured, is all connections'; the hosts' links
// bound what they share.
TEST_CASE("n connections get n times as much, until the route or a host's link is full") {
  for (const Model& by : models) {
    CAPTURE(static_cast<int>(by.model));
    CAPTURE(static_cast<int>(by.solver));
    const std::string inside = "a,a,400,1,1\nb,b,400,1,1\n", eight = ", \"workers_per_site\": 8";
    const Scenario with_route = of_lines(inside + "a,b,80,40,1\na,b,480,40,8\n", by, eight);
    const Scenario without = of_lines(inside + "a,b,80,40,1\n", by, eight);
    for (const int pairs : {2, 4}) {
      CHECK(grown_rate(with_route, 80 * Mbps * 0.04, pairs, 0, 8) ==
            doctest::Approx(pairs * 80 * Mbps).epsilon(by.grown));
    }

    CHECK(filling_rate(with_route, 8, 0.02, 0, 8) == doctest::Approx(480 * Mbps).epsilon(by.filling));
    CHECK(grown_rate(without, 80 * Mbps * 0.04, 8, 0, 8) == doctest::Approx(8 * 80 * Mbps).epsilon(by.grown));
    // Inside a site the hosts' own links.
    CHECK(filling_rate(without, 1, 0.0005, 0, 1) == doctest::Approx(400 * Mbps).epsilon(by.filling));
  }
}

TEST_CASE("a line of several streams is what so many connections get, and one gets its share of it") {
  for (const Model& by : models) {
    CAPTURE(static_cast<int>(by.model));
    const Scenario scenario =
        of_lines("a,a,2000,1,1\nb,b,2000,1,1\na,b,320,30,4\n", by, ", \"workers_per_site\": [4, 5], \"servers\": 1");
    CHECK(grown_rate(scenario, 80 * Mbps * 0.03, 1, 0, 4) == doctest::Approx(80 * Mbps).epsilon(by.grown));
    CHECK(filling_rate(scenario, 4, 0.015, 0, 4) == doctest::Approx(320 * Mbps).epsilon(by.filling));
  }
}

TEST_CASE("a message that is cut over n connections has n windows, until a link is full") {
  for (const Model& by : models) {
    CAPTURE(static_cast<int>(by.model));
    CAPTURE(static_cast<int>(by.solver));
    Scenario scenario = of_lines("a,a,1000,1,1\nb,b,1000,1,1\na,b,80,40,1\n", by);
    for (const int connections : {2, 5}) {
      scenario.platform.network.connections = connections;
      CHECK(grown_rate(scenario, 80 * Mbps * 0.04, 1, 0, 1) ==
            doctest::Approx(connections * 80 * Mbps).epsilon(by.grown));
    }
    scenario.platform.network.connections = 16;  // as a matrix of NCCL's rates is entered: 1280 Mbit/s in windows
    CHECK(filling_rate(scenario, 1, 0.02, 0, 1) == doctest::Approx(1000 * Mbps).epsilon(by.filling));
    // Fewer bytes than connections.
    CHECK(network::times(scenario, {{0, 1, 3, 0}})[0] == doctest::Approx(0.02).epsilon(0.01));
  }
}

TEST_CASE("messages over several connections share a link as one by one, and are lost whole with their host") {
  for (const Model& by : models) {
    CAPTURE(static_cast<int>(by.model));
    Scenario scenario = of_lines("a,a,400,1,1\nb,b,400,1,1\na,b,800,40,1\n", by, ", \"workers_per_site\": 2");
    scenario.platform.network.connections = 3;
    // Two into one host's link: together its rate.
    const std::vector<double> both = network::times(scenario, {{0, 3, 20e6, 0}, {1, 3, 20e6, 0}});
    CHECK(std::ranges::max(both) == doctest::Approx(0.02 + 40e6 / (400 * Mbps)).epsilon(2 * by.filling + 1e-6));
    const std::vector<double> lost = network::times(scenario, {{0, 3, 20e6, 0}, {1, 2, 1e6, 0}, {1, 2, 1e6, 0.3}},
                                                    [](network::Network& network, std::size_t i) {
                                                      if (i == 2) network.set_reachable(0, false);
                                                    });
    CHECK(lost[0] == -1);
    CHECK(lost[1] > 0);
    CHECK(lost[2] > 0.3);
  }
}

TEST_CASE("a result's platform file has the same windows and links") {
  for (const Model& by : models) {
    CAPTURE(static_cast<int>(by.model));
    const Scenario made = of_lines(
        "a,a,400,1,1\nb-1,b-1,300,2,1\nc,c,400,1,1\na,b-1,80,40,1\na,b-1,200,40,8\n"
        "b-1,a,70,44,1\na,c,33,20,1\nb-1,c,44,30,3\n",
        by, ", \"servers\": 1");
    const TemporaryFolder folder;
    folder.write("platform.xml", platform::platform_xml(platform::layout_of(made.platform)));
    Scenario read = made;
    read.platform.hosts = scenario::FilePlatform{.file = folder.file("platform.xml"), .servers = {"ps0"}};
    std::vector<Sent> sent;
    for (int source = 0; source < 4; ++source) {
      for (int target = 0; target < 4; ++target) {
        if (source != target) sent.push_back({source, target, 1e6 * (source + 1) + 2e5 * target, 0.01 * source});
      }
    }
    const std::vector<double> expected = network::times(made, sent), found = network::times(read, sent);
    // A link with two rates is two in a file, with other names and so other jitter.
    const double tolerance = by.model == NetworkModel::packets ? 0.02 : 1e-12;
    for (std::size_t i = 0; i < sent.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(tolerance));
    const std::vector<double> apart =
        network::times(of_lines("a,a,400,1,1\nb-1,b-1,300,2,1\na,b-1,800,40,1\n", by), {{0, 1, 4e6, 0}});
    CHECK(apart[0] != doctest::Approx(network::times(read, {{0, 1, 4e6, 0}})[0]).epsilon(1e-3));
  }
}

// Erben et al. (VLDB 2024) have 0.13 Gbit/s and 157.09 ms, one stream, from the US to Asia.
TEST_CASE("a message over an intercontinental route takes the closed form of its measured rate") {
  for (const Model& by : models) {
    const Scenario scenario = of_lines("us,us,6900,0.66,1\nasia,asia,6790,0.72,1\nus,asia,130,157.09,1\n", by);
    const double taken_s = network::times(scenario, {{0, 1, 200e6, 0}})[0];
    MESSAGE(name_of(by.model) << ": " << taken_s << " s");
    CHECK(taken_s ==
          doctest::Approx(200e6 / (130 * Mbps) + 0.15709 / 2).epsilon(by.model == NetworkModel::CM02 ? 1e-9 : 0.1));
  }
}

}  // namespace ddl::measured_test
