#include <doctest/doctest.h>

#include "tests/support/forked.hpp"

using namespace ddl;
using namespace ddl::platform;

using nlohmann::json;

namespace {

// Bits per second of each host's link, both ways, and the latency between all pairs, which must be one.
void check_platform(const std::string& name, const std::vector<double>& megabits, double latency_s) {
  const json result = ddl::forked([&] {
    ddl::scenario::Scenario scenario = ddl::on_file("../../../platforms/" + name + ".xml", {.servers = {"ps0"}});
    const Fabric fabric(scenario);
    json ways = json::array();
    for (int source = 0; source < fabric.node_count(); ++source) {
      for (int target = 0; target < fabric.node_count(); ++target) {
        if (source != target) ways.push_back({source, target, ddl::way(fabric, source, target)});
      }
    }
    return json{{"nodes", ddl::nodes(fabric)}, {"links", fabric.links().size()}, {"ways", ways}};
  });
  REQUIRE(result["nodes"] == json{"w0", "w1", "w2", "w3", "ps0"});
  CHECK(result["links"] == 10);
  CHECK(result["ways"].size() == 20);
  for (const json& entry : result["ways"]) {
    const int source = entry[0], target = entry[1];
    const auto name_of = [&](int node) { return result["nodes"][node].get<std::string>(); };
    CHECK(entry[2]["links"] == json{name_of(source) + " up", name_of(target) + " down"});
    CHECK(entry[2]["bandwidths"] == json{megabits[source] * 1e6 / 8, megabits[target] * 1e6 / 8});
    CHECK(entry[2]["latency_s"].get<double>() == doctest::Approx(latency_s));
  }
}

}  // namespace

TEST_CASE("the uniform local network has 800 Mbit/s everywhere and 0.1 ms") {
  check_platform("uniform_lan", {800, 800, 800, 800, 800}, 1e-4);
}
TEST_CASE("the heterogeneous local network has 800, 400, 200, 800 Mbit/s and a server of 800") {
  check_platform("het_lan", {800, 400, 200, 800, 800}, 1e-4);
}
TEST_CASE("the uniform wide-area network has 40 Mbit/s everywhere and 20 ms") {
  check_platform("uniform_wan", {40, 40, 40, 40, 40}, 0.02);
}
TEST_CASE("the heterogeneous wide-area network has 40, 20, 10, 40 Mbit/s and a server of 40") {
  check_platform("het_wan", {40, 20, 10, 40, 40}, 0.02);
}
