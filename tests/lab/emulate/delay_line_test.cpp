// Emulated links in time of their own, against closed forms.
#include "sim/network/packets/delay_line.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/emulate/testbed/delayed_star.hpp"
#include "lab/emulate/testbed/packet.hpp"

namespace ddl::emulate {
namespace delay_line_test {
namespace {

// Frames of 1,000 bytes over 1 MB/s: a millisecond each.
constexpr double kRate = 1e6, kFrame_s = 1e-3, kLatency_s = 0.01;

Packet packet(int target = 0) {
  return {std::vector<std::uint8_t>(1000 - static_cast<std::size_t>(ethernet_bytes)), target};
}

DelayLine line_with(DelayLine::Settings settings) { return {settings, stream(1, "w0", "test")}; }

// When frames come out, to the end.
std::vector<double> arrivals(DelayLine& line, double until_s = 1e9) {
  std::vector<double> times;
  while (line.next_s() <= until_s) {
    const double now_s = line.next_s();
    if (line.step()) times.push_back(now_s);
  }
  return times;
}

TEST_CASE("frames leave one after the other and come out a latency later") {
  DelayLine line = line_with({kRate, kLatency_s, 0, 0, 1e6});
  line.offer(0, packet());
  line.offer(0, packet());
  const std::vector<double> times = arrivals(line);
  REQUIRE(times.size() == 2);
  CHECK(times[0] == doctest::Approx(kFrame_s + kLatency_s));
  CHECK(times[1] == doctest::Approx(2 * kFrame_s + kLatency_s));
  line.offer(0.5, packet());
  const std::vector<double> later = arrivals(line);
  REQUIRE(later.size() == 1);
  CHECK(later[0] == doctest::Approx(0.5 + kFrame_s + kLatency_s));
}

TEST_CASE("a queue takes what it has room for and drops the rest") {
  DelayLine line = line_with({kRate, 0, 0, 0, 50e3});  // 50 frames
  for (int i = 0; i < 80; ++i) line.offer(0, packet());
  CHECK(line.counts().dropped == 30);
  const std::vector<double> times = arrivals(line);
  REQUIRE(times.size() == 50);
  CHECK(times.back() == doctest::Approx(50 * kFrame_s));
  // Half empty, it has room for half as many.
  DelayLine half = line_with({kRate, 0, 0, 0, 50e3});
  for (int i = 0; i < 50; ++i) half.offer(0, packet());
  CHECK(arrivals(half, 25.5 * kFrame_s).size() == 25);
  for (int i = 0; i < 50; ++i) half.offer(25.5 * kFrame_s, packet());
  CHECK(half.counts().dropped == 25);
}

TEST_CASE("jitter stays within its bounds and reorders nothing") {
  constexpr double jitter_s = 4e-3;
  DelayLine line = line_with({kRate, kLatency_s, jitter_s, 0, 1e9});
  constexpr int frames = 2000;
  double sum_s = 0, least_s = 1, most_s = 0;
  std::vector<double> times;
  for (int i = 0; i < frames; ++i) {
    const double sent_s = 0.1 * i;  // apart, so that none waits for another
    line.offer(sent_s, packet());
    const std::vector<double> now = arrivals(line);
    REQUIRE(now.size() == 1);
    const double held_s = now[0] - sent_s - kFrame_s;
    sum_s += held_s, least_s = std::min(least_s, held_s), most_s = std::max(most_s, held_s);
  }
  CHECK(least_s >= kLatency_s - jitter_s);
  CHECK(least_s < kLatency_s - 0.9 * jitter_s);
  CHECK(most_s <= kLatency_s + jitter_s);
  CHECK(most_s > kLatency_s + 0.9 * jitter_s);
  // Uniform: the standard error of the mean is jitter / sqrt(3 n).
  CHECK(std::abs(sum_s / frames - kLatency_s) < 4 * jitter_s / std::sqrt(3.0 * frames));
  DelayLine close = line_with({kRate, kLatency_s, jitter_s, 0, 1e9});
  for (int i = 0; i < 200; ++i) close.offer(0, packet());
  const std::vector<double> in_order = arrivals(close);
  CHECK(in_order.size() == 200);
  CHECK(std::ranges::is_sorted(in_order));
}

TEST_CASE("frames are lost with the given probability, the same ones for the same seed") {
  const auto lost = [](std::uint64_t seed) {
    DelayLine line({kRate, 0, 0, 0.1, 1e9}, stream(seed, "w0", "test"));
    for (int i = 0; i < 10'000; ++i) line.offer(i, packet());
    std::vector<double> times = arrivals(line);
    CHECK(line.counts().lost == 10'000 - static_cast<std::int64_t>(times.size()));
    return times;
  };
  const std::vector<double> once = lost(7);
  CHECK(once == lost(7));
  CHECK(once != lost(8));
  constexpr double expected = 9000, deviation = 30;  // sqrt(n p (1 - p))
  CHECK(std::abs(static_cast<double>(once.size()) - expected) < 4 * deviation);
}

TEST_CASE("a rate that changes holds from then on, for the frame that is leaving too") {
  DelayLine line = line_with({kRate, kLatency_s, 0, 0, 1e6});
  line.offer(0, packet());
  line.offer(0, packet());
  line.set_factors(0.5 * kFrame_s, 0.5, 1);  // the other half takes twice as long, and so does the second
  const std::vector<double> times = arrivals(line);
  REQUIRE(times.size() == 2);
  CHECK(times[0] == doctest::Approx(1.5 * kFrame_s + kLatency_s));
  CHECK(times[1] == doctest::Approx(3.5 * kFrame_s + kLatency_s));
}

TEST_CASE("a link that is down keeps what waits, and lets through what has left it") {
  DelayLine line = line_with({kRate, kLatency_s, 0, 0, 10e3});
  line.offer(0, packet());
  CHECK(arrivals(line, kFrame_s).empty());
  for (int i = 0; i < 20; ++i) line.offer(kFrame_s, packet());
  line.set_factors(kFrame_s, 0, 1);
  CHECK(line.counts().dropped == 10);
  CHECK(arrivals(line).size() == 1);
  line.set_factors(2, 1, 1);
  const std::vector<double> times = arrivals(line);
  REQUIRE(times.size() == 10);
  CHECK(times.front() == doctest::Approx(2 + kFrame_s + kLatency_s));
}

TEST_CASE("a packet crosses its source's link up and its target's link down") {
  const auto line = [](double rate, double latency_s) { return line_with({rate, latency_s, 0, 0, 1e6}); };
  std::vector<DelayedStar::Host> hosts;
  hosts.push_back({line(kRate, 0.01), line(kRate, 0.02)});
  hosts.push_back({line(kRate, 0.03), line(kRate / 2, 0.04)});
  hosts.push_back({line(kRate, 0.01), line(kRate, 0.01)});
  DelayedStar star(std::move(hosts));
  star.send(0, 0, packet(1));
  star.send(0, 2, packet(1));  // meets the other's in the queue down, where each takes two milliseconds
  std::vector<double> times;
  while (star.next_s() < DelayLine::never) {
    if (const auto arrival = star.step()) {
      CHECK(arrival->packet.target == 1);
      times.push_back(arrival->due_s);
    }
  }
  REQUIRE(times.size() == 2);
  CHECK(times[0] == doctest::Approx(kFrame_s + 0.01 + 2 * kFrame_s + 0.04));
  CHECK(times[1] == doctest::Approx(kFrame_s + 0.01 + 4 * kFrame_s + 0.04));
  CHECK(star.counts().taken == 2);
}

}  // namespace
}  // namespace delay_line_test
}  // namespace ddl::emulate
