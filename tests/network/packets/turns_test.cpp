// The order of bursts of several messages.
#include "sim/network/packets/turns.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/base/rng.hpp"

namespace ddl::network::packets {
namespace {

// The messages whose bursts were sent, in order; each message has `bursts` of them.
std::vector<int> order_of(Turns& turns, const std::vector<int>& messages, int bursts) {
  std::vector<int> order;
  std::array<int, 10> sent{};
  turns.take(messages, [&](int message) {
    int& of_message = sent[static_cast<std::size_t>(message)];
    if (of_message == bursts) return false;
    ++of_message;
    order.push_back(message);
    return true;
  });
  return order;
}

Turns some_turns() { return Turns(stream(3, "w0", "turns")); }

TEST_CASE("turns: two messages are at work at a time, and each sends all its bursts") {
  Turns turns = some_turns();
  constexpr int bursts = 20, messages = 5;
  int with_two_at_work = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<int> order = order_of(turns, {0, 1, 2, 3, 4}, bursts);
    REQUIRE(order.size() == messages * bursts);
    std::array<int, messages> sent{};
    for (const int message : order) {
      ++sent[static_cast<std::size_t>(message)];
      const auto at_work = std::ranges::count_if(sent, [](int n) { return n > 0 && n < bursts; });
      CHECK(at_work <= 2);
      with_two_at_work += at_work == 2 ? 1 : 0;
    }
    CHECK(std::ranges::count(sent, bursts) == messages);
  }
  CHECK(with_two_at_work > 50 * messages * bursts / 4);
}

TEST_CASE("turns: a turn has more than n bursts with a probability of one over the root of n + 1") {
  Turns turns = some_turns();
  constexpr int bursts = 40, trials = 20000;
  std::vector<int> first_turns;
  for (int trial = 0; trial < trials; ++trial) {
    const std::vector<int> order = order_of(turns, {0, 1}, bursts);
    const auto ends = std::ranges::find_if(order, [&](int message) { return message != order[0]; });
    first_turns.push_back(static_cast<int>(ends - order.begin()));
  }
  for (const int n : {1, 3, 8, 24}) {
    const double expected = 1 / std::sqrt(n + 1);
    const auto longer = static_cast<double>(std::ranges::count_if(first_turns, [n](int turn) { return turn > n; }));
    const double error = std::sqrt(expected * (1 - expected) / trials);
    CAPTURE(n);
    CHECK(std::abs(longer / trials - expected) < 4 * error);
  }
}

TEST_CASE("turns: each message is first equally often") {
  Turns turns = some_turns();
  constexpr int trials = 3000;
  std::array<int, 3> first{};
  for (int trial = 0; trial < trials; ++trial) ++first[static_cast<std::size_t>(order_of(turns, {0, 1, 2}, 1).front())];
  const double error = std::sqrt(trials * (1.0 / 3) * (2.0 / 3));
  for (const int n : first) CHECK(std::abs(n - trials / 3) < 4 * error);
}

TEST_CASE("turns: a message that may send nothing is done, and one that is alone sends all") {
  Turns turns = some_turns();
  CHECK(order_of(turns, {0, 1}, 0).empty());
  CHECK(order_of(turns, {7}, 100) == std::vector<int>(100, 7));
}

}  // namespace
}  // namespace ddl::network::packets
