// Routes with a latency and no link: hosts with coordinates alone. A window per round trip bounds what they carry, in
// every model and whatever carries it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/support/carried.hpp"
#include "tests/support/forked.hpp"

using namespace ddl;

using nlohmann::json;

namespace ddl::network::routes_without_links_test {
namespace {

constexpr double latency_s = 0.05;                        // 30 and 40 ms apart on two axes
constexpr double segment = 1448, window = 100 * segment;  // bytes
constexpr int small = 4, large = 40;                      // hosts: below and above what SimGrid carries

// `hosts` hosts, the second of which is latency_s from the first.
scenario::Scenario vivaldi(int hosts, scenario::NetworkModel model, const std::string& config = "") {
  std::string text =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">" +
      config + "<zone id=\"z\" routing=\"Vivaldi\">";
  for (int host = 0; host < hosts; ++host) {
    text += fmt::format("<host id=\"h{}\" speed=\"1Gf\" coordinates=\"{} {} 0\"/>", host, 30 * host, 40 * host);
  }
  text += "</zone></platform>";
  scenario::Scenario scenario = on_file("vivaldi.xml", {.text = std::make_shared<const std::string>(text)}, model);
  scenario.platform.network.tcp_window = {window};
  return scenario;
}

double seconds_of(const scenario::Scenario& scenario, double bytes) {
  const json times = forked([&] { return json(carried(scenario, {{0, 1, bytes}})); });
  REQUIRE_MESSAGE(times.is_array(), times.dump());
  return times[0].get<double>();
}

std::string carried_by(const scenario::Scenario& scenario) {
  const json plan = forked([&] {
    const platform::Fabric fabric(scenario);
    return json(std::string(name_of(fabric.network_plan().carried_by)) + ": " + fabric.network_plan().why);
  });
  REQUIRE_MESSAGE(plan.is_string(), plan.dump());
  return plan.get<std::string>();
}

}  // namespace

TEST_CASE("in CM02 a flow without links has its window over a round trip, times the platform file's factors") {
  const double bytes = 10 * window;
  for (const int hosts : {2, small, 32, 33, large}) {
    CAPTURE(hosts);
    // The latency, and ten windows of a round trip each.
    CHECK(seconds_of(vivaldi(hosts, scenario::NetworkModel::CM02), bytes) ==
          doctest::Approx(latency_s + 10 * 2 * latency_s).epsilon(1e-9));
    const std::string factors =
        "<config><prop id=\"network/latency-factor\" value=\"13.01\"/><prop id=\"network/bandwidth-factor\" "
        "value=\"0.97\"/></config>";
    CHECK(seconds_of(vivaldi(hosts, scenario::NetworkModel::CM02, factors), bytes) ==
          doctest::Approx(13.01 * latency_s + 10 * 2 * latency_s / 0.97).epsilon(1e-9));
  }
}

TEST_CASE("in TCP a connection without links sends 10, 20, 40 and 80 segments, then its window each round trip") {
  // Four rounds of slow start and five of 100 segments, after which the last 50 leave.
  const double bytes = (10 + 20 + 40 + 80 + 5 * 100 + 50) * segment;
  for (const int hosts : {2, small, 32, 33, large}) {
    CAPTURE(hosts);
    CHECK(seconds_of(vivaldi(hosts, scenario::NetworkModel::TCP), bytes) ==
          doctest::Approx(latency_s + 9 * 2 * latency_s).epsilon(1e-6));
  }
}

TEST_CASE("packets without links take a round trip for each window, too") {
  for (const int hosts : {2, small, 32, 33, large}) {
    CAPTURE(hosts);
    const scenario::Scenario scenario = vivaldi(hosts, scenario::NetworkModel::packets);
    // 30 windows more take as many round trips more, but for the rounding to whole rounds.
    const double few_s = seconds_of(scenario, 30 * window), many_s = seconds_of(scenario, 60 * window);
    CHECK(many_s - few_s == doctest::Approx(30 * 2 * latency_s).epsilon(1.0 / 30));
    CHECK(few_s > 30 * 2 * latency_s);
  }
}

TEST_CASE("without a window a route without links costs its latency alone, in CM02") {
  for (const int hosts : {small, large}) {
    scenario::Scenario scenario = vivaldi(hosts, scenario::NetworkModel::CM02);
    scenario.platform.network.tcp_window = {0};
    CHECK(seconds_of(scenario, 1e9) == doctest::Approx(latency_s).epsilon(1e-9));
  }
}

TEST_CASE("what carries messages over routes without links says why") {
  CHECK(carried_by(vivaldi(2, scenario::NetworkModel::CM02)) ==
        "accelerator: the route from h0 to h1 has no link, and SimGrid counts no bytes over it");
  scenario::Scenario asked = vivaldi(2, scenario::NetworkModel::CM02);
  asked.platform.network.solver = scenario::LinkSolver::simgrid;
  const json refused = forked([&] { return json(platform::Fabric(asked).node_count()); });
  CHECK_MESSAGE(refused.value("input_error", "") ==
                    "SimGrid was asked for: the route from h0 to h1 has no link, and SimGrid counts no bytes over it",
                refused.dump());
}

TEST_CASE("where SimGrid alone could carry messages, routes without links are refused") {
  if (!simgrid_api::factors_by_size) {
    MESSAGE("[skipped] this version of SimGrid has no factors by the size of a message");
    return;
  }
  const scenario::Scenario scenario =
      vivaldi(2, scenario::NetworkModel::CM02,
              "<config><prop id=\"network/bandwidth-factor\" value=\"0:0.9;1000:0.5\"/></config>");
  const json refused = forked([&] { return json(platform::Fabric(scenario).node_count()); });
  CHECK_MESSAGE(refused.value("input_error", "").starts_with("$.platform.file: the route from h0 to h1 has no link"),
                refused.dump());
}

// Nothing says how long a byte takes: two hosts at one place, and no link between them.
TEST_CASE("a route with neither link nor latency is none") {
  for (const auto model :
       {scenario::NetworkModel::CM02, scenario::NetworkModel::TCP, scenario::NetworkModel::packets}) {
    const std::string text =
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Vivaldi\"><host id=\"a\" speed=\"1Gf\" coordinates=\"1 2 "
        "0\"/>"
        "<host id=\"b\" speed=\"1Gf\" coordinates=\"1 2 0\"/></zone></platform>";
    const scenario::Scenario scenario =
        on_file("one_place.xml", {.text = std::make_shared<const std::string>(text)}, model);
    const json refused = forked([&] { return json(platform::Fabric(scenario).find_route(0, 1).latency_s); });
    CHECK_MESSAGE(
        refused.value("input_error", "")
            .ends_with("has no route from \"a\" to \"b\" with a link or a latency, between which this system sends "
                       "messages"),
        refused.dump());
  }
}

}  // namespace ddl::network::routes_without_links_test
