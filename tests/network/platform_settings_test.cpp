// What of a platform file decides how its links carry messages.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "tests/support/carried.hpp"
#include "tests/support/forked.hpp"

using namespace ddl;

using nlohmann::json;

TEST_CASE("factors that a platform file sets hold with both solvers") {
  for (const auto solver : {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator}) {
    const auto seconds = [&](scenario::Scenario scenario) {
      scenario.platform.network.solver = solver;
      const json times = forked([&] { return json(carried(scenario, {{0, 1, 12e5}})); });
      REQUIRE_MESSAGE(times.is_array(), times.dump());
      return times[0].get<double>();
    };
    // 1.2 MB at half of 1 MB/s, after three times 100 ms.
    CHECK(seconds(on_file("factors.xml")) == doctest::Approx(0.3 + 2.4).epsilon(1e-9));
    // TCP has the file's bandwidth factor instead of its own; without latency nothing waits for windows.
    const std::string text =
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
        "version=\"4.1\"><config><prop id=\"network/bandwidth-factor\" value=\"0.5\"/></config>"
        "<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>"
        "<link id=\"l\" bandwidth=\"1MBps\" latency=\"0s\"/>"
        "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone></platform>";
    CHECK(seconds(on_file("half.xml", {.text = std::make_shared<const std::string>(text)},
                          scenario::NetworkModel::TCP)) == doctest::Approx(2.4).epsilon(1e-9));
  }
}

TEST_CASE("a platform file that sets SimGrid's latency factor has the textbook's model by default") {
  const scenario::Scenario scenario = on_file("factors.xml", {}, scenario::NetworkModel::automatic);
  const json model =
      forked([&] { return json(std::string(name_of(platform::Fabric(scenario).network_plan().model))); });
  CHECK(model == json("CM02"));
}

TEST_CASE("latencies change where the file sets their factor, by the accelerator") {
  scenario::Scenario scenario = on_file("factors.xml");
  scenario::LatencyProfile profile;
  profile.link = "wire";
  profile.points = {{{1}, {0.2}}};
  scenario.platform.profiles.emplace_back(profile);
  const json answer = forked([&] {
    const std::vector<double> times = carried(scenario, {{0, 1, 0, 0.5}, {0, 1, 0, 2}});
    return json(times);
  });
  REQUIRE_MESSAGE(answer.is_array(), answer.dump());
  CHECK(answer[0].get<double>() == doctest::Approx(0.8).epsilon(1e-9));
  CHECK(answer[1].get<double>() == doctest::Approx(2.6).epsilon(1e-9));
  scenario.platform.network.solver = scenario::LinkSolver::simgrid;
  const json refused = forked([&] { return json(platform::Fabric(scenario).node_count()); });
  CHECK(refused["input_error"].get<std::string>().find("network/latency-factor") != std::string::npos);
}

TEST_CASE("Wi-Fi links are refused where a message would take one, and others do no harm") {
  const auto answer = [](std::vector<std::string> workers) {
    const scenario::Scenario scenario = on_file("wifi_zone.xml", {.workers = std::move(workers)});
    return forked([&] { return json(platform::Fabric(scenario).find_route(0, 1).links.size()); });
  };
  for (const auto& workers : {std::vector<std::string>{"station1", "station2"}, {"node2", "station1"}}) {
    const json refused = answer(workers);
    REQUIRE_MESSAGE(refused.contains("input_error"), refused.dump());
    const auto text = refused["input_error"].get<std::string>();
    CHECK(text.find("Wi-Fi link AP") != std::string::npos);
    CHECK(text.find("\n") == std::string::npos);
  }
  CHECK(answer({"node1", "node2"}) == 1);
}

TEST_CASE("a Wi-Fi link on the way back is refused where acknowledgements would take it") {
  const auto answer = [](scenario::NetworkModel model) {
    const scenario::Scenario scenario = on_file("wifi_back.xml", {.workers = {"a", "b"}}, model);
    return forked([&] { return json(platform::Fabric(scenario).find_route(0, 1).links.size()); });
  };
  const json refused = answer(scenario::NetworkModel::TCP), links = answer(scenario::NetworkModel::CM02);
  CHECK_MESSAGE(refused.value("input_error", "").find("from b to a takes the Wi-Fi link AP") != std::string::npos,
                refused.dump());
  CHECK_MESSAGE(links.is_number(), links.dump());
}

// Where there is no route between zones, SimGrid throws.
TEST_CASE("a Wi-Fi zone without nodes does no harm where some nodes have no route between them") {
  const json answer = forked([] {
    const platform::Fabric fabric(on_file("wifi_apart.xml", {.workers = {"w0", "w1"}, .servers = {"ps0"}}));
    return json{fabric.find_route(0, 2).links.size(), fabric.find_route(2, 1).links.size()};
  });
  CHECK(answer.dump() == "[1,1]");
}

TEST_CASE("a bandwidth_factor scales the links of nodes beside a Wi-Fi zone") {
  scenario::Scenario scenario = on_file("wifi_zone.xml", {.workers = {"node1", "node2"}});
  scenario.platform.bandwidth_factor = 0.5;
  const json answer = forked([&] { return way(platform::Fabric(scenario), 0, 1); });
  CHECK_MESSAGE(answer.value("bandwidths", json()).dump() == "[500000.0]", answer.dump());
}
