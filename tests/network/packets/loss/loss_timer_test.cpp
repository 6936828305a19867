// The one timer of a sender, and the probe of a tail, each alone.
#include "sim/network/packets/loss/loss_timer.hpp"

#include <doctest/doctest.h>

#include "sim/network/packets/loss/tail_probe.hpp"

namespace ddl::network::packets {
namespace loss_timer_test {
namespace {

constexpr double handshake_s = 0.1, timeout_s = 0.1 + 0.2;

// `segments` segments, all sent at 1 s.
Scoreboard sent(int segments) {
  Scoreboard board;
  for (int i = 0; i < segments; ++i) board.send_next(1, segment_bytes);
  return board;
}

TEST_CASE("a timeout is counted from now on, but from the first segment's sending if a probe was waited for") {
  const RoundTrips trips(handshake_s);
  const Scoreboard board = sent(5);
  LossTimer timer;
  timer.plan_timeout(1.1, board, trips);
  CHECK(timer.at_s() == doctest::Approx(1.1 + timeout_s));
  timer.plan_probe(1.15, board, trips, true);
  CHECK(timer.is_for(LossTimer::Event::probe));
  CHECK(timer.at_s() == doctest::Approx(1.15 + 2 * handshake_s + 0.002));
  timer.plan_timeout(1.2, board, trips);
  CHECK(timer.at_s() == doctest::Approx(1 + timeout_s));
  timer.plan_reordering(1.21);
  CHECK(timer.at_s() == doctest::Approx(1.212));
  timer.plan_timeout(5, board, trips);  // long due: at once
  CHECK(timer.at_s() == doctest::Approx(5).epsilon(1e-5));
  CHECK(timer.at_s() > 5);
  timer.plan_timeout(5, Scoreboard{}, trips);
  CHECK(timer.at_s() == LossTimer::never);
}

TEST_CASE("a probe comes no later than a timeout would, and of a lone segment 200 ms later") {
  const RoundTrips trips(handshake_s);
  LossTimer timer;
  timer.plan_probe(1.2, sent(5), trips, false);
  CHECK(timer.at_s() == doctest::Approx(1 + timeout_s));
  const RoundTrips quick(0.01);
  timer.plan_probe(1.1, sent(1), quick, true);
  CHECK(timer.at_s() == doctest::Approx(1.1 + 0.21));  // the timeout's, sooner than 0.02 + 0.2
}

TEST_CASE("timeouts double until a round trip is measured") {
  const RoundTrips trips(handshake_s);
  LossTimer timer;
  timer.note_timeout();
  timer.note_timeout();
  timer.plan_timeout(2, sent(1), trips);
  CHECK(timer.at_s() == doctest::Approx(2 + 4 * timeout_s));
  timer.note_round_trip();
  timer.plan_timeout(2, sent(1), trips);
  CHECK(timer.at_s() == doctest::Approx(2 + timeout_s));
}

TEST_CASE("a probe that was sent before has made good a loss if later segments arrive without a duplicate") {
  for (const bool was_sent_before : {true, false}) {
    CAPTURE(was_sent_before);
    TailProbe probe;
    probe.send(10, was_sent_before);
    CHECK_FALSE(probe.has_made_good({.next = 9}, true));
    CHECK(probe.is_out());
    CHECK(probe.has_made_good({.next = 11}, true) == was_sent_before);
    CHECK_FALSE(probe.is_out());
    probe.send(10, was_sent_before);
    CHECK_FALSE(probe.has_made_good({.next = 11, .of_duplicate = true}, true));
    CHECK_FALSE(probe.is_out());
  }
}

}  // namespace
}  // namespace loss_timer_test
}  // namespace ddl::network::packets
