// Times of messages between hosts of three sites in a row, with links that have other rates there and back.
#include <doctest/doctest.h>

#include "sim/scenario/reading/read.hpp"
#include "tests/support/carried.hpp"
#include "tests/support/forked.hpp"

namespace ddl::sites_test {
namespace {

using nlohmann::json;

// w0 and w1 are in s0, w2 is in s1, w3 in s2.
const char* const three_sites = R"({
  "platform": { "sites": [ { "name": "s0", "workers": 2, "bandwidth": "4MBps", "latency": "2ms" },
                           { "name": "s1", "workers": 1, "bandwidth": "4MBps", "latency": "4ms" },
                           { "name": "s2", "workers": 1, "bandwidth": "0.25MBps", "latency": "4ms" } ],
                "links": [ { "from": "s0", "to": "s1", "up": "0.5MBps", "down": "0.125MBps", "latency": "10ms" },
                           { "from": "s2", "to": "s1", "up": "0.2MBps", "down": "0.5MBps", "latency": "43ms" } ],
                "network": { "model": "CM02" } },
  "model": "none", "wire": { "model_bytes": "1MB" }, "compute": { "seconds_per_batch": "1s" },
  "algorithm": "alone", "stop": { "iterations": 1 } })";

struct Expected {
  int source, target;
  double latency_ms, MB_per_s;
};

}  // namespace

TEST_CASE("between sites a message takes the latencies of its way, and the least rate of its direction there") {
  const std::vector<Expected> expected = {{0, 1, 2, 4},
                                          {1, 0, 2, 4},
                                          {0, 2, 1 + 10 + 2, 0.5},
                                          {2, 1, 2 + 10 + 1, 0.125},
                                          {2, 3, 2 + 43 + 2, 0.25},  // the host's: the link has 0.5 there
                                          {3, 2, 2 + 43 + 2, 0.2},
                                          {0, 3, 1 + 10 + 43 + 2, 0.25},
                                          {3, 1, 2 + 43 + 10 + 1, 0.125}};
  constexpr double apart_s = 100;
  const json times = forked([&] {
    std::vector<Sent> messages;
    for (const Expected& one : expected) {
      messages.push_back({one.source, one.target, 1e6, apart_s * static_cast<double>(messages.size())});
    }
    return json(carried(scenario::parse_scenario(systems::built_in(), three_sites, "sites.json"), messages));
  });
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    const double taken_s = times[i].get<double>() - apart_s * static_cast<double>(i);
    CHECK(taken_s == doctest::Approx(expected[i].latency_ms / 1e3 + 1 / expected[i].MB_per_s).epsilon(1e-9));
  }
}

// Two messages at once from one site to another have half of the link each, but one back has all of its direction.
TEST_CASE("messages between two sites share the link between them, each direction for itself") {
  const json times = forked([] {
    return json(carried(scenario::parse_scenario(systems::built_in(), three_sites, "sites.json"),
                        {{0, 2, 1e6, 0}, {1, 2, 1e6, 0}, {2, 0, 1e6, 0}}));
  });
  CHECK(times[0].get<double>() == doctest::Approx(0.013 + 2 / 0.5).epsilon(1e-9));
  CHECK(times[1].get<double>() == doctest::Approx(0.013 + 2 / 0.5).epsilon(1e-9));
  CHECK(times[2].get<double>() == doctest::Approx(0.013 + 1 / 0.125).epsilon(1e-9));
}

}  // namespace ddl::sites_test
