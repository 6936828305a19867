// The sending end alone: what it sends when, told of arrivals by hand.
#include "sim/network/packets/sender.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace ddl::network::packets {
namespace sender_test {
namespace {

constexpr double handshake_s = 0.1;
constexpr std::int64_t much_room = 1000000;

// A sender, and what it has sent since it was last asked.
class Alone {
 public:
  explicit Alone(const TcpRules& rules = {}, std::int64_t room = much_room)
      : room_bytes_(static_cast<double>(room) * segment_bytes),
        sender(rules, handshake_s, room_bytes_, [this](const Segment& segment) {
          sent_.push_back(segment.number);
          return true;
        }) {}

  void write(double now_s, double segments) {
    sender.write(now_s, segments * segment_bytes);
    sender.send(now_s);
  }
  void acknowledge(double now_s, std::int64_t next) {
    sender.take(now_s, {.next = next, .room_ends_bytes = room_bytes_});
  }
  void acknowledge(double now_s, std::int64_t next, std::int64_t from, std::int64_t to) {
    sender.take(now_s, {.next = next, .blocks = {{{from, to}}}, .room_ends_bytes = room_bytes_});
  }
  void acknowledge_echo(double now_s, std::int64_t next, double echo_s) {
    sender.take(now_s, {.next = next, .room_ends_bytes = room_bytes_, .echo_s = echo_s});
  }
  void acknowledge_duplicate(double now_s, std::int64_t next) {
    sender.take(now_s, {.next = next, .of_duplicate = true, .room_ends_bytes = room_bytes_});
  }
  std::vector<std::int64_t> sent() { return std::exchange(sent_, {}); }
  // Each segment that it sends is acknowledged alone, a handshake later.
  void bring_all(double now_s) {
    std::int64_t first = 0;
    while (!sent_.empty()) {
      now_s += handshake_s;
      for (const std::int64_t segment : sent()) acknowledge(now_s, first = std::max(first, segment + 1));
    }
  }

 private:
  double room_bytes_;
  std::vector<std::int64_t> sent_;

