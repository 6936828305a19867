// Our own sharing of links against closed forms at any size, and against SimGrid's full solver on whatever comes.
#include "sim/network/flows/flows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/rng.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/transfer.hpp"

using namespace ddl;
using namespace ddl::network;
using namespace ddl::network::flows;

using nlohmann::json;

namespace {

json own_times(const scenario::Scenario& scenario, const std::vector<Sent>& messages) {
  return ddl::forked([&] {
    const platform::Fabric fabric(scenario);
    return json(ddl::own_arrivals(fabric, messages));
  });
}

// 1 MB/s and 10 ms from host to host.
scenario::Scenario star(int workers) {
  return ddl::on_platform({.workers = workers, .bandwidth = {{1e6}}, .latency = {0.01}});
}

}  // namespace

TEST_CASE("n messages out of one host, or into it, take n times as long, for thousands as for two") {
  for (const int n : {2, 500, 3000}) {
    std::vector<Sent> out, in;
    for (int other = 1; other <= n; ++other) {
      out.push_back({0, other, 1e6});
      in.push_back({other, 0, 1e6});
    }
    for (const auto& messages : {out, in}) {
      const json times = own_times(star(n + 1), messages);
      for (const json& time : times) CHECK(time.get<double>() == doctest::Approx(0.01 + n).epsilon(1e-6));
    }
  }
}

TEST_CASE("messages into a host and out of it do not meet") {
  constexpr int n = 1000;
  std::vector<Sent> messages;
  for (int other = 1; other <= n; ++other) {
    messages.push_back({0, other, 1e6});
    messages.push_back({other, 0, 1e6});
  }
  const json times = own_times(star(n + 1), messages);
  for (const json& time : times) CHECK(time.get<double>() == doctest::Approx(0.01 + n).epsilon(1e-6));
}

TEST_CASE("flows that cross are held back where it is narrow, and take what others leave") {
  // 0 -> 1 and 0 -> 2 share the way out of 0 (1 MB/s); 3 -> 2 has the rest of the way into 2.
  const scenario::Scenario scenario = star(4);
  const json times = own_times(scenario, {{0, 1, 1e6}, {0, 2, 1e6}, {3, 2, 1e6}});
  // All at 1/2 until all are through at once.
  for (const json& time : times) CHECK(time.get<double>() == doctest::Approx(2.01).epsilon(1e-6));
  // A second message out of 3 leaves 3 -> 2 a half as well; with three out of 0 they get a third, and 3 -> 2 the rest.
  const json thirds = own_times(scenario, {{0, 1, 1e6}, {0, 2, 1e6}, {0, 3, 1e6}, {3, 2, 2e6}});
  CHECK(thirds[3].get<double>() == doctest::Approx(3.01).epsilon(1e-6));
  CHECK(thirds[0].get<double>() == doctest::Approx(3.01).epsilon(1e-6));
}

TEST_CASE("a message that comes later takes its share from then on") {
  // Alone for a second, halves for two, alone again for a half.
  const json times = own_times(star(3), {{0, 1, 2.5e6}, {0, 2, 1e6, 1.0}});
  CHECK(times[0].get<double>() == doctest::Approx(3.51).epsilon(1e-6));
  CHECK(times[1].get<double>() == doctest::Approx(3.01).epsilon(1e-6));
}

TEST_CASE("whatever is sent, our sharing and SimGrid's full one agree") {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    ddl::Stream random = ddl::stream(seed, "test", "transfers");
    const scenario::Topology topology = seed % 3 == 0   ? scenario::Topology::two_sites
                                        : seed % 3 == 1 ? scenario::Topology::star
                                                        : scenario::Topology::ring;
    scenario::GeneratedPlatform hosts{
        .topology = topology, .workers = 7, .bandwidth = {{4e6}, {1e6}, {2.5e6}}, .latency = {0.02}};
    scenario::Scenario scenario = ddl::on_platform(hosts);
    if (seed % 5 == 0) scenario.platform.network.tcp_window = {60e3};
    std::vector<Sent> messages;
    for (int message = 0; message < 60; ++message) {
      const auto source = static_cast<int>(random.below(7));
      const int target = (source + 1 + static_cast<int>(random.below(6))) % 7;
      // Many start together, some in between.
      const double start_s = random.below(3) == 0 ? random.uniform() : 0.5 * static_cast<double>(random.below(4));
      messages.push_back({source, target, std::floor(1e5 + 2e6 * random.uniform()), start_s});
    }
    const json both = ddl::forked([&] {
      platform::Fabric fabric(scenario);
      const auto own = ddl::own_arrivals(fabric, messages);
      return json{{"own", own}, {"simgrid", ddl::arrivals(fabric, messages)}};
    });
    REQUIRE(both.contains("own"));
    for (std::size_t i = 0; i < messages.size(); ++i) {
      CHECK(both["own"][i].get<double>() == doctest::Approx(both["simgrid"][i].get<double>()).epsilon(1e-4));
    }
  }
}
