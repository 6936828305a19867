// Races among candidates whose distributions are known.
#include "sim/advise/race.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "core/base/rng.hpp"

namespace ddl::advise {
namespace {

std::vector<std::uint64_t> seeds_of(std::size_t count) {
  std::vector<std::uint64_t> seeds(count);
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
  return seeds;
}

// Normal scores: what a seed has in common for all, and what is each candidate's own.
struct Normals {
  std::vector<double> means;
  double common = 3, own = 1;
  std::uint64_t repetition = 0;

  double operator()(std::size_t entrant, std::uint64_t seed) const {
    const std::string name = std::to_string(seed);
    return means.at(entrant) + common * stream(repetition, "all", name).normal() +
           own * stream(repetition, std::to_string(entrant), name).normal();
  }
};

// To its end, with what it asks for and nothing else.
Race run_race(std::size_t entrants, std::size_t seeds, const std::function<double(std::size_t, std::uint64_t)>& score,
              std::size_t* runs = nullptr) {
  std::map<std::pair<std::size_t, std::uint64_t>, double> known;
  while (true) {
    const Race state = race(entrants, seeds_of(seeds), [&](std::size_t i, std::uint64_t seed) {
      const auto found = known.find({i, seed});
      return found == known.end() ? std::nullopt : std::optional(found->second);
    });
    if (runs != nullptr) *runs = known.size();
    if (state.open.empty()) return state;
    for (const Race::Open& open : state.open)
      CHECK(known.emplace(std::pair(open.entrant, open.seed), score(open.entrant, open.seed)).second);
  }
}

}  // namespace

TEST_CASE("a race drops what is worse, keeps the best, and its error rate holds") {
  constexpr int repetitions = 400;
  int dropped = 0, told_apart = 0;
  for (int i = 0; i < repetitions; ++i) {
    const Normals scores{{10, 10, 10, 13, 16, 30}, 3, 1, static_cast<std::uint64_t>(i)};
    const Race state = run_race(scores.means.size(), 12, scores);
    dropped += state.entrants[0].dropped_after.has_value();  // which is as good as any
    told_apart += state.entrants[3].dropped_after && state.entrants[4].dropped_after && state.entrants[5].dropped_after;
  }
  CHECK(dropped <= repetitions * 5 / 100);
  CHECK(told_apart >= repetitions * 95 / 100);
}

TEST_CASE("a race among equals drops the best in no more than one of twenty") {
  constexpr int repetitions = 400;
  int dropped = 0;
  for (int i = 0; i < repetitions; ++i) {
    const Normals scores{std::vector<double>(8, 1.0), 3, 1, static_cast<std::uint64_t>(1000 + i)};
    dropped += run_race(8, 12, scores).entrants[0].dropped_after.has_value();
  }
  CHECK(dropped <= repetitions * 5 / 100);
}

TEST_CASE("what all seeds have in common does not hide a difference") {
  const Normals scores{{1.0, 1.5}, 100, 0.05, 7};
  const Race state = run_race(2, 12, scores);
  CHECK(state.left == std::vector<std::size_t>{0});
  CHECK(state.entrants[1].dropped_after.has_value());
}

TEST_CASE("the winner of a race of two is decided as soon as a look shows it, and no further run is asked for") {
  std::size_t runs = 0;
  const Race state = run_race(
      2, 12,
      [](std::size_t i, std::uint64_t seed) {
        return static_cast<double>(i) + 1e-3 * static_cast<double>(seed * (i + 1) % 3);
      },
      &runs);
  CHECK(state.left == std::vector<std::size_t>{0});
  CHECK(state.looked_after == 3);
  CHECK(runs == 6);
}

TEST_CASE("exact ties are never told apart, and a race ends after the last look") {
  std::size_t runs = 0;
  const Race state = run_race(
      3, 20, [](std::size_t, std::uint64_t seed) { return static_cast<double>(seed); }, &runs);
  CHECK(state.left.size() == 3);
  CHECK(state.looked_after == 12);
  CHECK(runs == 36);
  CHECK(*state.entrants[1].p == 1);
}

TEST_CASE("with fewer seeds than the first look has nothing is dropped, and what fails is dropped at once") {
  const auto worse = [](std::size_t i, std::uint64_t) -> std::optional<double> { return static_cast<double>(100 * i); };
  CHECK(race(3, seeds_of(2), worse).left.size() == 3);
  CHECK(race(3, seeds_of(2), worse).leader == std::size_t{0});
  const Race failing = race(2, seeds_of(3), [](std::size_t i, std::uint64_t seed) -> std::optional<double> {
    return i == 0 ? INFINITY : static_cast<double>(seed);
  });
  CHECK(failing.left == std::vector<std::size_t>{1});
  CHECK(failing.leader == std::size_t{1});
}

TEST_CASE("a race that was cut off has an order, and goes on to where it would have come") {
  const Normals scores{{10, 10.2, 14}, 3, 1, 3};
  const Race whole = run_race(3, 12, scores);
  const Race cut = race(3, seeds_of(12), [&](std::size_t i, std::uint64_t seed) {
    return seed < 3 || (seed == 3 && i == 2) ? std::optional(scores(i, seed)) : std::nullopt;
  });
  CHECK(cut.looked_after == 0);
  CHECK(cut.open.size() == 2);
  REQUIRE(cut.leader.has_value());
  const Race again = race(3, seeds_of(12), [&](std::size_t i, std::uint64_t seed) -> std::optional<double> {
    return scores(i, seed);  // more than is asked for changes nothing
  });
  CHECK(again.left == whole.left);
  CHECK(again.looked_after == whole.looked_after);
}

TEST_CASE("entrants that lack seeds of the first look wait while those that have them race, and join in later") {
  // The second is as good as the first, the third far behind, the fourth the best by far.
  const Normals scores{{10, 10, 40, 1}, 3, 0.5, 5};
  const auto without = [&](std::size_t missing) {
    return [&scores, missing](std::size_t i, std::uint64_t seed) {
      return i == missing && seed > 1 ? std::nullopt : std::optional(scores(i, seed));
    };
  };
  const Race cut = race(4, seeds_of(3), without(3));
  CHECK(cut.looked_after == 3);
  CHECK(cut.entrants[3].waits);
  CHECK_FALSE(cut.entrants[3].dropped_after.has_value());
  CHECK(cut.entrants[2].dropped_after == std::size_t{3});
  CHECK(std::ranges::count(cut.left, std::size_t{3}) == 0);
  REQUIRE(cut.open.size() == 2);
  CHECK(cut.open[0].entrant == 3);
  CHECK(cut.open[0].seed == 2);
  // More seeds are asked for, of those that wait first.
  CHECK(race(4, seeds_of(5), without(3)).open.front().entrant == 3);
  const Race whole = race(4, seeds_of(3), without(4));
  CHECK(whole.left == std::vector<std::size_t>{3});
  CHECK(whole.open.empty());
}

TEST_CASE("of fewer seeds than the first look has all are asked for, and means over different seeds are not compared") {
  // The first has both seeds, the second one, the third, which is the best of all, none or one.
  const auto with = [](std::size_t of_second, std::size_t of_third) {
    return race(3, seeds_of(2), [=](std::size_t i, std::uint64_t seed) -> std::optional<double> {
      const std::size_t had[] = {2, of_second, of_third};
      const double scores[] = {5, 3, 1};
      return seed <= had[i] ? std::optional(scores[i]) : std::nullopt;
    });
  };
  const Race cut = with(1, 0);
  CHECK_FALSE(cut.entrants[0].waits);
  CHECK(cut.entrants[1].waits);
  CHECK(cut.entrants[2].waits);
  CHECK(cut.open.size() == 1 + 2);
  CHECK(cut.leader == std::size_t{0});
  CHECK(cut.left == std::vector<std::size_t>{0, 1, 2});
  CHECK_FALSE(cut.is_even());

  const Race two = with(2, 1);
  CHECK(two.left == std::vector<std::size_t>{1, 0});
  CHECK(two.leader == std::size_t{1});
  CHECK(two.open.size() == 1);
  CHECK(two.is_even());
  CHECK(two.looked_after == 0);

  const Race whole = with(2, 2);
  CHECK(whole.left == std::vector<std::size_t>{2, 1, 0});
  CHECK(whole.open.empty());
}

}  // namespace ddl::advise
