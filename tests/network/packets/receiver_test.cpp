// The receiving end, by replays and against a plain set of arrivals.
#include "sim/network/packets/receiver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/rng.hpp"
#include "tests/network/packets/replay.hpp"

namespace ddl::network::packets {
namespace receiver_test {
namespace {

constexpr double timeout_s = 0.3, handshake_s = 0.1, unlimited = 1e9, narrow = 20;
constexpr int first_ones = 16;

// A full one.
Segment segment(std::int64_t number) {
  return {.number = number, .bytes = segment_bytes, .end_bytes = static_cast<double>(number + 1) * segment_bytes};
}

// A receiver, and its last acknowledgement.
class Alone {
 public:
  double now_s = 0;

  Alone() { start(narrow, handshake_s), take_first_ones(never_sent); }

  Verbs verbs() {
    return {
        {"new", [this](const Step& step) { start_new(step); }},
        {"timeout", [this](const Step& step) { timeout_s_ = step.number(); }},
        {"first_ones", [this](const Step& step) { take_first_ones(step.number("echo")); }},
        {"take", [this](const Step& step) { take(segment_of(step)); }},
        {"at_once", [this](const Step& step) { take_those_told_at_once(step.ranges()[0]); }},
        {"quiet", [this](const Step& step) { take_quietly(step.list()); }},
        {"fill_from", [this](const Step& step) { fill_from(step.list()[0]); }},
        {"burst", [this](const Step& step) { take_burst(step.list()); }},
        {"wake", [this](const Step&) { told_ = receiver_->wake(now_s); }},
        {"wake_if_quiet", [this](const Step&) { told_ = told_ ? told_ : receiver_->wake(now_s); }},
        {"tells", [this](const Step& step) { check_told(step); }},
        {"tells_all", [this](const Step&) { CHECK(told_.value().next == filled_); }},
        {"room", [this](const Step& step) { CHECK(receiver_->room_ends_bytes() == step.number() * segment_bytes); }},
        {"room_beyond", [this](const Step& step) { CHECK(room_beyond() > step.number()); }},
        {"window", [this](const Step& step) { CHECK(windows_kib_.at(step.list()[0]) == step.numbers()[1]); }},
        {"due", [this](const Step& step) { check_due(step); }}};
  }

 private:
  void start_new(const Step& step) {
    start(step.has("unlimited") ? unlimited : step.number_or("most", narrow), step.number_or("handshake", handshake_s));
  }
  void start(double most_segments, double round_trip_s) {
    receiver_.emplace(most_segments, round_trip_s);
    round_trip_s_ = round_trip_s;
    end_bytes_ = 0;
  }

  void take(const Segment& came) {
    told_ = receiver_->take(now_s, came, timeout_s_);
    end_bytes_ = std::max(end_bytes_, came.end_bytes);
  }
  Segment segment_of(const Step& step) const {
    Segment came = segment(step.list()[0]);
    came.ends_message = step.has("end");
    came.sent_s = step.number_or("sent", 0);
    came.echo_s = step.number_or("echo", never_sent);
    if (step.has("bytes")) {
      came.bytes = step.number("bytes");
      came.end_bytes = end_bytes_ + came.bytes;
    }
    return came;
  }
  void take_first_ones(double echo_s) {
    for (int i = 0; i < first_ones; ++i) {
      Segment came = segment(i);
      came.echo_s = echo_s;
      take(came);
      CHECK(told_.value().next == i + 1);
    }
  }
  // The next segments, until one is not acknowledged at once.
  void take_those_told_at_once(std::pair<std::int64_t, std::int64_t> expected) {
    std::int64_t count = 0;
    for (take(segment(receiver_->next())); told_; take(segment(receiver_->next()))) ++count;
    CHECK(count >= expected.first);
    CHECK(count <= expected.second);
  }
  void take_quietly(const std::vector<std::int64_t>& numbers) {
    for (const std::int64_t number : numbers) {
      take(segment(number));
      CHECK_FALSE(told_);
    }
  }
  // As many as there is room for.
  void fill_from(std::int64_t number) {
    for (filled_ = number; static_cast<double>(filled_ + 1) * segment_bytes <= receiver_->room_ends_bytes();
         ++filled_) {
      take(segment(filled_));
    }
  }
  double room_beyond() const { return told_.value().room_ends_bytes / segment_bytes - static_cast<double>(filled_); }
  void take_burst(const std::vector<std::int64_t>& numbers) {
    constexpr double frame_s = 0.000303, kib = 1024;
    for (const std::int64_t number : numbers) {
      Segment came = segment(number);
      if (number > 10) came.echo_s = now_s - round_trip_s_;
      take(came);
      if (told_) windows_kib_[number + 1] = (told_->room_ends_bytes - came.end_bytes) / kib;
      now_s += frame_s;
    }
  }

