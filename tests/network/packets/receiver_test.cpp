// The receiving end, against a plain set of what has come.
#include "sim/network/packets/receiver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "core/base/rng.hpp"

namespace ddl::network::packets {
namespace receiver_test {
namespace {

constexpr double timeout_s = 0.3, unlimited = 1e9, narrow = 20;
constexpr int first_ones = 16;

// One to which the first segments have come, all acknowledged at once.
Receiver after_first_ones() {
  Receiver receiver(narrow);
  for (int i = 0; i < first_ones; ++i) {
    const auto tells = receiver.take(0, {.number = i}, timeout_s);
    CHECK(tells.has_value());
    CHECK(tells.value_or(Acknowledgement{}).next == i + 1);
  }
  return receiver;
}

TEST_CASE("the first sixteen segments are acknowledged at once, then each second one") {
  Receiver receiver = after_first_ones();
  for (int i = first_ones; i < 100; i += 2) {
    CAPTURE(i);
    CHECK_FALSE(receiver.take(0, {.number = i}, timeout_s).has_value());
    const auto tells = receiver.take(0, {.number = i + 1}, timeout_s);
    REQUIRE(tells.has_value());
    CHECK(tells->next == i + 2);
    CHECK(tells->block_to == 0);
    CHECK(receiver.next_s() == Receiver::never);
  }
}

TEST_CASE("a lone segment is acknowledged after 40 ms, whatever acknowledgement it gets before") {
  Receiver receiver = after_first_ones();
  CHECK_FALSE(receiver.take(0.1, {.number = 16}, timeout_s).has_value());
  CHECK(receiver.next_s() == doctest::Approx(0.14));
  CHECK(receiver.wake(0).next == 17);
  CHECK(receiver.next_s() == Receiver::never);
  CHECK_FALSE(receiver.take(0.2, {.number = 17}, timeout_s).has_value());
  CHECK(receiver.take(0.21, {.number = 18}, timeout_s).has_value());
  CHECK(receiver.next_s() == Receiver::never);
}

TEST_CASE("after a pause of a timeout sixteen are acknowledged at once again") {
  Receiver receiver = after_first_ones();
  CHECK_FALSE(receiver.take(timeout_s, {.number = 16}, timeout_s).has_value());
  const double later_s = 2 * timeout_s + 0.01;
  for (int i = 0; i < first_ones; ++i) CHECK(receiver.take(later_s, {.number = 17 + i}, timeout_s).has_value());
  CHECK_FALSE(receiver.take(later_s, {.number = 17 + first_ones}, timeout_s).has_value());
}

TEST_CASE("what comes out of order is told at once with its block, what fills a gap at once, too") {
  Receiver receiver = after_first_ones();
  const auto told = [&](std::int64_t segment) {
    const auto tells = receiver.take(0, {.number = segment}, timeout_s);
    REQUIRE(tells.has_value());
    return *tells;
  };
  Acknowledgement tells = told(18);
  CHECK(tells.next == 16);
  CHECK(tells.block_from == 18);
  CHECK(tells.block_to == 19);
  tells = told(20);
  CHECK(tells.block_from == 20);
  CHECK(tells.block_to == 21);
  tells = told(19);  // between both
  CHECK(tells.block_from == 18);
  CHECK(tells.block_to == 21);
  tells = told(16);
  CHECK(tells.next == 17);
  CHECK(tells.block_from == tells.block_to);
  tells = told(17);
  CHECK(tells.next == 21);
  CHECK_FALSE(tells.of_duplicate);
}

TEST_CASE("an acknowledgement echoes the first segment that it is of, and beyond a gap the one before") {
  Receiver receiver = after_first_ones();
  CHECK_FALSE(receiver.take(0, {.number = 16, .sent_s = 0.005}, timeout_s).has_value());
  CHECK(receiver.take(0, {.number = 17, .sent_s = 0.006}, timeout_s)->echo_s == 0.005);
  CHECK(receiver.take(0, {.number = 19, .sent_s = 0.007}, timeout_s)->echo_s == 0.005);
  CHECK(receiver.take(0, {.number = 18, .sent_s = 0.009}, timeout_s)->echo_s == 0.009);
  // What was acknowledged long ago is echoed no more.
  CHECK(receiver.take(0, {.number = 3, .sent_s = 0.011}, timeout_s)->echo_s == 0.009);
}

TEST_CASE("what was there already is told so at once") {
  Receiver receiver = after_first_ones();
  CHECK(receiver.take(0, {.number = 18}, timeout_s).has_value());
  for (const std::int64_t there : {3, 15, 18}) {
    const auto tells = receiver.take(0, {.number = there}, timeout_s);
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
    Receiver receiver(unlimited);
    std::set<std::int64_t> there;
    for (const std::int64_t segment : order) {
      const bool is_new = there.insert(segment).second;
      std::int64_t next = 0;
      while (there.contains(next)) ++next;
      const auto tells = receiver.take(0, {.number = segment}, timeout_s);
      REQUIRE(receiver.next() == next);
      for (const std::int64_t end : {next, segments}) {
        const auto come = static_cast<std::int64_t>(std::distance(there.begin(), there.lower_bound(end)));
        REQUIRE(receiver.missing_before(end) == end - come);
      }
      if (!is_new) REQUIRE((tells.has_value() && tells->of_duplicate));
      if (!tells) continue;
      REQUIRE(tells->next == next);
      if (tells->block_from == tells->block_to) continue;
      REQUIRE(segment >= tells->block_from);
      REQUIRE(segment < tells->block_to);
      for (std::int64_t i = tells->block_from; i < tells->block_to; ++i) REQUIRE(there.contains(i));
      REQUIRE_FALSE(there.contains(tells->block_from - 1));
      REQUIRE_FALSE(there.contains(tells->block_to));
    }
    CHECK(receiver.missing_before(segments) == 0);
  }
}

TEST_CASE("the end of a message is acknowledged at once") {
  Receiver receiver = after_first_ones();
  CHECK(receiver.take(0, {.number = 16, .ends_message = true}, timeout_s).has_value());
  // Also if it came before others.
  CHECK(receiver.take(0, {.number = 18, .ends_message = true}, timeout_s).has_value());
  CHECK(receiver.take(0, {.number = 17}, timeout_s).has_value());
}

TEST_CASE("a window at its limit does not depend on what was read") {
  for (const double most : {2.0, 20.0}) {
    Receiver receiver(most);
    CHECK(receiver.room_ends() == most);
    for (int i = 0; i < 16; ++i) {
      CHECK(receiver.take(0, {.number = i}, timeout_s).value_or(Acknowledgement{}).room_ends == i + 1 + most);
    }
  }
}

// A connection of Linux 6.18 over 40 Mbit/s and 50 ms one way, captured at its receiver: when bursts came, and how many
// segments beyond the last one some acknowledgements told of. The application read 12 segments at a time.
TEST_CASE("room follows a captured connection: less until it is read, more as round trips bring more") {
  struct Burst {
    double begin_s;
    int until;  // segments
  };
  constexpr Burst bursts[] = {{0, 1},       {0.0509, 10}, {0.1006, 12}, {0.1515, 30},
                              {0.2016, 34}, {0.2526, 70}, {0.3025, 78}, {0.3545, 107}};
  const std::map<std::int64_t, double> told = {{2, 47.4},  {4, 51.6},  {12, 48.1}, {14, 55.2}, {20, 51.6}, {28, 54.5},
                                               {36, 48.8}, {38, 55.9}, {60, 48.8}, {62, 55.9}, {72, 48.8}, {74, 55.9},
                                               {84, 48.8}, {90, 65.8}, {98, 82.0}, {106, 97.6}};
  constexpr double frame_s = 0.000303, round_trip_s = 0.1003;
  Receiver receiver(unlimited);
  std::int64_t segment = 0;
  for (const Burst& burst : bursts) {
    for (double now_s = burst.begin_s; segment < burst.until; now_s += frame_s) {
      const double echo_s = segment <= 10 ? never_sent : now_s - round_trip_s;
      const auto tells =
          receiver.take(now_s, {.number = segment, .ends_message = segment == 0, .echo_s = echo_s}, timeout_s);
      ++segment;
      const auto expected = told.find(segment);
      if (!tells || expected == told.end()) continue;
      CAPTURE(segment);
      CHECK(static_cast<double>(tells->room_ends - segment) == doctest::Approx(expected->second).epsilon(0.08));
    }
  }
  CHECK(segment == 107);
}

}  // namespace
}  // namespace receiver_test
}  // namespace ddl::network::packets
