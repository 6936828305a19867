#include <doctest/doctest.h>

#include <cmath>

#include "tests/network/packets/driven.hpp"

namespace ddl::network::packets {
namespace {

constexpr double bytes_per_s = 5e6, window_s = 0.5;
constexpr std::int64_t many = 4000;  // segments

// Segments that wait on the first line of a message which has it to itself, in its second half.
struct Backlog {
  double least = 1e9, most = 0, end_s = 0;
};

Backlog backlog_of(double latency_s) {
  // Windows hold more than the line needs, and its queue more than windows.
  TcpRules rules;
  rules.most_segments = window_s * bytes_per_s / segment_bytes;
  const Line::Settings line{.bytes_per_s = bytes_per_s, .latency_s = latency_s, .queue_bytes = all_bytes};
  Driven driven(1, rules);
  const int there = driven.network.add_line(line), back = driven.network.add_line(line);
  driven.network.open(0, {there}, {back});
  driven.begin({{0, many * segment_bytes}});
  Backlog found;
  for (const double end_s = frames_s(many, bytes_per_s); driven.ends.empty();) {
    driven.drive(driven.now_s + 0.001);
    if (driven.now_s < end_s / 2 || driven.now_s > end_s * 0.9) continue;
    const double waits_s = driven.network.line(there).last_s() - latency_s - driven.now_s;
    found.least = std::min(found.least, waits_s / frames_s(1, bytes_per_s));
    found.most = std::max(found.most, waits_s / frames_s(1, bytes_per_s));
  }
  found.end_s = driven.last_end_s[0];
  return found;
}

TEST_CASE("device queue: a burst waits while the device holds more than twice its memory") {
  DeviceQueue device(0);
  CHECK_FALSE(device.is_full_for(1));
  // (1448 + 832) n > 2 (1448 * 45 + 832) from n = 58 on.
  for (int n = 0; n < 57; ++n) device.enter();
  CHECK_FALSE(device.is_full_for(45));
  CHECK(device.is_full_for(20));
  device.enter();
  CHECK(device.is_full_for(45));
  device.leave();
  CHECK_FALSE(device.is_full_for(45));
}

TEST_CASE("device queue: segments that have left and are still on their way do not count") {
  DeviceQueue device(10);
  for (int n = 0; n < 67; ++n) device.enter();
  CHECK_FALSE(device.is_full_for(45));
  device.enter();
  CHECK(device.is_full_for(45));
}

TEST_CASE("device queue: behind another device nothing is held back") {
  DeviceQueue device;
  for (int n = 0; n < 100'000; ++n) device.enter();
  CHECK_FALSE(device.is_full_for(1));
}

TEST_CASE(
    "device queue: a connection keeps its host's own link busy with a few bursts, a link behind it by its window") {
  const Backlog own = backlog_of(0.0002), behind = backlog_of(0.001);
  // From 57 left, and 45 more, until 57 are left.
  CHECK(own.most <= 57 + 45 + 1);
  CHECK(own.most > 90);
  CHECK(own.least >= 57 - 5);  // looked at each millisecond, in which 3.3 leave
  CHECK(behind.most > 1.5 * own.most);
  // Neither link is ever idle.
  CHECK(own.end_s == doctest::Approx(behind.end_s).epsilon(0.005));
}

}  // namespace
}  // namespace ddl::network::packets
