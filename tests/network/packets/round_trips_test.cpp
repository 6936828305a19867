// The retransmission timeout, against RFC 6298 by hand.
#include "sim/network/packets/round_trips.hpp"

#include <doctest/doctest.h>

#include "tests/network/packets/replay.hpp"

namespace ddl::network::packets {
namespace round_trips_test {
namespace {

class Measured {
 public:
  double now_s = 0;

  Verbs verbs() {
    return {{"handshake", [this](const Step& step) { trips_ = RoundTrips(step.number()); }},
            {"rounds", [this](const Step& step) { add_rounds(step); }},
            {"same_round", [this](const Step& step) { trips_.add(step.number(), step.number(), round_, round_); }},
            {"smoothed", [this](const Step& step) { CHECK(trips_.smoothed_s() == about(step.number())); }},
            {"timeout", [this](const Step& step) { CHECK(trips_.timeout_s() == about(step.number())); }},
            {"least", [this](const Step& step) { CHECK(trips_.least_s() == step.number()); }}};
  }

 private:
  static doctest::Approx about(double seconds) { return doctest::Approx(seconds).epsilon(1e-6); }
  // One sample in each round.
  void add_rounds(const Step& step) {
    const double seconds = step.numbers()[1];
    for (int i = 0; i < step.numbers()[0]; ++i) {
      ++round_;
      trips_.add(seconds, step.number_or("newest", seconds), round_, round_);
    }
  }

  RoundTrips trips_{0};
  std::int64_t round_ = 0;
};

TEST_CASE("round trips and timeouts are what their replays say") { replay<Measured>("round_trips"); }

}  // namespace
}  // namespace round_trips_test
}  // namespace ddl::network::packets
