// The window of the model TCP, against rounds counted by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>

#include "sim/network/tcp/window.hpp"
#include "tests/network/packets/replay.hpp"

namespace ddl::network {
namespace tcp_window_test {
namespace {

constexpr double round_trip_s = 0.1;

// A window after rounds over a link so fast that its segments come at once, unless a step says otherwise.
class Rounds {
 public:
  double now_s = 0;

  Rounds() { start(); }

  Verbs verbs() {
    return {{"new", [this](const Step& step) { start_new(step); }},
            {"round", [this](const Step& step) { grow(step.number(), step); }},
            {"rounds",
             [this](const Step& step) {
               for (int i = 0; i < step.number(); ++i) grow(window_->segments(), step);
             }},
            {"rounds_until", [this](const Step& step) { grow_until(step); }},
            {"lose", [this](const Step&) { window_->lose(); }},
            {"losses",
             [this](const Step& step) {
               for (int i = 0; i < step.number(); ++i) window_->lose();
             }},
            {"rest", [this](const Step& step) { window_->rest(step.number(), round_trip_s); }},
            {"window", [this](const Step& step) { CHECK(window_->segments() == step.number()); }},
            {"slow_start", [this](const Step& step) { CHECK(window_->in_slow_start() == step.has("yes")); }},
            {"took", [this](const Step& step) { CHECK(std::abs(now_s - step.number()) < step.number("within")); }}};
  }

 private:
  void start_new(const Step& step) {
    rules_.initial_segments = step.number_or("initial", rules_.initial_segments);
    rules_.most_segments = step.number_or("most", rules_.most_segments);
    rules_.slow_start_after_idle = step.number_or("slow_start_after_idle", 1) != 0;
    start();
  }
  void start() { window_ = std::make_unique<TcpWindow>(rules_); }
  void grow(double sent, const Step& step) {
    window_->grow({.sent = sent,
                   .used = sent,
                   .round_trip_s = round_trip_s,
                   .spread_s = step.number_or("spread", 0),
                   .queued_s = step.number_or("queued", 0),
                   .seconds = round_trip_s});
    now_s += round_trip_s;
  }
  void grow_until(const Step& step) {
    while (window_->segments() < step.number() && now_s < 10) grow(window_->segments(), step);
  }

  packets::TcpRules rules_;
  std::unique_ptr<TcpWindow> window_;
};

TEST_CASE("the window of a connection is what its replays say") { replay<Rounds>("rounds"); }

}  // namespace
}  // namespace tcp_window_test
}  // namespace ddl::network
