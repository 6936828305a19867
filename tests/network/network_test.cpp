// One message, and messages that share links, on plain SimGrid against hand calculations.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/forked.hpp"
#include "tests/support/transfer.hpp"

using namespace ddl;
using namespace ddl::network;

using nlohmann::json;

namespace {

// By SimGrid; our own sharing must agree, whatever is asked.
json times(const scenario::Scenario& scenario, const std::vector<Sent>& messages) {
  const json both = ddl::forked([&] {
    platform::Fabric fabric(scenario);
    const auto own = ddl::own_arrivals(fabric, messages);
    return json{{"own", own}, {"simgrid", ddl::arrivals(fabric, messages)}};
  });
  REQUIRE(both.contains("own"));
  for (std::size_t i = 0; i < messages.size(); ++i) {
    CHECK(both["own"][i].get<double>() == doctest::Approx(both["simgrid"][i].get<double>()).epsilon(1e-5));
  }
  return both["simgrid"];
}

scenario::Scenario duplex_pair() {
  // 1 MB/s and 1 ms from host to host.
  return ddl::on_platform({.workers = 2, .bandwidth = {{1e6}}, .latency = {0.001}});
}

}  // namespace

TEST_CASE("in the textbook model a message takes latency + bytes / bandwidth") {
  CHECK(times(duplex_pair(), {{0, 1, 1e6}})[0].get<double>() == doctest::Approx(1.001).epsilon(1e-6));
  const scenario::Scenario ring = ddl::on_platform(
      {.topology = ddl::scenario::Topology::ring, .workers = 5, .bandwidth = {{1e6}, {2e6}}, .latency = {0.25}});
  // Two links of 1 and 2 MB/s, the slower one counts; two latencies.
  CHECK(times(ring, {{0, 2, 3e6}})[0].get<double>() == doctest::Approx(3.5).epsilon(1e-6));
}

TEST_CASE("messages in the two directions of a full-duplex link do not meet") {
  const json both = times(duplex_pair(), {{0, 1, 1e6}, {1, 0, 1e6}});
  CHECK(both[0].get<double>() == doctest::Approx(1.001).epsilon(1e-6));
  CHECK(both[1].get<double>() == doctest::Approx(1.001).epsilon(1e-6));
}

TEST_CASE("messages in the two directions of a plain link share it") {
  const json both = times(ddl::on_file("pair.xml"), {{0, 1, 1e6}, {1, 0, 1e6}});
  CHECK(both[0].get<double>() == doctest::Approx(2.001).epsilon(1e-6));
}

TEST_CASE("over fat pipes each message has all of the narrowest") {
  const json three = times(ddl::on_file("fat_pipes.xml"), {{0, 1, 1e6}, {0, 1, 1e6}, {0, 2, 1e6}});
  CHECK(three[0].get<double>() == doctest::Approx(1.02).epsilon(1e-6));
  CHECK(three[1].get<double>() == doctest::Approx(1.02).epsilon(1e-6));
  CHECK(three[2].get<double>() == doctest::Approx(2.011).epsilon(1e-6));
}

TEST_CASE("four messages into one host take four times as long") {
  const json all = times(ddl::on_platform({.workers = 5, .bandwidth = {{1e6}}, .latency = {0.01}}),
                         {{1, 0, 1e6}, {2, 0, 1e6}, {3, 0, 1e6}, {4, 0, 1e6}});
  for (const json& time : all) CHECK(time.get<double>() == doctest::Approx(4.01).epsilon(1e-6));
}

