// Routes with a latency and no link: hosts with only coordinates. A window per round trip bounds their rate, in every
// model.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/network/arrivals.hpp"

namespace ddl::network::routes_without_links_test {
namespace {

using scenario::NetworkModel;
using scenario::Scenario;

constexpr double latency_s = 0.05, round_trip_s = 2 * latency_s;  // 30 and 40 ms apart on two axes
constexpr double segment = 1448, window = 100 * segment;          // bytes
constexpr int numbers_of_hosts[] = {2, 4, 32, 33, 40};            // below and above SimGrid's limit

// `hosts` hosts; the second is latency_s from the first.
Scenario vivaldi(int hosts, NetworkModel model, const std::string& config = "", double window_bytes = window) {
  std::string zone = R"(<zone id="z" routing="Vivaldi">)";
  for (int host = 0; host < hosts; ++host) {
    zone += fmt::format(R"(<host id="h{}" speed="1Gf" coordinates="{} {} 0"/>)", host, 30 * host, 40 * host);
  }
  Scenario scenario = on_elements(config + zone + "</zone>", model);
  scenario.platform.network.tcp_window = {window_bytes};
  return scenario;
}

std::string with(const std::string& factor, const std::string& value) {
  return "<config>" + property(factor, value) + "</config>";
}

double seconds_of(const Scenario& scenario, double bytes) { return times(scenario, {{0, 1, bytes}})[0]; }

}  // namespace

TEST_CASE("a flow without links sends its window in each round trip, however many hosts there are") {
  const auto about = [](double seconds) { return doctest::Approx(seconds).epsilon(1e-6); };
  for (const int hosts : numbers_of_hosts) {
    CAPTURE(hosts);
    // In the textbook's model the latency, and ten windows of a round trip each, times the platform file's factors;
    // without a window, only the latency.
    const auto textbook = [&](const std::string& config) {
      return seconds_of(vivaldi(hosts, NetworkModel::CM02, config), 10 * window);
    };
    CHECK(textbook("") == about(latency_s + 10 * round_trip_s));
    CHECK(textbook(with("latency-factor", "13.01")) == about(13.01 * latency_s + 10 * round_trip_s));
    CHECK(textbook(with("bandwidth-factor", "0.97")) == about(latency_s + 10 * round_trip_s / 0.97));
    CHECK(seconds_of(vivaldi(hosts, NetworkModel::CM02, "", 0), 1e9) == about(latency_s));
    // In TCP 10, 20, 40, 80 segments in as many rounds of slow start, five rounds of 100, and then the last 50.
    CHECK(seconds_of(vivaldi(hosts, NetworkModel::TCP), (10 + 20 + 40 + 80 + 5 * 100 + 50) * segment) ==
          about(latency_s + 9 * round_trip_s));
    // In packets 30 windows more take as many round trips more, up to the rounding to whole rounds.
    const Scenario packets = vivaldi(hosts, NetworkModel::packets);
    const double few_s = seconds_of(packets, 30 * window), many_s = seconds_of(packets, 60 * window);
    CHECK(many_s - few_s == doctest::Approx(30 * round_trip_s).epsilon(1.0 / 30));
    CHECK(few_s > 30 * round_trip_s);
  }
}

TEST_CASE("the model that carries messages over routes without links says why") {
  const std::string no_link = "the route from h0 to h1 has no link, and SimGrid counts no bytes over it";
  const Scenario scenario = vivaldi(2, NetworkModel::CM02);
  const auto plan = forked([&] {
    const platform::Fabric fabric(scenario);
    return nlohmann::json(std::string(name_of(fabric.network_plan().carried_by)) + ": " + fabric.network_plan().why);
  });
  CHECK(plan.get<std::string>() == "accelerator: " + no_link);
  CHECK(refusal(solved_by(scenario, scenario::LinkSolver::simgrid)) == "SimGrid was asked for: " + no_link);
}

TEST_CASE("where SimGrid alone could carry messages, routes without links are refused") {
  if (!simgrid_api::factors_by_size) {
    MESSAGE("[skipped] this version of SimGrid has no factors by the size of a message");
    return;
  }
  const std::string by_size = with("bandwidth-factor", "0:0.9;1000:0.5");
  CHECK(refusal(vivaldi(2, NetworkModel::CM02, by_size))
            .starts_with("$.platform.file: the route from h0 to h1 has no link"));
}

// A byte has no duration: two hosts at one place, and no link between them.
TEST_CASE("a route with neither link nor latency is none") {
  const std::string one_place = R"(<zone id="z" routing="Vivaldi"><host id="a" speed="1Gf" coordinates="1 2 0"/>)"
                                R"(<host id="b" speed="1Gf" coordinates="1 2 0"/></zone>)";
  for (const auto model : {NetworkModel::CM02, NetworkModel::TCP, NetworkModel::packets}) {
    CHECK(refusal(on_elements(one_place, model))
              .ends_with("has no route from \"a\" to \"b\" with a link or a latency, between which this system sends "
                         "messages"));
  }
}

}  // namespace ddl::network::routes_without_links_test
