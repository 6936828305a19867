// Connections over lines, against closed forms and conservation laws.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/network/packets/driven.hpp"

namespace ddl::network::packets {
namespace packet_network_test {
namespace {

constexpr double rate = 5e6;  // bytes of frames per second
constexpr double very_quick = 1e12;

doctest::Approx about(double seconds) { return doctest::Approx(seconds).epsilon(1e-6); }

TEST_CASE("over a link without latency a message takes its frames over the rate") {
  const Line::Settings line{.bytes_per_s = rate, .queue_bytes = all_bytes};
  // Some of many segments are short: the receiver's window cuts them off.
  const double many = 3000, many_s = alone_s(line, many * segment_bytes);
  CHECK(many_s >= frames_s(many, rate));
  CHECK(many_s <= 1.002 * frames_s(many, rate));
  for (const double segments : {1.0, 2.0, 9.0, 10.0, 40.0}) {
    CAPTURE(segments);
    CHECK(alone_s(line, segments * segment_bytes) == about(frames_s(segments, rate)));
    // A part of a segment has headers as a whole one has.
    CHECK(alone_s(line, segments * segment_bytes + 100) == about(frames_s(segments, rate) + (100 + 66) / rate));
  }
}

TEST_CASE("a packet leaves a link when all of it is there, and crosses each link of its way so") {
  Driven driven(1);
  std::vector<int> there, back;
  double latency_s = 0, last_s = 0;
  for (const double bytes_per_s : {4e6, 2e6, 8e6}) {
    there.push_back(driven.network.add_line({.bytes_per_s = bytes_per_s, .latency_s = 0.01, .queue_bytes = all_bytes}));
    back.insert(back.begin(), driven.network.add_line(driven.network.line(there.back()).settings()));
    latency_s += 0.01;
    last_s += frames_s(1, bytes_per_s);
  }
  driven.network.open(0, there, back);
  driven.begin({{0, 10 * segment_bytes}});
  driven.drive();
  // The first crosses all; the others follow at the slowest link's rate.
  CHECK(driven.last_end_s[0] == about(latency_s + last_s + frames_s(9, 2e6)));
}

TEST_CASE("each further window waits for an acknowledgement of the one before") {
  // Acknowledgements of single segments, as the first 16 have, and of two: by the 30th segment all are on their way.
  const double latency_s = 0.05, trip_s = 2 * latency_s + frames_s(1, rate) + overhead_bytes / rate;
  const Line::Settings line{.bytes_per_s = rate, .latency_s = latency_s, .queue_bytes = all_bytes};
  CHECK(alone_s(line, 10 * segment_bytes) == about(latency_s + frames_s(10, rate)));
  CHECK(alone_s(line, 11 * segment_bytes) == about(trip_s + latency_s + frames_s(1, rate)));
  CHECK(alone_s(line, 30 * segment_bytes) == about(trip_s + latency_s + frames_s(20, rate)));
}

TEST_CASE("a bulk transfer has 95 % of the rate at least, once its queue holds a round trip") {
  for (const double latency_s : {0.001, 0.01, 0.05}) {
    for (const double bytes_per_s : {1e6, 1e7}) {
      CAPTURE(latency_s);
      CAPTURE(bytes_per_s);
      const double queue = std::max(20 * frame_of_segment_bytes, 2 * latency_s * bytes_per_s);
      const double bytes = 60 * bytes_per_s;
      const double took_s = alone_s({.bytes_per_s = bytes_per_s, .latency_s = latency_s, .queue_bytes = queue}, bytes);
      const double least_s = latency_s + frames_s(bytes / segment_bytes, bytes_per_s);
      CHECK(took_s >= least_s * (1 - 1e-9));
      CHECK(took_s <= least_s / 0.95);
    }
  }
}

TEST_CASE("a window at its limit carries that much in a round trip") {
  const Line::Settings line{.bytes_per_s = very_quick, .latency_s = 0.05, .queue_bytes = all_bytes};
  // 10 and then 20 in each.
  for (const int windows : {1, 2, 50}) {
    CHECK(alone_s(line, (10 + 20 * windows) * segment_bytes, {.most_segments = 20}) == about(0.05 + 0.1 * windows));
  }
}

TEST_CASE("a lost tail is made good by a probe, two round trips after the last acknowledgement, and one more") {
  // Room for eight of ten; the line is so quick that times are those of latencies alone.
  const double latency_s = 0.05, trip_s = 2 * latency_s;
  const auto with_room_for = [&](int segments) {
    return Line::Settings{.bytes_per_s = very_quick, .latency_s = latency_s, .queue_bytes = segments * 1514.0};
  };
  // Eight are acknowledged after a round trip; the probe sends the last again, its acknowledgement reports the one
  // before as lost, too, and resending that takes one way more.
  CHECK(alone_s(with_room_for(8), 10 * segment_bytes) == about(trip_s + (2 * trip_s + 0.002) + trip_s + latency_s));
  // A lone segment is granted 200 ms for its acknowledgement's delay: as long as a timeout.
  CHECK(alone_s(with_room_for(9), 10 * segment_bytes) == about(trip_s + (trip_s + 0.2) + latency_s));
}

TEST_CASE("a loss in the midst is made good in a round trip") {
  // 10 and 20 leave in rounds; the queue has room for 15 of the second round, and the last of these is among the
  // acknowledged.
  const double latency_s = 0.05, trip_s = 2 * latency_s;
  const Line::Settings line{.bytes_per_s = very_quick, .latency_s = latency_s, .queue_bytes = 15 * 1514.0};
  DrivenPair driven(line);
  driven.begin({{0, 70 * segment_bytes}});
  driven.drive();
  CHECK(driven.network.counts().timeouts == 0);
  CHECK(driven.network.counts().sent_again >= driven.network.dropped());
  CHECK(driven.last_end_s[0] < 7 * trip_s);
}

// With any drops: all messages end, and all bytes put on a way's first line have come out of its last one or been
// dropped.
TEST_CASE("all bytes arrive through tiny queues from many senders, and no packet comes from nowhere or goes there") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    Stream random = stream(seed, "test", "tiny queues");
    const int senders = 2 + static_cast<int>(random.below(20));
    const double queue = (1 + static_cast<double>(random.below(12))) * frame_of_segment_bytes;
    const double latency_s = random.below(2) == 0 ? 0 : 0.02 * random.uniform();
    Driven driven(static_cast<std::size_t>(senders));
    const int into = driven.network.add_line({.bytes_per_s = 1e6, .latency_s = latency_s, .queue_bytes = queue});
    const int from = driven.network.add_line({.bytes_per_s = 1e5, .latency_s = latency_s, .queue_bytes = queue});
    double segments = 0;
    for (int i = 0; i < senders; ++i) {
      const int up = driven.network.add_line({.bytes_per_s = 1e6, .queue_bytes = queue});
      const int down = driven.network.add_line({.bytes_per_s = 1e6, .queue_bytes = queue});
      driven.network.open(i, {up, into}, {from, down});
    }
    std::size_t ends = 0;
    for (int turn = 0; turn < 3; ++turn) {
      std::vector<PacketNetwork::Message> messages;
      for (int i = 0; i < senders; ++i) {
        messages.push_back({i, 1 + std::floor(random.uniform() * 2e5)});
        segments += std::ceil(messages.back().bytes / segment_bytes);
      }
      driven.begin(messages);
      driven.drive();
      REQUIRE(driven.ends.size() == (ends += static_cast<std::size_t>(senders)));
      for (int i = 0; i < senders; ++i) CHECK(driven.network.missing_bytes(i) == 0);
    }
    driven.drive(driven.now_s + 1000);  // until the last acknowledgements and repeated segments are there
    CHECK(driven.network.next_end_s() == PacketNetwork::never);
    const Line::Counts last = driven.network.line(into).counts(), acknowledging = driven.network.line(from).counts();
    std::int64_t sent = 0, dropped = 0, told = 0;
    for (int i = 0; i < senders; ++i) {
      const Line::Counts up = driven.network.line(2 + 2 * i).counts(), down = driven.network.line(3 + 2 * i).counts();
      sent += up.taken;
      dropped += up.dropped;
      told += down.taken;
    }
    CHECK(sent == driven.network.counts().sent);
    CHECK(last.taken == sent - dropped);
    CHECK(told == acknowledging.taken - acknowledging.dropped);
    const std::int64_t arrived = last.taken - last.dropped;
    CHECK(static_cast<double>(arrived) >= segments);
    CHECK(static_cast<double>(sent - driven.network.counts().sent_again) == segments);
    CHECK(acknowledging.taken <= arrived + driven.network.counts().sent);
  }
}

TEST_CASE("connections that share a link have all of it together, and none is left behind for long") {
  for (const int senders : {2, 5, 20}) {
    CAPTURE(senders);
    const double latency_s = 0.005, bytes = 4e6;
    Driven driven(static_cast<std::size_t>(senders));
    const int into = driven.network.add_line({.bytes_per_s = rate, .latency_s = latency_s, .queue_bytes = 0.05 * rate});
    const int from = driven.network.add_line({.bytes_per_s = rate, .latency_s = latency_s, .queue_bytes = 0.05 * rate});
    std::vector<PacketNetwork::Message> messages;
    for (int i = 0; i < senders; ++i) {
      driven.network.open(i, {into}, {from});
      messages.push_back({i, bytes});
    }
    driven.begin(messages);
    driven.drive();
    const double all_s = latency_s + frames_s(senders * std::ceil(bytes / segment_bytes), rate);
    CHECK(driven.ends.back().second >= all_s * (1 - 1e-3));
    // Retransmissions take room, too.
    const auto again = static_cast<double>(driven.network.counts().sent_again);
    CHECK(driven.ends.back().second <= 1.05 * (all_s + frames_s(again, rate)));
    CHECK(driven.ends.front().second >= all_s / 3);
  }
}

TEST_CASE("messages in two directions at once are hardly slower than each alone") {
  const Line::Settings line{.bytes_per_s = rate, .latency_s = 0.005, .queue_bytes = 0.05 * rate};
  const double bytes = 2e7;
  Driven driven(2);
  const int there = driven.network.add_line(line), back = driven.network.add_line(line);
  driven.network.open(0, {there}, {back});
  driven.network.open(1, {back}, {there});
  driven.begin({{0, bytes}, {1, bytes}});
  driven.drive();
  // Acknowledgements take 66 bytes of the other direction for two of 1514.
  const double both_s = alone_s(line, bytes) * (1 + 66.0 / (2 * 1514));
  for (const int connection : {0, 1}) {
    CHECK(driven.last_end_s[connection] >= frames_s(bytes / segment_bytes, rate));
    CHECK(driven.last_end_s[connection] <= 1.1 * both_s);
  }
}

TEST_CASE("with jitter a sender whose own link is as quick as the shared one does not crowd out others") {
  // The first fills its own queue and then arrives at the shared one exactly at the rate at which that drains.
  const double latency_s = 0.015;
  const Line::Settings link{.bytes_per_s = rate,
                            .latency_s = latency_s,
                            .jitter_s = frame_of_segment_bytes / rate / 2,
                            .queue_bytes = 0.05 * rate};
  constexpr int senders = 3;
  Driven driven(senders);
  auto line = [&, number = 0]() mutable {
    return driven.network.add_line(link, stream(1, "line", std::to_string(++number)));
  };
  const int shared = line(), back = line();
  for (int sender = 0; sender < senders; ++sender) driven.network.open(sender, {line(), shared}, {back, line()});
  const double bytes = 60 * rate, late_s = 1;
  driven.begin({{0, bytes}});
  driven.drive(late_s);
  driven.begin({{1, bytes}, {2, bytes}});
  driven.drive(late_s + 60);
  for (int sender = 0; sender < senders; ++sender) {
    const double share = (bytes - driven.network.missing_bytes(sender)) / (61 * rate);
    CHECK(share > 0.15);
    CHECK(share < 0.5);
  }
}

TEST_CASE("either of two messages that a host begins together may end first, the last when all frames have left") {
  // The queue holds all. A first window is of ten segments, five bursts.
  constexpr double latency_s = 0.01, all_is_acknowledged_s = 0.1;
  constexpr int trials = 50;
  const Line::Settings line{.bytes_per_s = rate, .latency_s = latency_s, .queue_bytes = all_bytes};
  DrivenPair driven(line, 2);
  std::array<int, 2> ends_last{};
  int in_turns = 0, one_after_the_other = 0;
  for (int trial = 0; trial < trials; ++trial) {
    driven.now_s += all_is_acknowledged_s;
    const double out_s = driven.now_s + latency_s;
    driven.begin_at_one_host({{0, 10 * segment_bytes}, {1, 10 * segment_bytes}});
    driven.drive();
    const int last = driven.last_end_s[0] > driven.last_end_s[1] ? 0 : 1;
    ++ends_last[static_cast<std::size_t>(last)];
    CHECK(driven.last_end_s[last] - out_s == about(frames_s(20, rate)));
    const double first_s = driven.last_end_s[1 - last] - out_s;
    ++(first_s == about(frames_s(10, rate)) ? one_after_the_other : in_turns);
    CHECK(first_s >= 0.999 * frames_s(10, rate));
  }
  // Half of the trials, by four standard errors.
  CHECK(std::ranges::min(ends_last) > trials / 2 - 4 * std::sqrt(trials) / 2);
  CHECK(in_turns > 0);
  CHECK(one_after_the_other > 0);
}

}  // namespace
}  // namespace packet_network_test
}  // namespace ddl::network::packets
