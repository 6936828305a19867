#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/network/packets/driven.hpp"

namespace ddl::network::packets {
namespace device_queue_test {
namespace {

constexpr double bytes_per_s = 5e6, window_s = 0.5;
constexpr std::int64_t many = 4000;  // segments

Line line_with(double latency_s) {
  return Line({.bytes_per_s = bytes_per_s, .latency_s = latency_s, .queue_bytes = all_bytes},
              stream(0, "line", "loss"));
}

// Segments of a lone message waiting on its first line, in its second half.
struct Backlog {
  double least = 1e9, most = 0, end_s = 0;
};

Backlog backlog_of(double latency_s) {
  // Windows hold more than the line needs, and its queue more than windows.
  TcpRules rules;
  rules.most_segments = window_s * bytes_per_s / segment_bytes;
  const Line::Settings line{.bytes_per_s = bytes_per_s, .latency_s = latency_s, .queue_bytes = all_bytes};
  DrivenPair driven(line, 1, rules);
  driven.begin({{0, many * segment_bytes}});
  Backlog found;
  const double end_s = frames_s(many, bytes_per_s);
  while (driven.ends.empty()) {
    driven.drive(driven.now_s + 0.001);
    if (driven.now_s < end_s / 2 || driven.now_s > end_s * 0.9) continue;
    const double waits_s = driven.network.line(driven.there).last_s() - latency_s - driven.now_s;
    found.least = std::min(found.least, waits_s / frames_s(1, bytes_per_s));
    found.most = std::max(found.most, waits_s / frames_s(1, bytes_per_s));
  }
  found.end_s = driven.last_end_s[0];
  return found;
}

TEST_CASE("device queue: a burst waits while the device holds more than twice its memory") {
  const Line line = line_with(0);
  DeviceQueue device(line);
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

TEST_CASE("device queue: segments that have left and are still on their way do not count, however long that is") {
  Line line = line_with(10.001 * frame_of_segment_bytes / bytes_per_s);
  DeviceQueue device(line);
  for (int n = 0; n < 67; ++n) device.enter();
  CHECK_FALSE(device.is_full_for(45));
  device.enter();
  CHECK(device.is_full_for(45));
  for (const auto& [rate, latency] : {std::pair(2.0, 1.0), std::pair(1.0, 2.0)}) {
    line.set_factors(0, rate, latency);
    CHECK_FALSE(device.is_full_for(45));
  }
  line.set_factors(0, 0, 1);
  CHECK(device.is_full_for(45));
}

TEST_CASE("device queue: a sender that is held back goes on when its next burst has room") {
  const Line line = line_with(0);
  std::vector<std::int64_t> sent;
  Sender sender(
      TcpRules(), 0.0001, 1e9,
      [&](const Segment& segment) {
        sent.push_back(segment.number);
        return true;
      },
      DeviceQueue(line));
  sender.write(0, 1000 * segment_bytes);
  sender.send(0);
  REQUIRE(sent.size() == 10);
  CHECK_FALSE(sender.leave_device(0));  // it waits for acknowledgements, not for the device
  // The window is 20 now, and a burst half of it. With the 9 in the device there is room for one:
  // (1448 + 832) n > 2 (1448 * 10 + 832) from n = 14 on.
  sender.take(0.1, {.next = 10, .room_ends_bytes = 1e9});
  REQUIRE(sent.size() == 20);
  for (int left = 18; left > 13; --left) {
    CHECK_FALSE(sender.leave_device(0.1));
    CHECK(sent.size() == 20);
  }
  CHECK(sender.leave_device(0.1));
  CHECK(sent.size() == 30);
}

TEST_CASE("device queue: a connection uses all of its host's own link, also when that becomes longer") {
  const Line::Settings own{.bytes_per_s = bytes_per_s, .latency_s = 0.0002, .queue_bytes = all_bytes};
  Line::Settings behind = own;
  behind.latency_s = 0.1;  // 330 segments
  DrivenPair driven(own);
  driven.network.set_factors(0, driven.there, 1, 500);
  const double bytes = 2 * many * segment_bytes;
  driven.begin({{0, bytes}});
  driven.drive();
  Driven other(1);
  const int other_there = other.network.add_line(behind), other_back = other.network.add_line(own);
  other.network.open(0, {other_there}, {other_back});
  other.begin({{0, bytes}});
  other.drive();
  CHECK(driven.last_end_s[0] < 1.05 * other.last_end_s[0]);
}

TEST_CASE("device queue: a connection that is opened again has nothing in the device, whatever is left there") {
  const Line::Settings line{.bytes_per_s = bytes_per_s, .latency_s = 0.0002, .queue_bytes = all_bytes};
  const double bytes = 100 * segment_bytes;
  DrivenPair driven(line);
  driven.begin({{0, many * segment_bytes}});
  driven.drive(frames_s(many, bytes_per_s) / 2);
  driven.network.close(0);
  const double left_s = driven.network.line(driven.there).last_s() - driven.now_s;
  CHECK(left_s > frames_s(40, bytes_per_s));
  driven.network.open(0, {driven.there}, {driven.back});
  const double began_s = driven.now_s;
  driven.begin({{0, bytes}});
  driven.drive();
  // It waits only for the remaining segments, in queues.
  CHECK(driven.last_end_s[0] - began_s < left_s + alone_s(line, bytes) + 0.001);
}

TEST_CASE("device queue: behind another device nothing is held back") {
  DeviceQueue device;
  for (int n = 0; n < 100'000; ++n) device.enter();
  CHECK_FALSE(device.is_full_for(1));
}

TEST_CASE("device queue: a connection keeps its host's own link busy with a few bursts") {
  const Backlog own = backlog_of(0.0002), behind = backlog_of(0.001);
  // From 57 left, and 45 more, or the receiver's first window of 55.
  CHECK(own.most <= 57 + 45 + 1);
  CHECK(own.least >= 10);
  // Neither link is ever idle.
  CHECK(own.end_s == doctest::Approx(behind.end_s).epsilon(0.005));
}

}  // namespace
}  // namespace device_queue_test
}  // namespace ddl::network::packets
