// The next due place, against a sorted set.
#include "core/base/agenda.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/base/rng.hpp"

using ddl::Agenda;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("nothing is due at first") {
  for (const std::size_t places : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}}) {
    CHECK(Agenda(places).next_s() == never);
  }
}

TEST_CASE("the earliest is next, and of those that are due together the first place") {
  for (const std::size_t places : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{64}, std::size_t{100}}) {
    ddl::Stream random = ddl::stream(places, "test", "agenda");
    Agenda agenda(places);
    std::set<std::pair<double, std::size_t>> expected;
    std::vector<double> at_s(places, never);
    for (std::size_t place = 0; place < places; ++place) expected.insert({never, place});
    for (int turn = 0; turn < 500; ++turn) {
      const std::size_t place = random.below(places);
      expected.erase({at_s[place], place});
      at_s[place] = random.below(4) == 0 ? never : static_cast<double>(random.below(20));
      expected.insert({at_s[place], place});
      agenda.set(place, at_s[place]);
      REQUIRE(agenda.next_s() == expected.begin()->first);
      if (agenda.next_s() < never) REQUIRE(agenda.next() == expected.begin()->second);
    }
  }
}

TEST_CASE("an agenda that grows keeps what is due, and nothing is due at its new places") {
  ddl::Stream random = ddl::stream(1, "test", "growing agenda");
  Agenda agenda(3);
  std::vector<double> at_s(3, never);
  for (std::size_t places = 3; places < 300; places += random.below(20)) {
    agenda.grow(places);
    agenda.grow(places / 2);  // leaves it as it is
    at_s.resize(places, never);
    for (int turn = 0; turn < 5; ++turn) {
      const std::size_t place = random.below(places);
      at_s[place] = static_cast<double>(random.below(20));
      agenda.set(place, at_s[place]);
    }
    const auto least = std::ranges::min_element(at_s);
    REQUIRE(agenda.next_s() == *least);
    REQUIRE(agenda.next() == static_cast<std::size_t>(least - at_s.begin()));
  }
}
