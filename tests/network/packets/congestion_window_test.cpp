// The congestion window, acknowledgement by acknowledgement, against rounds and curves computed by hand.
#include "sim/network/packets/congestion_window.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

namespace ddl::network::packets {
namespace congestion_window_test {
namespace {

constexpr double round_trip_s = 0.1, timeout_s = 0.3;

// A sender that always has more to send than its window allows.
class Busy {
 public:
  explicit Busy(const TcpRules& rules = {}) : window(rules) {
    next_ = window.segments();
    use();
  }

  // One window is acknowledged, a segment each `apart_s`, each after a round trip of `seconds`.
  void round(double seconds, double apart_s = 0) {
    for (std::int64_t left = window.segments(); left > 0; --left, now_s += apart_s) acknowledge(seconds);
  }
  void acknowledge(double seconds) {
    ++first_;
    window.observe_round_trip(now_s, seconds, first_, next_);
    window.grow(now_s, 1);
    next_ = first_ + window.segments();
    use();
  }

  CongestionWindow window;
  double now_s = 0;

 private:
  void use() { window.note_use(now_s, first_, next_, true, false, timeout_s); }

  std::int64_t first_ = 0, next_ = 0;
};

// After a loss from a window of so many segments.
Busy after_loss(double segments) {
  Busy busy({.initial_segments = segments});
  busy.window.lower_threshold();
  busy.window.set_to_threshold(0);
  return busy;
}

TEST_CASE("slow start doubles the window in each round") {
  Busy busy;
  for (std::int64_t segments = 10; segments < 10000; segments *= 2) {
    CHECK(busy.window.segments() == segments);
    CHECK(busy.window.in_slow_start());
    busy.now_s += round_trip_s;
    busy.round(round_trip_s);
  }
}

TEST_CASE("the window grows up to its limit") {
  Busy busy({.most_segments = 50});
  for (int i = 0; i < 5; ++i) busy.round(round_trip_s);
  CHECK(busy.window.segments() == 50);
}

TEST_CASE("slow start ends when round trips become an eighth longer, after eight of a round") {
  for (const bool longer : {false, true}) {
    Busy busy;
    for (int i = 0; i < 2; ++i) {
      busy.now_s += round_trip_s;
      busy.round(round_trip_s);
    }
    busy.now_s += round_trip_s;
    const double later_s = round_trip_s * (1 + (longer ? 0.126 : 0.124));
    for (int i = 0; i < 8; ++i) busy.acknowledge(later_s);
    CHECK(busy.window.in_slow_start());
    busy.acknowledge(later_s);
    CHECK(busy.window.in_slow_start() == !longer);
    // By the ninth 48 segments are allowed, and that is the threshold; the ninth grows it no more at that rate.
    if (longer) CHECK(busy.window.threshold() == 48);
  }
}

TEST_CASE("an eighth of a round trip counts as 4 ms at least and 16 ms at most") {
  struct Case {
    double round_trip_s, later_s;
    bool ends;
  };
  for (const auto& [trip_s, later_s, ends] :
       {Case{0.001, 0.0039, false}, Case{0.001, 0.0041, true}, Case{1, 0.0159, false}, Case{1, 0.0161, true}}) {
    CAPTURE(trip_s);
    CAPTURE(later_s);
    Busy busy;
    for (int i = 0; i < 2; ++i, busy.now_s += trip_s) busy.round(trip_s);
    busy.round(trip_s + later_s);
    CHECK(busy.window.in_slow_start() == !ends);
  }
}

TEST_CASE("slow start ends when acknowledgements come in one train for half a round trip and half a millisecond") {
  // 160 of them, 1 ms apart: the train is 50.4 ms long at the 51st, and 50.6 at the 52nd. With 3 ms between them there
  // is no train.
  Busy train;
  for (int i = 0; i < 4; ++i, train.now_s += round_trip_s) train.round(round_trip_s);
  CHECK(train.window.segments() == 160);
  for (int i = 0; i < 50; ++i, train.now_s += 0.001) train.acknowledge(round_trip_s);
  CHECK(train.window.in_slow_start());
  train.now_s += 0.0004;
  train.acknowledge(round_trip_s);
  CHECK(train.window.in_slow_start());
  train.now_s += 0.0002;
  train.acknowledge(round_trip_s);
  CHECK_FALSE(train.window.in_slow_start());
  CHECK(train.window.threshold() == 160 + 51);
  Busy apart;
  for (int i = 0; i < 4; ++i, apart.now_s += round_trip_s) apart.round(round_trip_s);
  apart.round(round_trip_s, 0.003);
  CHECK(apart.window.in_slow_start());
}

TEST_CASE("a loss takes three tenths of the window, two segments are left at least") {
  Busy busy = after_loss(1000);
  CHECK(busy.window.segments() == 700);
  CHECK_FALSE(busy.window.in_slow_start());
  CHECK(after_loss(2).window.segments() == 2);
}

TEST_CASE("after a loss the window follows CUBIC, and is where it was after K seconds") {
  // 300 of 1000 segments lost: K = cbrt(300 / 0.4) = 9.09 s. The target is that of a round trip ahead.
  Busy busy = after_loss(1000);
  const double k_s = std::cbrt(0.3 * 1000 / 0.4);
  CHECK(k_s == doctest::Approx(9.0856).epsilon(1e-4));
  double next_check_s = 1;
  for (; busy.now_s < k_s + 3; busy.now_s += 0.05) {
    busy.round(0.05);
    if (busy.now_s < next_check_s) continue;
    CAPTURE(busy.now_s);
    const double ahead_s = busy.now_s + 0.05;
    CHECK(static_cast<double>(busy.window.segments()) ==
          doctest::Approx(1000 + 0.4 * std::pow(ahead_s - k_s, 3)).epsilon(0.005));
    ++next_check_s;
  }
}

TEST_CASE("a window that knows no round trip yet grows after a loss as if it took no time") {
  // The target of 10 segments, of which 3 are lost: 7 for the next while.
  CongestionWindow window({});
  window.lower_threshold();
  window.set_to_threshold(0);
  window.grow(0.1, 10);
  CHECK(window.segments() == 7);
  window.start_over(0);  // nor after a timeout
  window.grow(0.2, 2);
  CHECK(window.segments() == 7);
}

TEST_CASE("of two losses, one soon after the other, the second leaves room for others") {
  // The window was 1000 and is 700; where it was counts as (1 + 0.7) / 2 of it then, 595.
  Busy busy = after_loss(1000);
  busy.window.lower_threshold();
  busy.window.set_to_threshold(0);
  CHECK(busy.window.segments() == 490);
  const double k_s = std::cbrt((595 - 490) / 0.4);
  for (; busy.now_s < k_s; busy.now_s += 0.05) busy.round(0.05);
  CHECK(static_cast<double>(busy.window.segments()) == doctest::Approx(595).epsilon(0.01));
}

TEST_CASE("a small window grows as Reno's would, as gentle: 8/15 of a segment in each round") {
  // CUBIC's own is flat for the first seconds of 30 lost of 100 (K = 4.2 s): after 20 rounds of 10 ms it is 70 still.
  Busy busy = after_loss(100);
  for (int i = 0; i < 20; ++i, busy.now_s += 0.01) busy.round(0.01);
  const double cubic = 100 + 0.4 * std::pow(0.2 - std::cbrt(30 / 0.4), 3), reno = 70 + 20 * 8.0 / 15;
  CHECK(cubic < 75);
  CHECK(std::abs(static_cast<double>(busy.window.segments()) - reno) <= 2);
}

// Of a window that has shrunk since, by a rest, so that it is in slow start.
TEST_CASE("in the second after a loss round trips do not end slow start") {
  for (const double later_s : {0.5, 1.5}) {
    CAPTURE(later_s);
    Busy busy;
    for (int i = 0; i < 4; ++i, busy.now_s += round_trip_s) busy.round(round_trip_s);
    busy.window.lower_threshold();
    busy.window.set_to_threshold(busy.now_s);
    busy.acknowledge(round_trip_s);  // the epoch begins
    busy.now_s += later_s;
    busy.window.set(20);
    for (int i = 0; i < 12; ++i) busy.acknowledge(2 * round_trip_s);
    CHECK(busy.window.in_slow_start() == (later_s < 1));
  }
}

TEST_CASE("how fast a window grows is looked at in ticks and in whole segments") {
  // Of 100 segments 70 are left. A second and a round trip later the target is 88, in whole segments: one more for each
  // 70 / 18 that are acknowledged, rounded down.
  Busy busy = after_loss(100);
  busy.acknowledge(round_trip_s);  // the epoch begins
  busy.now_s = 1;
  const double target = 100 - std::floor(0.4 * std::pow(std::cbrt(30 / 0.4) - 1.1, 3));
  CHECK(target == 88);
  CHECK(std::floor(70 / (target - 70)) == 3);
  busy.acknowledge(round_trip_s);
  CHECK(busy.window.segments() == 70);
  busy.acknowledge(round_trip_s);
  CHECK(busy.window.segments() == 71);
  // Of the same tick the window, one more, has the same step.
  for (int i = 0; i < 3; ++i) busy.acknowledge(round_trip_s);
  CHECK(busy.window.segments() == 72);
}

TEST_CASE("a window that rests halves after each timeout, down to the initial one") {
  for (const auto& [timeouts, segments] :
       {std::pair{0.9, 160}, {1.0, 160}, {1.1, 80}, {1.9, 80}, {2.1, 40}, {3.1, 20}, {4.1, 10}, {99.0, 10}}) {
    CAPTURE(timeouts);
    Busy busy;
    for (int i = 0; i < 4; ++i) busy.round(round_trip_s);
    CHECK(busy.window.segments() == 160);
    busy.window.rest(100, timeouts * timeout_s, timeout_s);
    CHECK(busy.window.segments() == segments);
    CHECK(busy.window.in_slow_start());
  }
  Busy kept({.slow_start_after_idle = false});
  for (int i = 0; i < 4; ++i) kept.round(round_trip_s);
  kept.window.rest(100, 9, timeout_s);
  CHECK(kept.window.segments() == 160);
}

TEST_CASE("after a rest slow start goes to three quarters of what the window was") {
  Busy busy;
  busy.window.set(1000);
  busy.window.lower_threshold();
  busy.window.set_to_threshold(0);
  busy.window.rest(100, 3.1 * timeout_s, timeout_s);
  CHECK(busy.window.segments() == 87);  // floor(floor(floor(700 / 2) / 2) / 2)
  CHECK(busy.window.threshold() == 700);
  Busy grown = busy;
  grown.window.set(1200);
  grown.window.rest(100, 1.1 * timeout_s, timeout_s);
  CHECK(grown.window.threshold() == 900);
}

TEST_CASE("a window is used if it is full, in slow start also if more than half of it is under way") {
  CongestionWindow window({});
  window.note_use(0, 0, 5, false, true, timeout_s);
  CHECK_FALSE(window.is_used());
  window.note_use(0, 0, 6, false, true, timeout_s);
  CHECK(window.is_used());
  window.note_use(0, 6, 7, false, true, timeout_s);  // the next round
  CHECK_FALSE(window.is_used());
  window.note_use(0, 7, 17, true, false, timeout_s);
  CHECK(window.is_used());
  window.note_use(0, 9, 10, false, true, timeout_s);  // of the same round
  CHECK(window.is_used());
}

TEST_CASE("a window that is used in part shrinks once in a timeout, half of the way to what was used") {
  Busy busy;
  for (int i = 0; i < 4; ++i) busy.round(round_trip_s);
  CongestionWindow& window = busy.window;
  CHECK(window.segments() == 160);
  std::int64_t first = 100000;
  const auto use = [&](double now_s, std::int64_t segments) {
    window.note_use(now_s, first, first + segments, false, true, timeout_s);
    first += segments;
  };
  use(0.1, 20);
  use(0.29, 40);
  CHECK(window.segments() == 160);
  use(0.31, 30);
  CHECK(window.segments() == (160 + 40) / 2);
  use(0.6, 2);
  CHECK(window.segments() == 100);
  use(0.62, 4);
  CHECK(window.segments() == (100 + 10) / 2);  // the initial window counts as used
  // Not while acknowledgements come.
  window.grow(0.9, 1);
  use(0.95, 4);
  CHECK(window.segments() == 55);
}

}  // namespace
}  // namespace congestion_window_test
}  // namespace ddl::network::packets
