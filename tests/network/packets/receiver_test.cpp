// The receiving end, against a plain set of what has come.
#include "sim/network/packets/receiver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "core/base/rng.hpp"

namespace ddl::network::packets {
namespace receiver_test {
namespace {

constexpr double timeout_s = 0.3, handshake_s = 0.1, unlimited = 1e9, narrow = 20;
constexpr int first_ones = 16;

// A full one.
Segment segment(std::int64_t number, double sent_s = 0, double echo_s = never_sent) {
  return {.number = number,
          .bytes = segment_bytes,
          .end_bytes = static_cast<double>(number + 1) * segment_bytes,
          .sent_s = sent_s,
          .echo_s = echo_s};
}
Segment last_segment(std::int64_t number) {
  Segment last = segment(number);
  last.ends_message = true;
  return last;
}

// One to which the first segments have come, all acknowledged at once.
Receiver after_first_ones() {
  Receiver receiver(narrow, handshake_s);
  for (int i = 0; i < first_ones; ++i) {
    const auto tells = receiver.take(0, segment(i), timeout_s);
    CHECK(tells.has_value());
    CHECK(tells.value_or(Acknowledgement{}).next == i + 1);
  }
  return receiver;
}

TEST_CASE("the first sixteen segments are acknowledged at once, then each second one") {
  Receiver receiver = after_first_ones();
  for (int i = first_ones; i < 100; i += 2) {
    CAPTURE(i);
    CHECK_FALSE(receiver.take(0, segment(i), timeout_s).has_value());
    const auto tells = receiver.take(0, segment(i + 1), timeout_s);
    REQUIRE(tells.has_value());
    CHECK(tells->next == i + 2);
    CHECK(tells->blocks[0].to == 0);
    CHECK(receiver.next_s() == Receiver::never);
  }
}

TEST_CASE("while the window grows, each segment is acknowledged, of which one in all counts among the first sixteen") {
  // It grows by two segments for each that comes, from 45 to 55.6: six times.
  Receiver receiver(unlimited, handshake_s);
  int at_once = 0;
  while (receiver.take(0, segment(at_once), timeout_s).has_value()) ++at_once;
  CHECK(at_once > first_ones);
  CHECK(at_once <= first_ones + 6);
}

TEST_CASE("segments that are short are acknowledged when together they are more than a full one") {
  Receiver receiver = after_first_ones();
  double end_bytes = first_ones * segment_bytes;
  const auto take = [&](std::int64_t number, double bytes) {
    end_bytes += bytes;
    return receiver.take(0, {.number = number, .bytes = bytes, .end_bytes = end_bytes}, timeout_s).has_value();
  };
  CHECK_FALSE(take(16, 700));
  CHECK_FALSE(take(17, 748));
  CHECK(take(18, 1));
  CHECK_FALSE(take(19, segment_bytes));
  CHECK(take(20, 1));
}

TEST_CASE("a lone segment is acknowledged after 40 ms, whatever acknowledgement it gets before") {
  Receiver receiver = after_first_ones();
  CHECK_FALSE(receiver.take(0.1, segment(16), timeout_s).has_value());
  CHECK(receiver.next_s() == doctest::Approx(0.14));
  CHECK(receiver.wake(0).next == 17);
  CHECK(receiver.next_s() == Receiver::never);
  CHECK_FALSE(receiver.take(0.2, segment(17), timeout_s).has_value());
  CHECK(receiver.take(0.21, segment(18), timeout_s).has_value());
  CHECK(receiver.next_s() == Receiver::never);
}

TEST_CASE("after a pause of a timeout sixteen are acknowledged at once again") {
  Receiver receiver = after_first_ones();
  CHECK_FALSE(receiver.take(timeout_s, segment(16), timeout_s).has_value());
  const double later_s = 2 * timeout_s + 0.01;
  for (int i = 0; i < first_ones; ++i) CHECK(receiver.take(later_s, segment(17 + i), timeout_s).has_value());
  CHECK_FALSE(receiver.take(later_s, segment(17 + first_ones), timeout_s).has_value());
}

TEST_CASE("what comes out of order is told at once with its block, what fills a gap at once, too") {
  Receiver receiver = after_first_ones();
  const auto told = [&](std::int64_t number) {
    const auto tells = receiver.take(0, segment(number), timeout_s);
    REQUIRE(tells.has_value());
    return *tells;
  };
  Acknowledgement tells = told(18);
  CHECK(tells.next == 16);
  CHECK(tells.blocks[0].from == 18);
  CHECK(tells.blocks[0].to == 19);
  tells = told(20);
  CHECK(tells.blocks[0].from == 20);
  CHECK(tells.blocks[0].to == 21);
  tells = told(19);  // between both
  CHECK(tells.blocks[0].from == 18);
  CHECK(tells.blocks[0].to == 21);
  tells = told(16);
  CHECK(tells.next == 17);
  CHECK(tells.blocks == std::array<Block, 3>{{{18, 21}, {}, {}}});
  tells = told(17);
  CHECK(tells.next == 21);
  CHECK_FALSE(tells.of_duplicate);
}

TEST_CASE("an acknowledgement echoes the first segment that it is of, and beyond a gap the one before") {
  Receiver receiver = after_first_ones();
  CHECK_FALSE(receiver.take(0, segment(16, 0.005), timeout_s).has_value());
  CHECK(receiver.take(0, segment(17, 0.006), timeout_s)->echo_s == 0.005);
  CHECK(receiver.take(0, segment(19, 0.007), timeout_s)->echo_s == 0.005);
  CHECK(receiver.take(0, segment(18, 0.009), timeout_s)->echo_s == 0.009);
  // What was acknowledged long ago is echoed no more.
  CHECK(receiver.take(0, segment(3, 0.011), timeout_s)->echo_s == 0.009);
}

TEST_CASE("what was there already is told so at once") {
  Receiver receiver = after_first_ones();
  CHECK(receiver.take(0, segment(18), timeout_s).has_value());
  for (const std::int64_t there : {3, 15, 18}) {
    const auto tells = receiver.take(0, segment(there), timeout_s);
    REQUIRE(tells.has_value());
    CHECK(tells->of_duplicate);
    CHECK(tells->next == 16);
  }
}

TEST_CASE("in whatever order segments come, some twice, blocks and what is missing are those of a set") {
  constexpr std::int64_t segments = 60;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Stream random = stream(seed, "test", "receiver");
    std::vector<std::int64_t> order(segments);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size() - 1; i > 0; --i) {
      // Near its place, in half of the cases.
      const std::size_t reach = seed % 2 == 0 ? i : std::min<std::size_t>(i, 5);
      std::swap(order[i], order[i - random.below(reach + 1)]);
    }
    for (int i = 0; i < 20; ++i)
      order.insert(order.begin() + static_cast<int>(random.below(40)), order[random.below(60)]);
    Receiver receiver(unlimited, handshake_s);
    std::set<std::int64_t> there;
    for (const std::int64_t number : order) {
      const bool is_new = there.insert(number).second;
      std::int64_t next = 0;
      while (there.contains(next)) ++next;
      const auto tells = receiver.take(0, segment(number), timeout_s);
      REQUIRE(receiver.next() == next);
      for (const std::int64_t end : {next, segments}) {
        const auto come = static_cast<std::int64_t>(std::distance(there.begin(), there.lower_bound(end)));
        REQUIRE(receiver.missing_bytes_before(static_cast<double>(end) * segment_bytes) ==
                static_cast<double>(end - come) * segment_bytes);
      }
      if (!is_new) REQUIRE((tells.has_value() && tells->of_duplicate));
      if (!tells) continue;
      REQUIRE(tells->next == next);
      if (is_new && number >= next) REQUIRE((number >= tells->blocks[0].from && number < tells->blocks[0].to));
      for (const Block& block : tells->blocks) {
        if (block == Block{}) continue;
        for (std::int64_t i = block.from; i < block.to; ++i) REQUIRE(there.contains(i));
        REQUIRE_FALSE(there.contains(block.from - 1));
        REQUIRE_FALSE(there.contains(block.to));
      }
    }
    CHECK(receiver.missing_bytes_before(segments * segment_bytes) == 0);
  }
}

TEST_CASE("the end of a message is acknowledged at once") {
  Receiver receiver = after_first_ones();
  CHECK(receiver.take(0, last_segment(16), timeout_s).has_value());
  // Also if it came before others.
  CHECK(receiver.take(0, last_segment(18), timeout_s).has_value());
  CHECK(receiver.take(0, segment(17), timeout_s).has_value());
}

TEST_CASE("a window at its limit does not depend on what was read") {
  for (const double most : {2.0, 20.0}) {
    Receiver receiver(most, handshake_s);
    CHECK(receiver.room_ends_bytes() == most * segment_bytes);
    for (int i = 0; i < 16; ++i) {
      CHECK(receiver.take(0, segment(i), timeout_s).value_or(Acknowledgement{}).room_ends_bytes ==
            (i + 1 + most) * segment_bytes);
    }
  }
}

TEST_CASE("after three out of order others wait for a millisecond, or for the 45th of them, and are told together") {
  Receiver receiver = after_first_ones();
  // Round trips are known to be long from here on.
  CHECK_FALSE(receiver.take(0.1, segment(16, 0, 0), timeout_s).has_value());
  for (int i = 0; i < 3; ++i) CHECK(receiver.take(0.1, segment(18 + i), timeout_s).has_value());
  for (int i = 3; i < 3 + 44; ++i) CHECK_FALSE(receiver.take(0.1, segment(18 + i), timeout_s).has_value());
  CHECK(receiver.next_s() == doctest::Approx(0.101));
  CHECK(receiver.take(0.1, segment(18 + 47), timeout_s).has_value());
  CHECK_FALSE(receiver.take(0.1005, segment(18 + 48), timeout_s).has_value());
  const Acknowledgement tells = receiver.wake(0.1015);
  CHECK(tells.next == 17);
  CHECK(tells.blocks[0] == Block{18, 18 + 49});
  CHECK(receiver.next_s() == Receiver::never);
}

TEST_CASE("a short round trip lets them wait for a twentieth of it") {
  Receiver receiver(narrow, 0.002);
  for (int i = 0; i < first_ones; ++i) receiver.take(0.002, segment(i, 0, 0), timeout_s);
  for (int i = 0; i < 3; ++i) CHECK(receiver.take(1, segment(18 + i), 2).has_value());
  CHECK_FALSE(receiver.take(1, segment(21), 2).has_value());
  CHECK(receiver.next_s() == doctest::Approx(1.0001));
}

TEST_CASE("up to three blocks are told, that of the latest first, and a duplicate takes the place of one") {
  Receiver receiver = after_first_ones();
  for (const int number : {18, 20, 22, 24}) receiver.take(0, segment(number), timeout_s);
  const auto tells = receiver.take(0, segment(21), timeout_s);  // joins two of them
  const Acknowledgement told = tells ? *tells : receiver.wake(0.001);
  CHECK(told.blocks == std::array<Block, 3>{{{20, 23}, {24, 25}, {18, 19}}});
  CHECK(bytes_of(told) == overhead_bytes + 4 + 3 * 8);
  const Acknowledgement twice = receiver.take(0.01, segment(3), timeout_s).value();
  CHECK(twice.blocks == std::array<Block, 3>{{{20, 23}, {24, 25}, {}}});
  CHECK(bytes_of(twice) == bytes_of(told));
  CHECK(bytes_of(Acknowledgement{}) == overhead_bytes);
}

TEST_CASE("after a duplicate sixteen are acknowledged at once") {
  Receiver receiver = after_first_ones();
  CHECK(receiver.take(0, segment(3), timeout_s).has_value());
  for (int i = 0; i < first_ones - 1; ++i) CHECK(receiver.take(0, segment(16 + i), timeout_s).has_value());
  CHECK_FALSE(receiver.take(0, segment(16 + first_ones - 1), timeout_s).has_value());
}

// What waits beyond a gap fills the buffer. When the gap is filled, the application reads it, and the sender, which
// would never hear of it otherwise, is told.
TEST_CASE("a window that was nearly full is told when it has been read") {
  Receiver receiver(unlimited, handshake_s);
  receiver.take(0, segment(0), timeout_s);
  std::int64_t next = 2;
  for (; static_cast<double>(next + 1) * segment_bytes <= receiver.room_ends_bytes(); ++next) {
    receiver.take(0, segment(next), timeout_s);
  }
  const auto tells = receiver.take(0, segment(1), timeout_s);
  REQUIRE(tells.has_value());
  CHECK(tells->next == next);
  CHECK(tells->room_ends_bytes > static_cast<double>(next + 50) * segment_bytes);
}

// A connection of Linux 6.18 over 40 Mbit/s and 50 ms one way, captured at its sender: when bursts came to its
// receiver, and the window that each acknowledgement told of, in KiB. The application read 12 segments at a time.
TEST_CASE("windows are those of a captured connection: less until it is read, more as round trips bring more") {
  struct Burst {
    double begin_s;
    int until;  // segments
  };
  constexpr Burst bursts[] = {{0, 1},       {0.0509, 10}, {0.1006, 12}, {0.1515, 30},
                              {0.2016, 34}, {0.2526, 70}, {0.3025, 78}, {0.3545, 107}};
  const std::map<std::int64_t, int> told = {
      {1, 67},  {2, 70},  {3, 73},  {4, 75},  {5, 74},  {6, 73},  {7, 72},  {8, 71},  {9, 70},  {10, 69}, {11, 68},
      {12, 67}, {13, 78}, {14, 78}, {15, 77}, {16, 76}, {17, 75}, {18, 74}, {19, 73}, {20, 72}, {21, 71}, {23, 69},
      {25, 79}, {27, 77}, {29, 75}, {34, 70}, {36, 79}, {38, 78}, {40, 76}, {42, 74}, {44, 72}, {46, 70}, {48, 79},
      {50, 78}, {52, 76}, {54, 74}, {56, 72}, {58, 70}, {60, 79}, {62, 78}, {64, 76}, {66, 74}, {68, 72}, {70, 70}};
  constexpr double frame_s = 0.000303, round_trip_s = 0.1003, kib = 1024;
  Receiver receiver(unlimited, round_trip_s);
  std::int64_t number = 0;
  for (const Burst& burst : bursts) {
    for (double now_s = burst.begin_s; number < burst.until; now_s += frame_s) {
      const double echo_s = number <= 10 ? never_sent : now_s - round_trip_s;
      Segment came = segment(number, 0, echo_s);
      const auto tells = receiver.take(now_s, came, timeout_s);
      ++number;
      const auto expected = told.find(number);
      if (!tells || expected == told.end()) continue;
      CAPTURE(number);
      CHECK((tells->room_ends_bytes - static_cast<double>(number) * segment_bytes) / kib == expected->second);
    }
  }
  CHECK(number == 107);
}

}  // namespace
}  // namespace receiver_test
}  // namespace ddl::network::packets
