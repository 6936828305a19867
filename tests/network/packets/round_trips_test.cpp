// The retransmission timeout, against RFC 6298 by hand.
#include "sim/network/packets/round_trips.hpp"

#include <doctest/doctest.h>

namespace ddl::network::packets {
namespace round_trips_test {
namespace {

doctest::Approx about(double seconds) { return doctest::Approx(seconds).epsilon(1e-6); }

// One sample in each round.
class Rounds {
 public:
  explicit Rounds(double handshake_s) : trips(handshake_s) {}
  void add(double seconds, int times = 1) {
    for (int i = 0; i < times; ++i) {
      ++segments_;
      trips.add(seconds, seconds, segments_, segments_);
    }
  }
  // In the round of the last one.
  void add_in_round(double seconds) { trips.add(seconds, seconds, segments_, segments_); }

  RoundTrips trips;

 private:
  std::int64_t segments_ = 0;
};

TEST_CASE("the first round trip counts half of itself as its deviation") {
  CHECK(RoundTrips(0.02).timeout_s() == about(0.02 + 0.2));  // 4 * 10 ms are less than 200 ms
  CHECK(RoundTrips(0.3).timeout_s() == about(0.3 + 4 * 0.15));
  CHECK(RoundTrips(0).timeout_s() == about(0.2));
}

TEST_CASE("of constant round trips the timeout becomes one and 200 ms") {
  for (const double seconds : {1e-4, 0.05, 0.3, 2.0}) {
    Rounds rounds(seconds);
    rounds.add(seconds, 100);
    CHECK(rounds.trips.smoothed_s() == about(seconds));
    CHECK(rounds.trips.timeout_s() == about(seconds + 0.2));
    CHECK(rounds.trips.least_s() == seconds);
  }
}

TEST_CASE("a longer round trip counts an eighth, its distance four quarters at once, and less with each round") {
  Rounds rounds(0.1);
  rounds.add(0.1, 200);
  rounds.add(0.9);  // 0.8 s more
  CHECK(rounds.trips.smoothed_s() == about(0.2));
  CHECK(rounds.trips.timeout_s() == about(0.2 + 4 * 0.2));
  // No distance: the deviation becomes 0.15 s, of which four are 0.6 s. The timeout keeps 0.8 s until its round is
  // over, and then has a quarter of the way less.
  Rounds same = rounds;
  same.add_in_round(0.2);
  CHECK(same.trips.timeout_s() == about(0.2 + 0.8));
  rounds.add(0.2);
  CHECK(rounds.trips.timeout_s() == about(0.2 + 0.8 - (0.8 - 0.6) / 4));
}

TEST_CASE("a much shorter round trip counts a thirty-second part in the deviation") {
  Rounds rounds(1);
  rounds.add(1, 200);
  rounds.add(0.2);  // 0.8 s less
  CHECK(rounds.trips.smoothed_s() == about(1 - 0.1));
  CHECK(rounds.trips.timeout_s() == about(0.9 + 0.2));  // 4 * 0.8 / 32 are 100 ms
  CHECK(rounds.trips.least_s() == 0.2);
}

TEST_CASE("of segments that are acknowledged together the oldest counts, but for the least") {
  RoundTrips trips(0.1);
  trips.add(0.1 + 0.08, 0.06, 1, 1);
  CHECK(trips.smoothed_s() == about(0.11));
  CHECK(trips.least_s() == 0.06);
}

}  // namespace
}  // namespace round_trips_test
}  // namespace ddl::network::packets