  void check_told(const Step& step) {
    REQUIRE(told_.has_value() != step.has("nothing"));
    if (!told_) return;
    CHECK(told_->next == step.list()[0]);
    CHECK(told_->of_duplicate == step.has("duplicate"));
    if (step.has("echo")) CHECK(told_->echo_s == step.number("echo"));
    if (step.has("room")) CHECK(told_->room_ends_bytes == step.number("room") * segment_bytes);
    if (step.has("frame")) CHECK(bytes_of(*told_) == step.number("frame"));
    if (!step.has("blocks")) return;
    std::array<Block, 3> blocks{};
    std::ranges::transform(step.ranges("blocks"), blocks.begin(), [](const auto& range) {
      return Block{range.first, range.second + 1};
    });
    CHECK(told_->blocks == blocks);
  }
  void check_due(const Step& step) const {
    const double due_s = step.has("never") ? Receiver::never : step.number();
    CHECK((receiver_->next_s() == due_s || receiver_->next_s() == doctest::Approx(due_s)));
  }

  std::optional<Receiver> receiver_;
  std::optional<Acknowledgement> told_;
  double timeout_s_ = timeout_s, round_trip_s_ = 0, end_bytes_ = 0;
  std::int64_t filled_ = 0;
  std::map<std::int64_t, double> windows_kib_;  // after the acknowledgement that follows this many segments
};

TEST_CASE("a receiver tells what its replays say") { replay<Alone>("receiver"); }

TEST_CASE("in whatever order segments come, some twice, blocks and what is missing are those of a set") {
  constexpr std::int64_t segments = 60;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Stream random = stream(seed, "test", "receiver");
    std::vector<std::int64_t> order(segments);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size() - 1; i > 0; --i) {
      // Near its place, in half of the cases.
      const std::size_t reach = seed % 2 == 0 ? i : std::min<std::size_t>(i, 5);
      std::swap(order[i], order[i - random.below(reach + 1)]);
    }
    for (int i = 0; i < 20; ++i)
      order.insert(order.begin() + static_cast<int>(random.below(40)), order[random.below(60)]);
    Receiver receiver(unlimited, handshake_s);
    std::set<std::int64_t> there;
    for (const std::int64_t number : order) {
      const bool is_new = there.insert(number).second;
      std::int64_t next = 0;
      while (there.contains(next)) ++next;
      const auto tells = receiver.take(0, segment(number), timeout_s);
      REQUIRE(receiver.next() == next);
      for (const std::int64_t end : {next, segments}) {
        const auto come = static_cast<std::int64_t>(std::distance(there.begin(), there.lower_bound(end)));
        REQUIRE(receiver.missing_bytes_before(static_cast<double>(end) * segment_bytes) ==
                static_cast<double>(end - come) * segment_bytes);
      }
      if (!is_new) REQUIRE((tells.has_value() && tells->of_duplicate));
      if (!tells) continue;
      REQUIRE(tells->next == next);
      if (is_new && number >= next) REQUIRE((number >= tells->blocks[0].from && number < tells->blocks[0].to));
      for (const Block& block : tells->blocks) {
        if (block == Block{}) continue;
        for (std::int64_t i = block.from; i < block.to; ++i) REQUIRE(there.contains(i));
        REQUIRE_FALSE(there.contains(block.from - 1));
        REQUIRE_FALSE(there.contains(block.to));
      }
    }
    CHECK(receiver.missing_bytes_before(segments * segment_bytes) == 0);
  }
}

}  // namespace
}  // namespace receiver_test
}  // namespace ddl::network::packets
