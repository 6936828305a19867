// A sender's scoreboard, against plain records of segments sent, arrived and lost.
#include "sim/network/packets/loss/scoreboard.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "core/base/rng.hpp"

namespace ddl::network::packets {
namespace scoreboard_test {
namespace {

struct Record {
  double sent_s = -1;  // last; negative: never
  bool arrived = false, lost = false, again = false;

  bool is_sent() const { return sent_s >= 0; }
  bool may_arrive() const { return !arrived && (!lost || again); }
};

// Every question is answered by a look at all records.
class Records {
 public:
  std::vector<Record> list;

  std::int64_t first() const {
    return count_while([](const Record& record) { return record.arrived; });
  }
  std::int64_t next() const {
    return count_while([](const Record& record) { return record.is_sent(); });
  }
  std::int64_t under_way() const {
    std::int64_t sum = 0;
    for (const Record& record : list) {
      if (!record.is_sent() || record.arrived) continue;
      sum += (record.lost ? 0 : 1) + (record.again ? 1 : 0);
    }
    return sum;
  }
  std::int64_t beyond_gap() const {
    std::int64_t sum = 0;
    for (std::int64_t i = first(); i < static_cast<std::int64_t>(list.size()); ++i) sum += at(i).arrived ? 1 : 0;
    return sum;
  }
  std::int64_t to_send_again() const {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(list.size()); ++i) {
      if (at(i).lost && !at(i).again && !at(i).arrived) return i;
    }
    return -1;
  }
  void arrive(double now_s, std::int64_t number) {
    Record& record = at(number);
    if (record.arrived) return;
    record.arrived = true;
    latest_round_trip_s_ = now_s - record.sent_s;
    if (latest_ < 0 || is_before(at(latest_), latest_, record, number)) latest_ = number;
  }
  void lose_most(double now_s) {
    for (std::int64_t i = first(); i < static_cast<std::int64_t>(list.size()); ++i) {
      Record& record = at(i);
      const bool was_sent_just_now = i > first() && now_s < record.sent_s + latest_round_trip_s_;
      if (!record.is_sent() || record.arrived || was_sent_just_now) continue;
      record.lost = true;
      record.again = false;
    }
  }
  std::int64_t find_lost(double now_s, double allowed_s) {
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(list.size()); ++i) {
      Record& record = at(i);
      if (!record.is_sent() || !record.may_arrive() || latest_ < 0 || !is_before(record, i, at(latest_), latest_)) {
        continue;
      }
      if (now_s < record.sent_s + latest_round_trip_s_ + allowed_s) continue;
      record.lost = true;
      record.again = false;
      ++found;
    }
    return found;
  }
  Record& at(std::int64_t number) { return list[static_cast<std::size_t>(number)]; }
  const Record& at(std::int64_t number) const { return list[static_cast<std::size_t>(number)]; }

 private:
  template <class Predicate>
  std::int64_t count_while(Predicate holds) const {
    std::int64_t count = 0;
    while (count < static_cast<std::int64_t>(list.size()) && holds(at(count))) ++count;
    return count;
  }
  static bool is_before(const Record& a, std::int64_t number_a, const Record& b, std::int64_t number_b) {
    return a.sent_s < b.sent_s || (a.sent_s == b.sent_s && number_a < number_b);
  }
  std::int64_t latest_ = -1;
  double latest_round_trip_s_ = 0;
};

// A scoreboard and its records, with the same events. Times are whole seconds, so that none is due by rounding.
class Both {
 public:
  explicit Both(std::uint64_t seed) : random_(stream(seed, "test", "scoreboard")) {}

  void step() {
    now_s_ += static_cast<double>(random_.below(2));
    switch (random_.below(8)) {
      case 0:
      case 1:
      case 2:
        for (std::uint64_t i = random_.below(6); i > 0; --i) send_next();
        break;
      case 3:
        send_lost_again();
        break;
      case 4:
        probe();
        break;
      case 5:
      case 6:
        acknowledge();
        break;
      default:
        if (random_.below(10) == 0) lose_most();
    }
    const double allowed_s = static_cast<double>(random_.below(3));
    REQUIRE(board_.find_lost(now_s_, allowed_s).lost == records_.find_lost(now_s_, allowed_s));
    compare();
  }
  // Everything sent arrives in the end.
  void finish() {
    for (std::size_t turns = 0; records_.first() < static_cast<std::int64_t>(records_.list.size()); ++turns) {
      REQUIRE(turns < 10000);
      now_s_ += 1;
      send_lost_again();
      acknowledge();
      if (random_.below(10) == 0) lose_most();
      compare();
    }
    CHECK(board_.all_there());
    CHECK(board_.under_way() == 0);
    CHECK_FALSE(board_.any_lost());
  }

