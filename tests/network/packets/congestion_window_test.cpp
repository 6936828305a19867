// The congestion window, acknowledgement by acknowledgement, against rounds and curves computed by hand.
#include "sim/network/packets/congestion_window.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/network/packets/replay.hpp"

namespace ddl::network::packets {
namespace congestion_window_test {
namespace {

constexpr double timeout_s = 0.3;

// A sender that always has more to send than its window allows.
class Busy {
 public:
  double now_s = 0;

  explicit Busy(const TcpRules& rules = {}) { start(rules); }

  Verbs verbs() {
    return {{"new", [this](const Step& step) { start_new(step); }},
            {"rounds", [this](const Step& step) { take_rounds(step); }},
            {"acks", [this](const Step& step) { acknowledge_all(step); }},
            {"grow", [this](const Step& step) { window_.grow(now_s, step.list()[0]); }},
            {"lose", [this](const Step&) { lose(); }},
            {"start_over", [this](const Step&) { window_.start_over(now_s); }},
            {"set", [this](const Step& step) { window_.set(step.list()[0]); }},
            {"rest", [this](const Step& step) { window_.rest(now_s, step.number() * timeout_s, timeout_s); }},
            {"use", [this](const Step& step) { use(step.ranges()[0], step.has("full")); }},
            {"use_next",
             [this](const Step& step) {
               use({unused_, unused_ + step.list()[0] - 1}, false);
             }},
            {"window", [this](const Step& step) { CHECK(window_.segments() == step.list()[0]); }},
            {"threshold", [this](const Step& step) { CHECK(window_.threshold() == step.number()); }},
            {"slow_start", [this](const Step& step) { CHECK(window_.in_slow_start() == step.has("yes")); }},
            {"used", [this](const Step& step) { CHECK(window_.is_used() == step.has("yes")); }}};
  }

  const CongestionWindow& window() const { return window_; }
  // One window is acknowledged, all at once.
  void round(double seconds) {
    for (std::int64_t left = window_.segments(); left > 0; --left) acknowledge(seconds);
  }
  void acknowledge(double seconds) {
    ++first_;
    window_.observe_round_trip(now_s, seconds, first_, next_);
    window_.grow(now_s, 1);
    fill();
  }
  void lose() {
    window_.lower_threshold();
    window_.set_to_threshold(now_s);
  }

 private:
  void start_new(const Step& step) {
    TcpRules rules;
    rules.initial_segments = step.number_or("initial", rules.initial_segments);
    rules.most_segments = step.number_or("most", rules.most_segments);
    rules.slow_start_after_idle = step.number_or("slow_start_after_idle", 1) != 0;
    if (step.has("idle")) {
      window_ = CongestionWindow(rules);
    } else {
      start(rules);
    }
  }
  void start(const TcpRules& rules) {
    window_ = CongestionWindow(rules);
    fill();
  }
  void fill() {
    next_ = first_ + window_.segments();
    window_.note_use(now_s, first_, next_, true, false, timeout_s);
  }
  void take_rounds(const Step& step) {
    for (int i = 0; i < step.numbers()[0]; ++i) {
      round(step.numbers()[1]);
      if (!step.has("at_once")) now_s += step.numbers()[1];
    }
  }
  void acknowledge_all(const Step& step) {
    for (int i = 0; i < step.numbers()[0]; ++i) {
      acknowledge(step.numbers()[1]);
      now_s += step.number_or("every", 0);
    }
  }
  void use(std::pair<std::int64_t, std::int64_t> under_way, bool is_full) {
    unused_ = under_way.second + 1;
    window_.note_use(now_s, under_way.first, unused_, is_full, !is_full, timeout_s);
  }

  CongestionWindow window_{TcpRules{}};
  std::int64_t first_ = 0, next_ = 0, unused_ = 100000;
};

// After a loss from a window of `segments` segments.
Busy after_loss(double segments) {
  Busy busy({.initial_segments = segments});
  busy.lose();
  return busy;
}

TEST_CASE("a congestion window is what its replays say") { replay<Busy>("window"); }

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
    CHECK(static_cast<double>(busy.window().segments()) ==
          doctest::Approx(1000 + 0.4 * std::pow(ahead_s - k_s, 3)).epsilon(0.005));
    ++next_check_s;
  }
}

TEST_CASE("the second of two losses, soon after the first, leaves room for others") {
  // The window was 1000 and is 700; its old size then counts as (1 + 0.7) / 2 of it, 595.
  Busy busy = after_loss(1000);
  busy.lose();
  CHECK(busy.window().segments() == 490);
  const double k_s = std::cbrt((595 - 490) / 0.4);
  for (; busy.now_s < k_s; busy.now_s += 0.05) busy.round(0.05);
  CHECK(static_cast<double>(busy.window().segments()) == doctest::Approx(595).epsilon(0.01));
}

TEST_CASE("a small window grows as Reno's would, as gentle: 8/15 of a segment in each round") {
  // CUBIC's own is flat for the first seconds of 30 lost of 100 (K = 4.2 s): after 20 rounds of 10 ms it is 70 still.
  Busy busy = after_loss(100);
  for (int i = 0; i < 20; ++i, busy.now_s += 0.01) busy.round(0.01);
  const double cubic = 100 + 0.4 * std::pow(0.2 - std::cbrt(30 / 0.4), 3), reno = 70 + 20 * 8.0 / 15;
  CHECK(cubic < 75);
  CHECK(std::abs(static_cast<double>(busy.window().segments()) - reno) <= 2);
}

}  // namespace
}  // namespace congestion_window_test
}  // namespace ddl::network::packets
