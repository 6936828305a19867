// What a message costs over a TCP connection, against rounds counted by hand.
#include "sim/network/tcp/message_time.hpp"

#include <doctest/doctest.h>

namespace ddl::network {
namespace message_time_test {
namespace {

// Segments of a kilobyte without headers, a millisecond each.
const TcpRules kRules{.segment_bytes = 1000, .frame_bytes = 1000};
constexpr double kRate = 1e6, kSegment_s = 1e-3, kRoundTrip_s = 0.1;
const TcpPath kPath{kRoundTrip_s, kRate};

double seconds(double segments, const TcpWindow& window = {}, const TcpPath& path = kPath) {
  return tcp_message_time(1000 * segments, path, 0, window, kRules).seconds;
}

TEST_CASE("what fits into the window takes its length and one way") {
  CHECK(seconds(1) == doctest::Approx(kSegment_s + kRoundTrip_s / 2));
  CHECK(seconds(10) == doctest::Approx(10 * kSegment_s + kRoundTrip_s / 2));
  CHECK(seconds(100, {.segments = 100}) == doctest::Approx(100 * kSegment_s + kRoundTrip_s / 2));
}

TEST_CASE("each further flight begins when the first acknowledgement is back") {
  const double round_s = kSegment_s + kRoundTrip_s;
  // 10, then at most 20, then at most 40.
  CHECK(seconds(11) == doctest::Approx(round_s + kSegment_s + kRoundTrip_s / 2));
  CHECK(seconds(30) == doctest::Approx(round_s + 20 * kSegment_s + kRoundTrip_s / 2));
  CHECK(seconds(31) == doctest::Approx(2 * round_s + kSegment_s + kRoundTrip_s / 2));
  CHECK(seconds(70) == doctest::Approx(2 * round_s + 40 * kSegment_s + kRoundTrip_s / 2));
  // Flights of 10, 20, 40, 80; the next, of 160, lasts beyond its round trip, so nothing waits from then on.
  CHECK(seconds(1000) == doctest::Approx(4 * round_s + (1000 - 150) * kSegment_s + kRoundTrip_s / 2));
}

TEST_CASE("where the window covers the path, a message takes its length over the rate") {
  const TcpPath near{5 * kSegment_s, kRate};
  CHECK(seconds(500, {}, near) == doctest::Approx(500 * kSegment_s + near.round_trip_s / 2));
}

TEST_CASE("a window grows by what is acknowledged, and then by one segment per round trip") {
  const auto after = [](double segments, const TcpWindow& window) {
    return tcp_message_time(1000 * segments, kPath, 0, window, kRules).after;
  };
  CHECK(after(10, {}).segments == 20);
  CHECK(after(30, {}).segments == 40);
  CHECK(after(4, {}).segments == 10);  // less than half was needed
  CHECK(after(6, {}).segments == 16);
  CHECK(after(30, {10, 16}).segments == 17);  // 10, 16 and, of four segments, no growth: see the next line
  CHECK(after(26, {10, 16}).segments == 17);
  CHECK(after(16, {16, 16}).segments == 17);
  CHECK(after(15, {16, 16}).segments == 16);
  CHECK(after(33, {16, 16}).segments == 18);
}

TEST_CASE("a window has its limit") {
  TcpRules limited = kRules;
  limited.most_segments = 20;
  const TcpMessageTime time = tcp_message_time(70e3, kPath, 0, {}, limited);
  CHECK(time.after.segments == 20);
  // 10, 20, 20 and 20.
  CHECK(time.seconds == doctest::Approx(3 * (kSegment_s + kRoundTrip_s) + 20 * kSegment_s + kRoundTrip_s / 2));
}

TEST_CASE("an idle window is halved for each timeout, down to the initial one") {
  // The timeout is 0.3 s.
  const TcpWindow wide{80, 64};
  CHECK(window_after_idle(wide, 0.3, kPath, kRules).segments == 80);
  CHECK(window_after_idle(wide, 0.4, kPath, kRules).segments == 40);
  CHECK(window_after_idle(wide, 0.7, kPath, kRules).segments == 20);
  CHECK(window_after_idle(wide, 100, kPath, kRules).segments == 10);
  CHECK(window_after_idle({4, 64}, 100, kPath, kRules).segments == 4);
  CHECK(window_after_idle(wide, 0.4, kPath, kRules).slow_start_until == 64);
  CHECK(window_after_idle({80, 20}, 0.4, kPath, kRules).slow_start_until == 60);
  TcpRules kept = kRules;
  kept.slow_start_after_idle = false;
  CHECK(window_after_idle(wide, 100, kPath, kept).segments == 80);
}

TEST_CASE("more bytes, longer ways and slower links never take less time") {
  for (double segments = 1; segments < 300; segments += 7) {
    CHECK(seconds(segments + 7) > seconds(segments));
    CHECK(seconds(segments, {}, {2 * kRoundTrip_s, kRate}) > seconds(segments));
    CHECK(seconds(segments, {}, {kRoundTrip_s, kRate / 2}) > seconds(segments));
    CHECK(seconds(segments, {.segments = 20}) <= seconds(segments));
  }
}

}  // namespace
}  // namespace message_time_test
}  // namespace ddl::network