 private:
  static double bytes_of(std::int64_t number) { return 100 + static_cast<double>(number % 7); }
  void send_next() {
    const auto number = static_cast<std::int64_t>(records_.list.size());
    records_.list.push_back({.sent_s = now_s_});
    CHECK(board_.send_next(now_s_, bytes_of(number)) == number);
  }
  void send_lost_again() {
    const auto found = board_.to_send_again();
    REQUIRE(found.value_or(-1) == records_.to_send_again());
    if (!found) return;
    board_.send_again(now_s_, *found);
    records_.at(*found).sent_s = now_s_;
    records_.at(*found).again = true;
  }
  void probe() {
    const std::int64_t last = board_.next() - 1;
    if (last < board_.first() || records_.at(last).arrived || records_.at(last).lost) return;
    board_.probe_with(now_s_, last);
    records_.at(last).sent_s = now_s_;
  }
  // Some segments under way arrive, and the receiver reports how far all are there, and the block of the last one.
  void acknowledge() {
    std::vector<std::int64_t> on_the_way;
    for (std::int64_t i = board_.first(); i < board_.next(); ++i) {
      if (records_.at(i).may_arrive()) on_the_way.push_back(i);
    }
    if (on_the_way.empty()) return;
    const std::int64_t number = on_the_way[random_.below(on_the_way.size())];
    records_.arrive(now_s_, number);
    Acknowledgement tells{.next = records_.first()};
    if (number >= tells.next) {
      Block& block = tells.blocks[0] = {number, number + 1};
      while (records_.at(block.from - 1).arrived) --block.from;
      while (block.to < board_.next() && records_.at(block.to).arrived) ++block.to;
    }
    const std::int64_t first = board_.first();
    const Scoreboard::Delivered got = board_.take(now_s_, tells, 0, 0);
    CHECK(got.segments == 1);
    CHECK(got.acknowledged == records_.first() - first);
  }
  void lose_most() {
    board_.most_are_lost(now_s_);
    records_.lose_most(now_s_);
  }
  void compare() const {
    REQUIRE(board_.first() == records_.first());
    REQUIRE(board_.next() == records_.next());
    REQUIRE(board_.next() == static_cast<std::int64_t>(records_.list.size()));
    REQUIRE(board_.under_way() == records_.under_way());
    REQUIRE(board_.beyond_gap() == records_.beyond_gap());
    bool any_lost = false;
    for (const Record& record : records_.list) any_lost = any_lost || (record.lost && !record.arrived);
    REQUIRE(board_.any_lost() == any_lost);
    double sum = 0;
    for (std::int64_t number = 0; number < board_.next(); ++number) {
      if (number == board_.first()) CHECK(board_.first_bytes() == sum);
      sum += bytes_of(number);
      if (number < board_.first()) continue;
      CHECK(board_.bytes(number) == bytes_of(number));
      CHECK(board_.end_bytes(number) == sum);
    }
    CHECK(board_.next_bytes() == sum);
  }

  Stream random_;
  Scoreboard board_;
  Records records_;
  double now_s_ = 0;
};

// `segments` segments, one sent per second.
Scoreboard sent_one_by_one(int segments) {
  Scoreboard board;
  for (int i = 0; i < segments; ++i) {
    board.send_next(i, segment_bytes);
  }
  return board;
}

TEST_CASE("whatever is sent, sent again, lost and arrives, a scoreboard knows what its records say") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    Both both(seed);
    for (int i = 0; i < 400; ++i) both.step();
    both.finish();
  }
}

TEST_CASE("a probe is one segment more on its way to the receiver, and none in what is under way") {
  Scoreboard board = sent_one_by_one(3);
  board.probe_with(5, 2);
  CHECK(board.under_way() == 3);
  CHECK(board.sent_again() == 1);
  CHECK(board.take(6, {.next = 3}, 0, 0).oldest_s < 0);  // either transmission may have arrived
}

TEST_CASE("three blocks are taken, whatever their order, and the newest sample is of the last of them") {
  Scoreboard board = sent_one_by_one(9);
  const Acknowledgement tells{.next = 1, .blocks = {{{7, 8}, {2, 3}, {4, 6}}}};
  const Scoreboard::Delivered got = board.take(20, tells, 0, 5);
  CHECK(got.segments == 5);
  CHECK(got.beyond_gap == 4);
  CHECK(got.acknowledged == 1);
  CHECK(got.oldest_s == 20);  // the first one's, which is acknowledged
  CHECK(got.newest_s == 20 - 7);
  CHECK(got.oldest_beyond_s == 20 - 2);
  CHECK(got.any_original);  // before the fifth
  CHECK(board.beyond_gap() == 4);
  CHECK_FALSE(board.take(21, {.next = 1, .blocks = {{{7, 9}}}}, 0, 8).any_original);
}

TEST_CASE("it is lost when it has taken longer than that one and what is allowed") {
  Scoreboard board = sent_one_by_one(3);
  board.take(10, {.next = 0, .blocks = {{{2, 3}}}}, 0, 0);  // after 8 s
  CHECK(board.find_lost(10, 1.5).lost == 1);                // the first one after 10, the second after 9
  CHECK(board.look_again_s() == doctest::Approx(1 + 8 + 1.5));
  CHECK(board.find_lost(10.4, 1.5).lost == 0);
  CHECK(board.find_lost(board.look_again_s(), 1.5).lost == 1);
  CHECK(board.look_again_s() == Scoreboard::never);
}

TEST_CASE("a segment sent twice shows no round trip, and nothing about others if it came too soon") {
  Scoreboard board = sent_one_by_one(2);
  board.send_again(9, 1);
  const Scoreboard::Delivered got = board.take(10, {.next = 0, .blocks = {{{1, 2}}}}, 5, 0);
  CHECK(got.segments == 1);
  CHECK(got.newest_s < 0);
  CHECK(board.find_lost(1000, 0).lost == 0);
  const Scoreboard::Delivered last = board.take(20, {.next = 2, .echo_s = 8}, 5, 0);
  CHECK(last.acknowledged == 2);
  CHECK(last.segments == 1);
  CHECK(last.oldest_s == 12);  // since the echoed time stamp
  CHECK(board.all_there());
}

}  // namespace
}  // namespace scoreboard_test
}  // namespace ddl::network::packets
