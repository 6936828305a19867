// The sending end alone: its segments and their times, with arrivals given by hand.
#include "sim/network/packets/sender.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/network/packets/replay.hpp"

namespace ddl::network::packets {
namespace sender_test {
namespace {

constexpr double handshake_s = 0.1;
constexpr double much_room_bytes = 1e6 * segment_bytes;

// A sender, and its segments since the last look.
class Alone {
 public:
  double now_s = 0;

  Verbs verbs() {
    return {
        {"set", [this](const Step& step) { set(step); }},
        {"write", [this](const Step& step) { write(step.number()); }},
        {"ack", [this](const Step& step) { take(step); }},
        {"exchange", [this](const Step& step) { exchange(step); }},
        {"bring_all", [this](const Step&) { bring_all(); }},
        {"wake", [this](const Step&) { wake(); }},
        {"until_timeout", [this](const Step&) { wake_until_timeout(); }},
        {"mark", [this](const Step&) { marked_s_ = now_s; }},
        {"forget", [this](const Step&) { sent(); }},
        {"sends", [this](const Step& step) { CHECK(sent() == step.list()); }},
        {"sends_count", [this](const Step& step) { CHECK(static_cast<double>(sent().size()) == step.number()); }},
        {"sends_at_least", [this](const Step& step) { CHECK(static_cast<double>(sent().size()) >= step.number()); }},
        {"lengths", [this](const Step& step) { check_lengths(step); }},
        {"due", [this](const Step& step) { check_due(step); }},
        {"again", [this](const Step& step) { CHECK(sender().counts().sent_again == step.number()); }},
        {"probes", [this](const Step& step) { CHECK(sender().counts().probes == step.number()); }},
        {"timeouts", [this](const Step& step) { CHECK(sender().counts().timeouts == step.number()); }},
        {"spurious", [this](const Step& step) { CHECK(sender().counts().spurious_timeouts == step.number()); }}};
  }

 private:
  void set(const Step& step) {
    if (step.has("room")) room_bytes_ = step.number("room") * segment_bytes;
    if (step.has("slow_start_after_idle")) rules_.slow_start_after_idle = step.number("slow_start_after_idle") != 0;
  }
  Sender& sender() {
    if (!sender_) {
      sender_.emplace(rules_, handshake_s, room_bytes_, [this](const Segment& segment) {
        sent_.push_back(segment.number);
        lengths_.push_back(segment.bytes / segment_bytes);
        return true;
      });
    }
    return *sender_;
  }
  std::vector<std::int64_t> sent() {
    lengths_.clear();
    return std::exchange(sent_, {});
  }

  void write(double segments) {
    sender().write(now_s, segments * segment_bytes);
    sender().send(now_s);
  }
  void take(const Step& step) {
    Acknowledgement tells{.next = step.list().at(0), .of_duplicate = step.has("duplicate")};
    if (step.has("block")) tells.blocks[0] = {step.ranges("block")[0].first, step.ranges("block")[0].second + 1};
    if (step.has("room")) room_bytes_ = step.number("room") * segment_bytes;
    tells.room_ends_bytes = room_bytes_;
    tells.echo_s = step.number_or("echo", never_sent);
    if (step.has("echo_of_wake")) tells.echo_s = woken_s_;
    if (step.has("echo_of_mark")) tells.echo_s = marked_s_;
    sender().take(now_s, tells);
  }
  void acknowledge(double at_s, std::int64_t next) {
    sender().take(at_s, {.next = next, .room_ends_bytes = room_bytes_});
  }
  // The given number and length of messages, one each 100 ms, with each window acknowledged together.
  void exchange(const Step& step) {
    std::int64_t next = 0;
    for (int i = 0; i < step.numbers()[0]; ++i) {
      now_s = 0.1 * i;
      write(step.numbers()[1]);
      for (double at_s = now_s + 0.05; !sent().empty(); at_s += 0.001) {
        next = std::min(sender().message_ends(), next + 10);
        acknowledge(at_s, next);
      }
    }
  }
  // Each segment that it sends is acknowledged alone, a handshake later.
  void bring_all() {
    std::int64_t next = 0;
    while (!sent_.empty()) {
      now_s += handshake_s;
      for (const std::int64_t segment : sent()) acknowledge(now_s, next = std::max(next, segment + 1));
    }
  }
  void wake() { sender().wake(woken_s_ = now_s = sender().next_s()); }
  void wake_until_timeout() {
    while (sender().counts().timeouts == 0) {
      sent();
      wake();
    }
  }
  void check_lengths(const Step& step) {  // lengths in segments
    CHECK(lengths_ == step.numbers());
    sent();
  }
  void check_due(const Step& step) {
    if (step.has("never")) {
      CHECK(sender().next_s() == Sender::never);
    } else {
      CHECK(sender().next_s() == doctest::Approx(step.number() + (step.is_later() ? now_s : 0)));
    }
  }

  TcpRules rules_;
  double room_bytes_ = much_room_bytes, woken_s_ = 0, marked_s_ = 0;
  std::optional<Sender> sender_;
  std::vector<std::int64_t> sent_;
  std::vector<double> lengths_;
};

TEST_CASE("a sender sends what its replays say") { replay<Alone>("sender"); }

TEST_CASE("a message is cut into segments of 1448 bytes and what is left, the smallest into one") {
  struct Case {
    double bytes;
    std::int64_t segments;
  };
  for (const auto& [bytes, segments] :
       {Case{0, 1}, {1, 1}, {1448, 1}, {1449, 2}, {2896, 2}, {0.5, 1}, {14480.25, 11}}) {
    CAPTURE(bytes);
    double sum = 0;
    Sender sender({}, handshake_s, much_room_bytes, [&](const Segment& segment) {
      sum += segment.bytes;
      return true;
    });
    for (int i = 1; i <= 2; ++i) {
      sender.write(0, bytes);
      CHECK(sender.message_ends() == i * segments);
      for (std::int64_t next = 0; next <= sender.message_ends(); ++next) {
        sender.send(0);
        sender.take(0.1, {.next = next, .room_ends_bytes = much_room_bytes});
      }
    }
    CHECK(sum == 2 * std::max(std::ceil(bytes), 1.0));
  }
}

}  // namespace
}  // namespace sender_test
}  // namespace ddl::network::packets
