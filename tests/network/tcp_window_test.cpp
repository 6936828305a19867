// The congestion window of a connection, against rounds counted by hand.
#include <doctest/doctest.h>

#include "sim/network/tcp/window.hpp"

namespace ddl::network {
namespace tcp_window_test {
namespace {

constexpr double kRoundTrip_s = 0.1;

// A round over a link so fast that its segments come at once.
TcpRound round(double sent) { return {.sent = sent, .round_trip_s = kRoundTrip_s, .seconds = kRoundTrip_s}; }

const packets::TcpRules linux_rules;

TcpWindow grown(int rounds) {
  TcpWindow window(linux_rules);
  for (int i = 0; i < rounds; ++i) window.grow(round(window.segments()));
  return window;
}

TEST_CASE("in slow start a window grows by what is acknowledged, if half of it was needed") {
  TcpWindow window(linux_rules);
  CHECK(window.segments() == 10);
  window.grow(round(10));
  CHECK(window.segments() == 20);
  window.grow(round(10));
  CHECK(window.segments() == 20);
  window.grow(round(11));
  CHECK(window.segments() == 31);
  CHECK(window.in_slow_start());
}

TEST_CASE("a loss takes three tenths of a window, and slow start with it") {
  TcpWindow window = grown(4);
  CHECK(window.segments() == 160);
  window.lose();
  CHECK(window.segments() == 112);
  CHECK_FALSE(window.in_slow_start());
  for (int i = 0; i < 50; ++i) window.lose();
  CHECK(window.segments() == 2);
}

TEST_CASE("after a loss a window is where it was when CUBIC says, and not sooner") {
  // 100 segments lose 30: K = (30 / 0.4)^(1/3) = 4.217 s, of which the last round trip is ahead.
  const packets::TcpRules wide{.initial_segments = 100};
  TcpWindow window(wide);
  window.lose();
  CHECK(window.segments() == 70);
  double at_s = 0;
  while (window.segments() < 100) {
    window.grow(round(window.segments()));
    at_s += kRoundTrip_s;
    REQUIRE(at_s < 10);
  }
  CHECK(at_s == doctest::Approx(4.217 - kRoundTrip_s).epsilon(0.04));
}

TEST_CASE("slow start ends when acknowledgements take half a round trip, or come later than they used to") {
  TcpWindow spread = grown(3);  // 80
  spread.grow({.sent = 80, .round_trip_s = kRoundTrip_s, .spread_s = 0.04, .seconds = 0.1});
  CHECK(spread.segments() == 160);
  CHECK(spread.in_slow_start());
  spread.grow({.sent = 160, .round_trip_s = kRoundTrip_s, .spread_s = 0.08, .seconds = 0.1});
  CHECK(spread.segments() == 260);  // 100 of 160 in 50 of 80 ms
  CHECK_FALSE(spread.in_slow_start());

  TcpWindow late = grown(3);
  late.grow({.sent = 80, .round_trip_s = kRoundTrip_s, .queued_s = 0.012, .seconds = 0.1});
  CHECK(late.in_slow_start());  // less than an eighth of a round trip
  TcpWindow later = grown(3);
  later.grow({.sent = 80, .round_trip_s = kRoundTrip_s, .queued_s = 0.013, .seconds = 0.1});
  CHECK(later.segments() == 88);
  CHECK_FALSE(later.in_slow_start());
}

TEST_CASE(
    "an idle window is halved for each timeout, down to the initial one, and slow start goes on to where it was") {
  // The timeout is 0.3 s.
  const auto rested = [](double idle_s, packets::TcpRules rules = {}) {
    TcpWindow window(rules);
    for (int i = 0; i < 3; ++i) window.grow(round(window.segments()));
    window.rest(idle_s, kRoundTrip_s);
    return window;
  };
  CHECK(rested(0.3).segments() == 80);
  CHECK(rested(0.4).segments() == 40);
  CHECK(rested(0.7).segments() == 20);
  CHECK(rested(100).segments() == 10);
  CHECK(rested(100, {.slow_start_after_idle = false}).segments() == 80);
  TcpWindow lost = grown(4);
  lost.lose();  // 112
  lost.rest(0.4, kRoundTrip_s);
  CHECK(lost.segments() == 56);
  CHECK(lost.in_slow_start());
  lost.grow(round(56));
  CHECK(lost.segments() == 112);
  CHECK_FALSE(lost.in_slow_start());
}

TEST_CASE("a window has its limit") {
  const packets::TcpRules bounded{.most_segments = 50};
  TcpWindow window(bounded);
  for (int i = 0; i < 5; ++i) window.grow(round(window.segments()));
  CHECK(window.segments() == 50);
}

}  // namespace
}  // namespace tcp_window_test
}  // namespace ddl::network
