// The receiving end, against a plain set of what has come.
#include "sim/network/packets/receiver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "core/base/rng.hpp"

namespace ddl::network::packets {
namespace receiver_test {
namespace {

constexpr double round_trip_s = 0.1, timeout_s = 0.3, unlimited = 1e9;
constexpr int first_ones = 16;

// One to which the first segments have come, all acknowledged at once.
Receiver after_first_ones() {
  Receiver receiver(unlimited);
  for (int i = 0; i < first_ones; ++i) {
    const auto tells = receiver.take(0, i, round_trip_s, timeout_s);
    CHECK(tells.has_value());
    CHECK(tells.value_or(Acknowledgement{}).next == i + 1);
  }
  return receiver;
}

TEST_CASE("the first sixteen segments are acknowledged at once, then each second one") {
  Receiver receiver = after_first_ones();
  for (int i = first_ones; i < 100; i += 2) {
    CHECK_FALSE(receiver.take(0, i, round_trip_s, timeout_s).has_value());
    const auto tells = receiver.take(0, i + 1, round_trip_s, timeout_s);
    REQUIRE(tells.has_value());
    CHECK(tells->next == i + 2);
    CHECK(tells->block_to == 0);
    CHECK(receiver.next_s() == Receiver::never);
  }
}

TEST_CASE("a lone segment is acknowledged after 40 ms, whatever acknowledgement it gets before") {
  Receiver receiver = after_first_ones();
  CHECK_FALSE(receiver.take(0.1, 16, round_trip_s, timeout_s).has_value());
  CHECK(receiver.next_s() == doctest::Approx(0.14));
  CHECK(receiver.wake().next == 17);
  CHECK(receiver.next_s() == Receiver::never);
  CHECK_FALSE(receiver.take(0.2, 17, round_trip_s, timeout_s).has_value());
  CHECK(receiver.take(0.21, 18, round_trip_s, timeout_s).has_value());
  CHECK(receiver.next_s() == Receiver::never);
}

TEST_CASE("after a pause of a timeout sixteen are acknowledged at once again") {
  Receiver receiver = after_first_ones();
  CHECK_FALSE(receiver.take(timeout_s, 16, round_trip_s, timeout_s).has_value());
  const double later_s = 2 * timeout_s + 0.01;
  for (int i = 0; i < first_ones; ++i) CHECK(receiver.take(later_s, 17 + i, round_trip_s, timeout_s).has_value());
  CHECK_FALSE(receiver.take(later_s, 17 + first_ones, round_trip_s, timeout_s).has_value());
}

TEST_CASE("what comes out of order is told at once with its block, what fills a gap at once, too") {
  Receiver receiver = after_first_ones();
  const auto told = [&](std::int64_t segment) {
    const auto tells = receiver.take(0, segment, round_trip_s, timeout_s);
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

TEST_CASE("what was there already is told so at once") {
  Receiver receiver = after_first_ones();
  CHECK(receiver.take(0, 18, round_trip_s, timeout_s).has_value());
  for (const std::int64_t there : {3, 15, 18}) {
    const auto tells = receiver.take(0, there, round_trip_s, timeout_s);
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
      const auto tells = receiver.take(0, segment, round_trip_s, timeout_s);
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

TEST_CASE("an acknowledgement tells for how many segments more there is room") {
  // 45 at first, and two more for each that comes, up to 54.
  Receiver receiver(unlimited);
  CHECK(receiver.room_ends() == 45);
  for (int i = 0; i < first_ones; ++i) {
    const auto tells = receiver.take(0, i, round_trip_s, timeout_s);
    REQUIRE(tells.has_value());
    CHECK(tells->room_ends == i + 1 + std::min(45 + 2 * (i + 1), 54));
  }
  // What is not acknowledged has not been told.
  const std::int64_t told = receiver.room_ends();
  CHECK_FALSE(receiver.take(0, 16, round_trip_s, timeout_s).has_value());
  CHECK(receiver.room_ends() == told);
  CHECK(receiver.wake().room_ends == 17 + 54);
}

TEST_CASE("room grows when a round trip brings more than any before, up to the limit of the window") {
  for (const double most : {1e9, 100.0, 20.0}) {
    CAPTURE(most);
    Receiver receiver(most);
    std::int64_t segment = 0;
    // 40 a round trip: the first time that one has gone by, 41 have come, 13 more than 28.
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 40; ++i) receiver.take(round * 0.11, segment++, round_trip_s, timeout_s);
    }
    receiver.take(0.2, segment++, round_trip_s, timeout_s);
    receiver.take(0.2, segment++, round_trip_s, timeout_s);
    const double limit = std::min(most, 82 + 164 * 13.0 / 28);  // 158.1
    const double grown = std::min(limit, 54 + 2.0 * 41);        // from the first of the second round on
    CHECK(receiver.room_ends() - receiver.next() == static_cast<std::int64_t>(std::min(most, grown)));
  }
}

}  // namespace
}  // namespace receiver_test
}  // namespace ddl::network::packets
