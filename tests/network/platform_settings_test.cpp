// Settings of a platform file that decide how its links carry messages.
#include <doctest/doctest.h>

#include <string>

#include "tests/network/arrivals.hpp"

namespace ddl::network::platform_settings_test {
namespace {

using nlohmann::json;
using scenario::NetworkModel;
using scenario::Scenario;

Scenario between(const char* file, std::vector<std::string> workers, NetworkModel model = NetworkModel::CM02) {
  return on_file(file, {.workers = std::move(workers)}, model);
}

}  // namespace

TEST_CASE("a platform file that sets SimGrid's latency factor has the textbook's model by default") {
  const Scenario scenario = on_file("factors.xml", {}, NetworkModel::automatic);
  const json model =
      forked([&] { return json(std::string(name_of(platform::Fabric(scenario).network_plan().model))); });
  CHECK(model == json("CM02"));
}

TEST_CASE("scenarios that a platform file does not allow are refused in one line, others are not") {
  Scenario latency_changes = on_file("factors.xml");
  scenario::LatencyProfile profile;
  profile.link = "wire";
  profile.points = {{{1}, {0.2}}};
  latency_changes.platform.profiles.emplace_back(profile);
  struct Row {
    std::string what;
    Scenario scenario;
    const char* phrase;  // empty: it is not refused
  };
  const Row rows[] = {
      {"SimGrid cannot change latencies where the file sets their factor",
       solved_by(latency_changes, scenario::LinkSolver::simgrid), "network/latency-factor"},
      {"the accelerator can", latency_changes, ""},
      {"a message between stations of a Wi-Fi zone", between("wifi_zone.xml", {"station1", "station2"}),
       "Wi-Fi link AP"},
      {"and into one", between("wifi_zone.xml", {"node2", "station1"}), "Wi-Fi link AP"},
      {"others do no harm", between("wifi_zone.xml", {"node1", "node2"}), ""},
      {"acknowledgements over a Wi-Fi link", between("wifi_back.xml", {"a", "b"}, NetworkModel::TCP),
       "from b to a takes the Wi-Fi link AP"},
      {"where there are none", between("wifi_back.xml", {"a", "b"}), ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const std::string said = refusal(row.scenario);
    CHECK_MESSAGE(said.find(row.phrase) != std::string::npos, said);
    CHECK(said.empty() == std::string(row.phrase).empty());
    CHECK(said.find('\n') == std::string::npos);
  }
}

// Without a route between zones, SimGrid throws.
TEST_CASE("a Wi-Fi zone without nodes does no harm where some nodes have no route between them") {
  const json answer = forked([] {
    const platform::Fabric fabric(on_file("wifi_apart.xml", {.workers = {"w0", "w1"}, .servers = {"ps0"}}));
    return json{fabric.find_route(0, 2).links.size(), fabric.find_route(2, 1).links.size()};
  });
  CHECK(answer.dump() == "[1,1]");
}

TEST_CASE("a bandwidth_factor scales the links of nodes beside a Wi-Fi zone") {
  Scenario scenario = between("wifi_zone.xml", {"node1", "node2"});
  scenario.platform.bandwidth_factor = 0.5;
  const json answer = forked([&] { return way(platform::Fabric(scenario), 0, 1); });
  CHECK_MESSAGE(answer.value("bandwidths", json()).dump() == "[500000.0]", answer.dump());
}

}  // namespace ddl::network::platform_settings_test
