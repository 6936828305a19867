// Messages one behind the other on a connection: bytes that are not acknowledged occupy its window, whichever message
// they belong to.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/network/arrivals.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::network::back_to_back_test {
namespace {

constexpr double segment = 1448, round_trip_s = 0.1, window = 1e6;

scenario::Scenario two_hosts(double bytes_per_s, const char* model) {
  return scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{"topology": "star", "workers": 2, "bandwidth": "{}MBps", "latency": "{}s",
           "network": {{"model": "{}", "tcp_window": "{}B", "slow_start_after_idle": false}}}},
           "model": "none", "wire": {{"model_bytes": "1MB"}},
           "compute": {{"seconds_per_batch": "1s"}}, "algorithm": "alone", "stop": {{"iterations": 1}}}})",
      bytes_per_s / 1e6, round_trip_s / 2, model, window));
}

// Bytes per second of the second half of so many messages, sent at once.
double rate(const scenario::Scenario& scenario, double bytes, int count) {
  const std::vector<double> at_s =
      times(scenario, std::vector<Sent>(static_cast<std::size_t>(count), {0, 1, bytes, 0}));
  return bytes * (count / 2) / (at_s.back() - at_s[static_cast<std::size_t>(count - count / 2 - 1)]);
}

// The same segment by segment, on a connection whose window is full-grown: a segment leaves after the one before it,
// when the acknowledgement of the one a window before it is back, and when its message has begun: when the last one has
// arrived. `bytes_per_s`: of data on the link.
double rate_by_hand(double bytes, double bytes_per_s, int count) {
  const auto limit = static_cast<std::size_t>(window / segment);
  std::vector<double> left_s, arrived_s;
  double begun_s = 0;
  for (int message = 0; message < count; ++message) {
    for (double left = bytes; left > 0; left -= segment) {
      double from_s = left_s.empty() ? begun_s : std::max(begun_s, left_s.back());
      if (left_s.size() >= limit) from_s = std::max(from_s, left_s[left_s.size() - limit] + round_trip_s);
      left_s.push_back(from_s + std::min(left, segment) / bytes_per_s);
    }
    begun_s = left_s.back() + round_trip_s / 2;
    arrived_s.push_back(begun_s);
  }
  return bytes * (count / 2) / (arrived_s.back() - arrived_s[static_cast<std::size_t>(count - count / 2 - 1)]);
}

}  // namespace

// min(B, W/r) bounds what many messages get together. A message begins when the last has arrived, so that the rate is
// also at most M / (r/2 + M/B) for messages of M bytes, and less where a message ends in the middle of a window.
TEST_CASE("messages back to back share one window: at most a window per round trip, whatever their size") {
  for (const double fill : {2.5, 20.0}) {  // B over W/r
    for (const double windows : {0.1, 0.4, 0.6, 0.75, 0.9, 1.0, 1.25, 1.5, 2.5, 5.0, 10.0}) {
      CAPTURE(fill);
      CAPTURE(windows);
      const double bytes = windows * window, link = fill * window / round_trip_s;
      const int count = 2 * static_cast<int>(std::ceil(30 / std::min(windows, 2.0)));
      const auto by = [&](const char* model, double share, const Solvers& solvers, double beyond) {
        CAPTURE(model);
        for (const auto solver : solvers) {
          scenario::Scenario over = two_hosts(link, model);
          if (over.platform.network.model != scenario::NetworkModel::packets) over = solved_by(over, solver);
          const double got = rate(over, bytes, count), expected = rate_by_hand(bytes, link * share, count);
          CHECK(got == doctest::Approx(expected).epsilon(beyond));
          CHECK(got <= std::min({window / round_trip_s, link, bytes / (round_trip_s / 2 + bytes / link)}) * (1 + 1e-6));
        }
      };
      by("TCP", segment / (1514 + 33), both_solvers, 0.012);
      by("packets", segment / 1514, {scenario::LinkSolver::accelerator}, 0.025);
    }
  }
}

TEST_CASE("a window is free again a round trip after its bytes were sent") {
  for (const auto solver : both_solvers) {
    const scenario::Scenario over = solved_by(two_hosts(20 * window / round_trip_s, "TCP"), solver);
    // The first ones let the window grow.
    std::vector<Sent> sent(8, {0, 1, 10 * window, 0});
    const double grown_s = times(over, sent).back();
    const auto taken_s = [&](double pause_s) {
      std::vector<Sent> all = sent;
      all.push_back({0, 1, 0.9 * window, 10 * grown_s});
      all.push_back({0, 1, 0.9 * window, 10 * grown_s + pause_s});
      const std::vector<double> at_s = times(over, all);
      return at_s.back() - all.back().start_s;
    };
    const double alone_s = round_trip_s / 2 + 0.9 * window / (20 * window / round_trip_s * segment / 1547);
    CHECK(taken_s(1.01 * round_trip_s) == doctest::Approx(alone_s).epsilon(1e-3));
    CHECK(taken_s(0.19) == doctest::Approx(alone_s).epsilon(1e-3));
    // 0.1 windows leave at once, the others when the first are acknowledged.
    CHECK(taken_s(0.6 * round_trip_s) ==
          doctest::Approx(0.4 * round_trip_s + round_trip_s / 2 + 0.8 * (alone_s - round_trip_s / 2) / 0.9)
              .epsilon(2e-2));
  }
}

}  // namespace ddl::network::back_to_back_test
