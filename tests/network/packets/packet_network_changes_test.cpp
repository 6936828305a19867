// Lines that change, connections that are closed and opened again, and a network that processes events in more or fewer
// calls.
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/network/packets/driven.hpp"

namespace ddl::network::packets {
namespace packet_network_changes_test {
namespace {

constexpr double rate = 1e6;
constexpr double very_quick = 1e12;

doctest::Approx about(double seconds) { return doctest::Approx(seconds).epsilon(1e-6); }

TEST_CASE("a message ends soon after its link is back, however long it had almost no rate") {
  const double latency_s = 0.01, bytes = 1e6;
  const Line::Settings line{.bytes_per_s = rate, .latency_s = latency_s, .queue_bytes = 0.05 * rate};
  const double alone = alone_s(line, bytes);
  for (const double down_s : {0.1, 1.0, 5.0, 60.0}) {
    CAPTURE(down_s);
    DrivenPair driven(line);
    driven.begin({{0, bytes}});
    driven.drive(0.5);
    driven.network.set_factors(0.5, driven.there, 1e-9, 1);
    driven.drive(0.5 + down_s);
    CHECK(driven.ends.empty());
    CHECK((driven.network.counts().timeouts > 0) == (down_s > 0.4));
    driven.network.set_factors(driven.now_s, driven.there, 1, 1);
    driven.drive();
    REQUIRE(driven.ends.size() == 1);
    CHECK(driven.last_end_s[0] >= alone + down_s - 0.1);
    // The waiting segments leave at once, and their acknowledgements undo the timeouts' effects.
    CHECK(driven.last_end_s[0] <= alone + down_s + 0.05);
    CHECK(driven.network.counts().spurious_timeouts == (down_s > 0.4 ? 1 : 0));
  }
}

TEST_CASE("a link that is down on the way back delays a message by that, since the timeouts were spurious") {
  const Line::Settings line{.bytes_per_s = rate, .latency_s = 0.01, .queue_bytes = 0.05 * rate};
  DrivenPair driven(line);
  driven.begin({{0, 1e6}});
  driven.drive(0.5);
  driven.network.set_factors(0.5, driven.back, 0, 1);
  driven.drive(10.5);
  CHECK(driven.ends.empty());
  driven.network.set_factors(10.5, driven.back, 1, 1);
  driven.drive();
  REQUIRE(driven.ends.size() == 1);
  CHECK(driven.network.counts().spurious_timeouts == 1);
  CHECK(driven.last_end_s[0] <= 10 + alone_s(line, 1e6) + 0.05);
}

TEST_CASE("a message takes the rate and the latency that its line has") {
  // Ten segments: the line has half of its rate after five have left, and later twice its latency.
  const double latency_s = 0.1;
  const Line::Settings line{.bytes_per_s = rate, .latency_s = latency_s, .queue_bytes = all_bytes};
  DrivenPair driven(line);
  driven.begin({{0, 10 * segment_bytes}});
  const double half_s = frames_s(5, rate);
  driven.drive(half_s);
  driven.network.set_factors(half_s, driven.there, 0.5, 2);
  driven.drive();
  CHECK(driven.last_end_s[0] == about(half_s + frames_s(5, rate / 2) + 2 * latency_s));
}

TEST_CASE("a connection that is opened again knows nothing of its life before") {
  // All segments of the first life are in flight when it is closed: the line is free, and the second message as quick
  // as a lone one.
  const Line::Settings line{.bytes_per_s = very_quick, .latency_s = 0.05, .queue_bytes = all_bytes};
  Driven driven(1);
  const int there = driven.network.add_line(line), back = driven.network.add_line(line);
  const double bytes = 100 * segment_bytes;
  for (const double closed_s : {0.01, 0.06, 0.11, 0.16, 0.21}) {
    CAPTURE(closed_s);
    driven.network.open(0, {there}, {back});
    driven.begin({{0, 10000 * segment_bytes}});
    driven.drive(driven.now_s + closed_s);
    CHECK(driven.network.missing_bytes(0) > 0);
    driven.network.close(0);
    CHECK_FALSE(driven.network.is_open(0));
    driven.network.open(0, {there}, {back});
    const double began_s = driven.now_s;
    CHECK(driven.network.missing_bytes(0) == 0);
    driven.begin({{0, bytes}});
    CHECK(driven.network.missing_bytes(0) == bytes);
    driven.ends.clear();
    driven.drive();
    REQUIRE(driven.ends.size() == 1);
    CHECK(driven.ends[0].second - began_s == about(alone_s(line, bytes)));
    driven.network.close(0);
  }
}

TEST_CASE("a closed connection's packets in queues still take their time there, and count as sent") {
  const Line::Settings line{.bytes_per_s = rate, .queue_bytes = all_bytes};
  DrivenPair driven(line, 2);
  driven.begin({{0, 10 * segment_bytes}});
  driven.network.close(0);
  driven.begin({{1, segment_bytes}});
  driven.drive();
  CHECK(driven.ends == std::vector<std::pair<int, double>>{{1, driven.now_s}});
  CHECK(driven.now_s == about(frames_s(11, rate)));
  CHECK(driven.network.counts().sent == 11);
}

// Five nodes around a switch, messages of all lengths between random pairs, small queues, links that change, and
// connections that are closed. Looked at each `step_s`, or with 0 only when a message may end.
std::vector<std::pair<int, double>> random_ends(std::uint64_t seed, double step_s) {
  constexpr int nodes = 5;
  Stream random = stream(seed, "test", "ends");
  Driven driven(nodes * nodes);
  const double queue = (4 + static_cast<double>(random.below(30))) * frame_of_segment_bytes;
  std::vector<int> up, down;
  for (int node = 0; node < nodes; ++node) {
    const double bytes_per_s = rate * (1 + random.uniform()), latency_s = seed % 3 == 0 ? 0 : 0.01 * random.uniform();
    for (auto* lines : {&up, &down}) {
      lines->push_back(
          driven.network.add_line({.bytes_per_s = bytes_per_s,
                                   .latency_s = latency_s,
                                   .jitter_s = seed % 2 == 0 ? 0 : frame_of_segment_bytes / bytes_per_s / 2,
                                   .queue_bytes = queue},
                                  stream(seed, "line", std::to_string(up.size() + down.size()))));
    }
  }
  const auto drive = [&](double until_s) {
    if (step_s > 0) {
      driven.drive_in_steps(step_s, until_s);
    } else {
      driven.drive(until_s);
    }
  };
  const auto is_busy = [&](int connection) {
    return driven.network.is_open(connection) && driven.network.missing_bytes(connection) > 0;
  };
  for (int turn = 0; turn < 40; ++turn) {
    std::vector<PacketNetwork::Message> messages;
    std::set<int> begun;
    for (std::uint64_t i = random.below(4); i > 0; --i) {
      const int source = static_cast<int>(random.below(nodes)), target = static_cast<int>(random.below(nodes));
      const double bytes = 1 + std::floor(std::exp(13 * random.uniform()));
      const int connection = source * nodes + target;
      if (source == target || is_busy(connection) || !begun.insert(connection).second) continue;
      if (!driven.network.is_open(connection)) {
        const auto at = [](const std::vector<int>& lines, int node) { return lines[static_cast<std::size_t>(node)]; };
        driven.network.open(connection, {at(up, source), at(down, target)}, {at(up, target), at(down, source)});
      }
      messages.push_back({connection, bytes});
    }
    driven.begin(messages);
    drive(driven.now_s + 0.2 * random.uniform());
    if (random.below(5) == 0) {
      driven.network.set_factors(driven.now_s, up[random.below(nodes)], 0.1 + random.uniform(), 0.5 + random.uniform());
    }
    if (random.below(5) == 0) {
      const int closed = static_cast<int>(random.below(nodes * nodes));
      if (driven.network.is_open(closed)) driven.network.close(closed);
    }
  }
  drive(driven.now_s + 100);
  return driven.ends;
}

TEST_CASE("messages end when they do, to the bit, however often the network is looked at, and none before it may") {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    CAPTURE(seed);
    const auto ends = random_ends(seed, 0);
    CHECK(ends.size() > 20);
    CHECK(random_ends(seed, 0) == ends);
    for (const double step_s : {1e-4, 1.7e-3, 0.05}) CHECK(random_ends(seed, step_s) == ends);
  }
}

TEST_CASE("a network knows far ahead that a long message does not end soon") {
  const Line::Settings line{.bytes_per_s = rate, .latency_s = 0.01, .queue_bytes = 0.05 * rate};
  DrivenPair driven(line);
  driven.begin({{0, 1e7}});
  const double all_s = frames_s(1e7 / segment_bytes, rate);
  CHECK(driven.network.next_end_s() == about(all_s).epsilon(0.001));
  CHECK(driven.network.next_end_s() <= all_s + line.latency_s);
  driven.network.set_factors(0, driven.there, 0.5, 1);
  CHECK(driven.network.next_end_s() == about(2 * all_s).epsilon(0.001));
}

// A ring in which each node sends to the opposite one: others' packets leave each line in between, and some are lost.
TEST_CASE("a network is looked at a few times for each message, not for each packet") {
  constexpr int nodes = 16, turns = 3;
  Driven driven(nodes);
  std::vector<int> right, left;
  for (int node = 0; node < nodes; ++node) {
    for (auto* lines : {&right, &left}) {
      lines->push_back(driven.network.add_line({.bytes_per_s = rate, .latency_s = 0.005, .queue_bytes = 0.02 * rate}));
    }
  }
  std::vector<PacketNetwork::Message> messages;
  for (int node = 0; node < nodes; ++node) {
    std::vector<int> there, back;
    for (int hop = 0; hop < nodes / 2; ++hop) {
      const auto line = static_cast<std::size_t>((node + hop) % nodes);
      there.push_back(right[line]);
      back.insert(back.begin(), left[line]);
    }
    driven.network.open(node, there, back);
    messages.push_back({node, 500 * segment_bytes});
  }
  for (int turn = 0; turn < turns; ++turn) {
    driven.begin(messages);
    driven.drive();
  }
  CHECK(driven.network.dropped() > 100);
  const std::int64_t packets = driven.network.counts().sent * nodes / 2;
  MESSAGE(driven.looks << " looks, " << packets << " packets on lines");
  CHECK(driven.looks < packets / 100);
}

}  // namespace
}  // namespace packet_network_changes_test
}  // namespace ddl::network::packets
