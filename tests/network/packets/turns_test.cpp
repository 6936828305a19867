// Bursts of several messages: which comes when.
#include "sim/network/packets/turns.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace ddl::network::packets {
namespace {

// The messages whose bursts were sent, one after the other. Each of them has so many.
std::vector<int> order_of(Turns& turns, const std::vector<int>& messages, int bursts) {
  std::vector<int> order;
  turns.take(messages, [&](int message) {
    if (std::ranges::count(order, message) == bursts) return false;
    order.push_back(message);
    return true;
  });
  return order;
}

Turns some_turns() { return Turns(stream(3, "w0", "turns")); }

TEST_CASE("turns: two messages are at work at a time, and each sends all its bursts") {
  Turns turns = some_turns();
  constexpr int bursts = 20;
  for (int time = 0; time < 50; ++time) {
    const std::vector<int> order = order_of(turns, {4, 5, 6, 7, 8}, bursts);
    REQUIRE(order.size() == 5 * bursts);
    std::array<int, 9> sent{};
    for (const int message : order) {
      ++sent[static_cast<std::size_t>(message)];
      CHECK(std::ranges::count_if(sent, [](int n) { return n > 0 && n < bursts; }) <= 2);
    }
    CHECK(std::ranges::count(sent, bursts) == 5);
  }
}

TEST_CASE("turns: a message goes on for more than n bursts with a probability of one over the root of n + 1") {
  Turns turns = some_turns();
  constexpr int bursts = 40, times = 20000;
  std::vector<int> first_runs;
  for (int time = 0; time < times; ++time) {
    const std::vector<int> order = order_of(turns, {0, 1}, bursts);
    const auto ends = std::ranges::find_if(order, [&](int message) { return message != order[0]; });
    first_runs.push_back(static_cast<int>(ends - order.begin()));
  }
  for (const int n : {1, 3, 8, 24}) {
    const double expected = 1 / std::sqrt(n + 1);
    const auto longer = static_cast<double>(std::ranges::count_if(first_runs, [n](int run) { return run > n; }));
    const double error = std::sqrt(expected * (1 - expected) / times);
    CAPTURE(n);
    CHECK(std::abs(longer / times - expected) < 4 * error);
  }
}

TEST_CASE("turns: each of several messages is as often the first") {
  Turns turns = some_turns();
  constexpr int times = 3000;
  std::array<int, 3> first{};
  for (int time = 0; time < times; ++time) ++first[static_cast<std::size_t>(order_of(turns, {0, 1, 2}, 1).front())];
  const double error = std::sqrt(times * (1.0 / 3) * (2.0 / 3));
  for (const int n : first) CHECK(std::abs(n - times / 3) < 4 * error);
}

TEST_CASE("turns: a message that may send nothing is done, and one that is alone sends all") {
  Turns turns = some_turns();
  CHECK(order_of(turns, {0, 1}, 0).empty());
  CHECK(order_of(turns, {7}, 100) == std::vector<int>(100, 7));
}

}  // namespace
}  // namespace ddl::network::packets