TEST_CASE("messages that start together never get more than their links have") {
  // All send to all at once. Into w2 at 0.25 MB/s: three models, 12 s. Into w1 at 0.5 MB/s: 6 s.
  const std::vector<ddl::BytesPerSecond> unequal = {{1e6}, {0.5e6}, {0.25e6}};
  std::vector<Sent> messages;
  for (int source = 0; source < 4; ++source) {
    for (int target = 0; target < 4; ++target) {
      if (source != target) messages.push_back({source, target, 1e6});
    }
  }
  const json all = times(ddl::on_platform({.workers = 4, .bandwidth = unequal, .latency = {0.02}}), messages);
  double into_w1 = 0, into_w2 = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].target == 1) into_w1 = std::max(into_w1, all[i].get<double>());
    if (messages[i].target == 2) into_w2 = std::max(into_w2, all[i].get<double>());
  }
  CHECK(into_w1 >= 6.02 * (1 - 1e-6));
  CHECK(into_w2 == doctest::Approx(12.02).epsilon(1e-6));
}

TEST_CASE("without a TCP window unequal links still hold back their own messages") {
  const json all = times(ddl::on_platform({.workers = 4,
                                           .servers = 1,
                                           .bandwidth = {{1e6}, {0.5e6}, {0.125e6}},
                                           .server_bandwidth = {{4e6}},
                                           .latency = {0.02}}),
                         {{4, 0, 1e6}, {4, 1, 1e6}, {4, 2, 1e6}, {4, 3, 1e6}});
  CHECK(all[0].get<double>() == doctest::Approx(1.02).epsilon(1e-6));
  CHECK(all[1].get<double>() == doctest::Approx(2.02).epsilon(1e-6));
  CHECK(all[2].get<double>() == doctest::Approx(8.02).epsilon(1e-6));
}

TEST_CASE("the textbook's messages have no window, headers or acknowledgements") {
  // 1 Gbit/s, 100 ms: a window of 4 MiB would take 5 s.
  const scenario::Scenario far = ddl::on_platform({.workers = 2, .bandwidth = {{125e6}}, .latency = {0.1}});
  CHECK(times(far, {{0, 1, 125e6}})[0].get<double>() == doctest::Approx(1.1).epsilon(1e-6));
  CHECK(times(ddl::on_file("pair.xml"), {{0, 1, 1e6}})[0].get<double>() == doctest::Approx(1.001).epsilon(1e-6));
}

TEST_CASE("a platform file's factors make the textbook's model SimGrid's LV08") {
  // 13.01 latencies + bytes / (0.97 bandwidth).
  const scenario::Scenario corrected = ddl::on_file("lv08.xml");
  CHECK(times(corrected, {{0, 1, 1e6}})[0].get<double>() == doctest::Approx(13.01 * 0.001 + 1 / 0.97).epsilon(1e-6));
}

TEST_CASE("the TCP window holds a long fast link to half of the window per latency, if one is set") {
  // 100 MB/s, 0.1 s: a window of 1 MB lets 1 MB / 0.2 s = 5 MB/s through.
  scenario::Scenario scenario = ddl::on_platform({.workers = 2, .bandwidth = {{100e6}}, .latency = {0.1}});
  scenario.platform.network.tcp_window = {1e6};
  CHECK(times(scenario, {{0, 1, 10e6}})[0].get<double>() == doctest::Approx(2.1).epsilon(1e-6));
  scenario.platform.network.tcp_window = {0};
  CHECK(times(scenario, {{0, 1, 10e6}})[0].get<double>() == doctest::Approx(0.2).epsilon(1e-6));
}

TEST_CASE("the scenario's network model wins over the platform file's") {
  CHECK(times(ddl::on_file("config.xml"), {{0, 1, 1e6}}) == times(ddl::on_file("pair.xml"), {{0, 1, 1e6}}));
}

TEST_CASE("SimGrid says nothing, not even of a deadlock") {
  std::string said;
  const json result = ddl::forked(
      [] {
        platform::Fabric fabric(duplex_pair());
        bool unwound = false;
        ddl::simgrid_api::add_actor("waits for ever", fabric.host(0), [&unwound] {
          simgrid::s4u::this_actor::on_exit([&unwound](bool failed) { unwound = failed; });
          simgrid::s4u::Mailbox::by_name("nobody writes here")->get<void>();
        });
        fabric.engine().run();
        return json{{"unwound", unwound}};
      },
      &said);
  CHECK(result == json{{"unwound", true}});
  CHECK(said == "");
}
