#include <doctest/doctest.h>

#include "tests/support/forked.hpp"

using namespace ddl;
using namespace ddl::platform;

using nlohmann::json;

namespace {

// Bits per second of each worker's link in turn, both ways, and the latency between all pairs, which must be one.
void check_platform(const std::string& name, const std::vector<double>& pattern, double latency_s) {
  constexpr int workers = 32, nodes = workers + 1;
  std::vector<double> megabits;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < workers; ++i) {
    megabits.push_back(pattern[i % pattern.size()]);
    names.push_back("w" + std::to_string(i));
  }
  megabits.push_back(pattern.front());  // the server has the fastest
  names.emplace_back("ps0");
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
  REQUIRE(result["nodes"] == json(names));
  CHECK(result["links"] == 2 * nodes);
  CHECK(result["ways"].size() == nodes * (nodes - 1));
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
  check_platform("uniform_lan", {800}, 1e-4);
}
TEST_CASE("the heterogeneous local network has 800, 400, 200, 800, ... Mbit/s and a server of 800") {
  check_platform("het_lan", {800, 400, 200}, 1e-4);
}
TEST_CASE("the uniform wide-area network has 40 Mbit/s everywhere and 20 ms") {
  check_platform("uniform_wan", {40}, 0.02);
}
TEST_CASE("the heterogeneous wide-area network has 40, 20, 10, 40, ... Mbit/s and a server of 40") {
  check_platform("het_wan", {40, 20, 10}, 0.02);
}