 public:
  Sender sender;
};

std::vector<std::int64_t> from_to(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> list;
  for (std::int64_t i = from; i < to; ++i) list.push_back(i);
  return list;
}

TEST_CASE("a sender sends its window, and two for each that is acknowledged") {
  Alone alone;
  alone.write(0, 1000);
  CHECK(alone.sent() == from_to(0, 10));
  alone.acknowledge(0.1, 1);
  CHECK(alone.sent() == from_to(10, 12));
  alone.acknowledge(0.1, 3);
  CHECK(alone.sent() == from_to(12, 16));
}

TEST_CASE("a sender sends no more than there is room for, as an acknowledgement told last") {
  Alone alone({}, 4);
  alone.write(0, 1000);
  CHECK(alone.sent() == from_to(0, 4));
  alone.sender.take(0.1, {.next = 4, .room_ends_bytes = 9 * segment_bytes});
  CHECK(alone.sent() == from_to(4, 9));
  alone.sender.take(0.1, {.next = 9, .room_ends_bytes = 9 * segment_bytes});
  CHECK(alone.sent().empty());
}

TEST_CASE("the receiver's window cuts off a part of a burst's last segment, not of its first") {
  for (const double room : {1.25, 3.5, 5.75}) {  // bursts of two, and of what is left
    CAPTURE(room);
    std::vector<double> sent;
    Sender sender({}, handshake_s, room * segment_bytes, [&](const Segment& segment) {
      sent.push_back(segment.bytes / segment_bytes);
      return true;
    });
    sender.write(0, 20 * segment_bytes);
    sender.send(0);
    double sum = 0;
    for (const double part : sent) sum += part;
    CHECK(sum == room);
    CHECK(sent.back() == room - std::floor(room));
    sent.clear();
    // Room for less than one more is not used, that for one and a part is.
    sender.take(0.1, {.next = 1, .room_ends_bytes = (room + 0.75) * segment_bytes});
    CHECK(sent.empty());
    sender.take(0.11, {.next = 1, .room_ends_bytes = (room + 1.5) * segment_bytes});
    CHECK(sent == std::vector<double>{1, 0.5});
  }
}

TEST_CASE("a lone segment waits for a second one where an acknowledgement is expected within a millisecond") {
  struct Case {
    double now_s;
    bool waits;
  };
  // The next acknowledgement is expected a round trip of 100 ms after the first eight were sent.
  for (const auto& [now_s, waits] : {Case{0.1, true}, {0.05, false}}) {
    CAPTURE(now_s);
    Alone alone({}, 8);
    const auto take = [&](double at_s, std::int64_t next, double room) {
      alone.sender.take(at_s, {.next = next, .room_ends_bytes = room * segment_bytes});
      return alone.sent();
    };
    alone.write(0, 100);
    CHECK(alone.sent() == from_to(0, 8));
    CHECK(take(now_s, 1, 10) == from_to(8, 10));
    CHECK(take(now_s + 0.0005, 2, 11) == (waits ? std::vector<std::int64_t>{} : from_to(10, 11)));
    // No longer than a millisecond after it sent.
    if (waits) CHECK(take(now_s + 0.002, 3, 11) == from_to(10, 11));
  }
}

TEST_CASE("short messages leave the window as it is, long ones do not") {
  for (const double segments : {2.0, 5.0, 6.0, 20.0}) {
    CAPTURE(segments);
    Alone alone;
    std::int64_t next = 0;
    for (int i = 0; i < 20; ++i) {
      alone.write(0.1 * i, segments);
      // Each window of it, acknowledged together.
      for (double now_s = 0.1 * i + 0.05; !alone.sent().empty(); now_s += 0.001) {
        next = std::min(alone.sender.message_ends(), next + 10);
        alone.acknowledge(now_s, next);
      }
    }
    alone.write(2, 1000);
    const std::size_t window = alone.sent().size();
    if (segments <= 5) CHECK(window == 10);
    if (segments > 5) CHECK(window > 10);
  }
}

TEST_CASE("three that arrived later tell that one is lost: it is sent again at once, the window becomes 7 of 10") {
  Alone alone;
  alone.write(0, 10);
  CHECK(alone.sent() == from_to(0, 10));
  alone.acknowledge(0.1, 0, 1, 4);
  CHECK(alone.sent() == std::vector<std::int64_t>{0});
  alone.acknowledge(0.1, 0, 1, 10);
  CHECK(alone.sent().empty());
  alone.acknowledge(0.2, 10);
  CHECK(alone.sender.counts().sent_again == 1);
  CHECK(alone.sender.next_s() == Sender::never);
  alone.write(0.2, 1000);
  CHECK(alone.sent().size() == 7);
}

TEST_CASE("where fewer arrived later, a quarter of a round trip goes by first, and no probe meanwhile") {
  Alone alone;
  alone.write(0, 3);
  CHECK(alone.sent() == from_to(0, 3));
  // The last arrives, after twice the handshake, which is the least. The probe was to be sent at 202 ms.
  CHECK(alone.sender.next_s() == doctest::Approx(2 * handshake_s + 0.002));
  alone.acknowledge(0.2, 0, 2, 3);
  const double look_s = 0.2 + handshake_s / 4 + 0.002;
  CHECK(alone.sender.next_s() == doctest::Approx(look_s));
  alone.sender.wake(look_s);
  CHECK(alone.sent() == from_to(0, 1));
  alone.acknowledge(0.3, 1);
  CHECK(alone.sent() == from_to(1, 2));
  CHECK(alone.sender.counts().probes == 0);
  CHECK(alone.sender.counts().sent_again == 2);
}

TEST_CASE("after two round trips of silence the last segment is sent again, after a timeout all, one by one") {
  Alone alone;
  alone.write(0, 5);
  CHECK(alone.sent() == from_to(0, 5));
  const double probe_s = 2 * handshake_s + 0.002;
  alone.sender.wake(probe_s);
  CHECK(alone.sent() == std::vector<std::int64_t>{4});
  // The handshake alone: 100 ms and 200 more.
  CHECK(alone.sender.next_s() == doctest::Approx(probe_s + 0.3));
  alone.sender.wake(probe_s + 0.3);
  CHECK(alone.sent() == std::vector<std::int64_t>{0});
  // Each next one after twice as long.
  CHECK(alone.sender.next_s() == doctest::Approx(probe_s + 0.3 + 0.6));
  alone.sender.wake(probe_s + 0.9);
  CHECK(alone.sent() == std::vector<std::int64_t>{0});
  CHECK(alone.sender.next_s() == doctest::Approx(probe_s + 0.9 + 1.2));
  alone.acknowledge(probe_s + 1, 1);
  CHECK(alone.sent() == from_to(1, 3));
  CHECK(alone.sender.counts().timeouts == 2);
  CHECK(alone.sender.counts().probes == 1);
}

TEST_CASE("a timeout while losses are made good lowers the threshold no second time") {
  // Ten are sent, the second to the tenth arrive, so the first is lost: of a window of 10 remain 7.
  Alone alone;
  alone.write(0, 10);
  alone.sent();
  alone.acknowledge(0.1, 0, 1, 10);
  CHECK(alone.sent() == from_to(0, 1));
  // It is lost again. After the timeout it is sent a third time, and its acknowledgement makes room for seven.
  alone.sender.wake(alone.sender.next_s());
  CHECK(alone.sender.counts().timeouts == 1);
  CHECK(alone.sent() == from_to(0, 1));
  alone.acknowledge(0.6, 10);
  alone.write(0.6, 1000);
  CHECK(alone.sent().size() == 2);  // slow start, from one on
  alone.acknowledge(0.7, 12);
  CHECK(alone.sent().size() == 4);
  alone.acknowledge(0.8, 16);
  CHECK(alone.sent().size() == 7);  // and no further than the threshold, which a second reduction would have made 2
}

TEST_CASE("timeouts double up to two minutes") {
  Alone alone;
  alone.write(0, 1);
  alone.sender.wake(alone.sender.next_s());  // the probe
  double before_s = alone.sender.next_s();
  for (int i = 1; i < 12; ++i) {
    alone.sender.wake(before_s);
    CHECK(alone.sender.next_s() - before_s == doctest::Approx(std::min(120.0, 0.3 * std::pow(2, i))));
    before_s = alone.sender.next_s();
  }
  CHECK(alone.sender.counts().timeouts == 11);
}

TEST_CASE(
    "a timeout was spurious if what was sent before it arrives: the window and what counts as lost are restored") {
  constexpr double before_s = 0.1;
  const auto window_after = [](double echo_after_resent_s, bool spurious) {
    Alone alone;
    alone.write(0, 10);
    alone.bring_all(0);  // the window is 20 from now on
    alone.write(before_s, 20);
    CHECK(alone.sent() == from_to(10, 30));
    double now_s = 0;
    while (alone.sender.counts().timeouts == 0) {
      static_cast<void>(alone.sent());
      alone.sender.wake(now_s = alone.sender.next_s());
    }
    CHECK(alone.sent() == from_to(10, 11));
    const double echo_s = echo_after_resent_s < 0 ? before_s : now_s + echo_after_resent_s;
    alone.acknowledge_echo(now_s + 0.1, 11, echo_s);
    CHECK(alone.sender.counts().spurious_timeouts == (spurious ? 1 : 0));
    // Otherwise all from 11 on are lost, and the window has grown from one to two.
    CHECK(alone.sent() == (spurious ? std::vector<std::int64_t>{} : from_to(11, 13)));
    alone.acknowledge_echo(now_s + 0.2, 30, echo_s);
    alone.write(now_s + 0.2, 1000);
    return alone.sent().size();
  };
  // More, since 20 more are acknowledged; less than twice, since round trips have become longer, which ends slow start.
  CHECK(window_after(-1, true) >= 20);
  // Sent again, and echoed in the tick in which that was: slow start from one goes to seven tenths.
  CHECK(window_after(0, false) == 14);
}

TEST_CASE("a timeout in a recovery restores the window that was there before both") {
  Alone alone;
  alone.write(0, 10);
  alone.acknowledge(0.1, 0, 1, 10);  // all but the first
  CHECK(alone.sender.counts().sent_again == 1);
  double now_s = 0.1;
  while (alone.sender.counts().timeouts == 0) alone.sender.wake(now_s = alone.sender.next_s());
  alone.acknowledge_echo(now_s + 0.1, 10, 0);
  CHECK(alone.sender.counts().spurious_timeouts == 1);
  static_cast<void>(alone.sent());
  alone.write(now_s + 0.1, 1000);
  CHECK(alone.sent().size() >= 10);  // seven without
}

// F-RTO (RFC 5682): the acknowledgement of what was sent again allows two new segments, which tell what the timeout
// was.
TEST_CASE("after a timeout two new segments are sent first, which tell whether anything was lost") {
  struct Case {
    std::int64_t from, to;  // told beyond a gap next
    bool spurious;
  };
  for (const auto& [from, to, spurious] : {Case{5, 6, true}, Case{11, 12, false}}) {
    CAPTURE(from);
    Alone alone;
    alone.write(0, 1000);
    double now_s = 0;
    while (alone.sender.counts().timeouts == 0) {
      static_cast<void>(alone.sent());
      alone.sender.wake(now_s = alone.sender.next_s());
    }
    CHECK(alone.sent() == from_to(0, 1));
    alone.acknowledge_echo(now_s + 0.1, 1, now_s);
    CHECK(alone.sent() == from_to(11, 13));  // ten and the probe were sent before
    alone.acknowledge(now_s + 0.15, 1, from, to);
    CHECK(alone.sender.counts().spurious_timeouts == (spurious ? 1 : 0));
    // As many are under way as the window holds, which was restored; or the next one is made good.
    CHECK(alone.sent() == (spurious ? std::vector<std::int64_t>{} : from_to(1, 2)));
  }
}

TEST_CASE("what was done about a loss is undone if all that was sent again had arrived") {
  for (const bool all : {true, false}) {
    Alone alone;
    alone.write(0, 10);
    static_cast<void>(alone.sent());
    alone.acknowledge(0.1, 0, 2, 10);
    CHECK(alone.sent() == from_to(0, 2));
    alone.acknowledge(0.12, 10);
    for (int i = 0; i < (all ? 2 : 1); ++i) alone.acknowledge_duplicate(0.2, 10);
    alone.write(0.2, 1000);
    CHECK(alone.sent().size() == (all ? 10 : 7));
  }
}

TEST_CASE("a probe sends new data if there is some") {
  Alone full;  // of a window that is full
  full.write(0, 20);
  CHECK(full.sent() == from_to(0, 10));
  full.sender.wake(full.sender.next_s());
  CHECK(full.sent() == from_to(10, 11));
}

TEST_CASE("room that is told without news of segments is used") {
  Alone alone({}, 4);
  alone.write(0, 20);
  CHECK(alone.sent() == from_to(0, 4));
  alone.sender.take(0.1, {.next = 0, .room_ends_bytes = 5 * segment_bytes});
  CHECK(alone.sent() == from_to(4, 5));
}

TEST_CASE("a probe that made good a loss lowers the window, one that was not needed does not") {
  const auto window_after = [](bool needed) {
    Alone alone;
    alone.write(0, 10);
    static_cast<void>(alone.sent());
    alone.acknowledge(0.1, 8);
    alone.sender.wake(alone.sender.next_s());
    CHECK(alone.sent() == std::vector<std::int64_t>{9});
    if (!needed) {
      alone.acknowledge(0.35, 10);
      alone.acknowledge_duplicate(0.36, 10);
    } else {
      // One and later ones arrive without a word of a duplicate.
      alone.acknowledge_echo(0.35, 10, 0);
      alone.write(0.35, 1);
      static_cast<void>(alone.sent());
      alone.acknowledge(0.45, 11);
    }
    alone.write(0.5, 1000);
    return alone.sent().size();
  };
  CHECK(window_after(false) == 20);  // 10 and those that were acknowledged, of a window that was full
  CHECK(window_after(true) == 14);   // seven tenths
}

TEST_CASE("an idle sender starts with the first window again, but not where that is kept") {
  for (const bool slow_start_after_idle : {true, false}) {
    Alone alone({.slow_start_after_idle = slow_start_after_idle});
    alone.write(0, 10 + 20 + 40 + 80 + 160);
    alone.bring_all(0);
    alone.write(100, 1000);
    const std::size_t window = alone.sent().size();
    if (slow_start_after_idle) CHECK(window == 10);
    if (!slow_start_after_idle) CHECK(window >= 160);
  }
}

TEST_CASE("a message is cut into segments of 1448 bytes and what is left, the smallest into one") {
  struct Case {
    double bytes;
    std::int64_t segments;
  };
  for (const auto& [bytes, segments] :
       {Case{0, 1}, {1, 1}, {1448, 1}, {1449, 2}, {2896, 2}, {0.5, 1}, {14480.25, 11}}) {
    CAPTURE(bytes);
    double sum = 0;
    Sender sender({}, handshake_s, much_room, [&](const Segment& segment) {
      sum += segment.bytes;
      return true;
    });
    for (int i = 1; i <= 2; ++i) {
      sender.write(0, bytes);
      CHECK(sender.message_ends() == i * segments);
      for (std::int64_t next = 0; next <= sender.message_ends(); ++next) {
        sender.send(0);
        sender.take(0.1, {.next = next, .room_ends_bytes = much_room});
      }
    }
    CHECK(sum == 2 * std::max(std::ceil(bytes), 1.0));
  }
}

}  // namespace
}  // namespace sender_test
}  // namespace ddl::network::packets
