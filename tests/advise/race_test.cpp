// Races among candidates whose distributions are known.
#include "sim/advise/race.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "core/base/rng.hpp"

namespace ddl::advise {
namespace {

// Normal scores: the part that a seed gives to all, and each candidate's own.
struct Normals {
  std::vector<double> means;
  double common = 3, own = 1;
  std::uint64_t repetition = 0;

  double operator()(std::size_t entrant, std::size_t seed) const {
    const std::string name = std::to_string(seed);
    return means.at(entrant) + common * stream(repetition, "all", name).normal() +
           own * stream(repetition, std::to_string(entrant), name).normal();
  }
};

using RaceScore = std::function<std::optional<double>(std::size_t entrant, std::size_t seed)>;

std::vector<Scores> scores_of(std::size_t entrants, std::size_t seeds, const RaceScore& score) {
  std::vector<Scores> scores(entrants);
  for (std::size_t i = 0; i < entrants; ++i) {
    for (std::size_t seed = 0; seed < seeds; ++seed) scores[i].push_back(score(i, seed));
  }
  return scores;
}

// Runs to the end, exactly as requested.
struct FinishedRace {
  Race race;
  std::size_t runs = 0;
};
FinishedRace run_race(std::size_t entrants, std::size_t seeds, const RaceScore& score) {
  std::vector<Scores> known(entrants, Scores(seeds));
  for (std::size_t runs = 0;; ++runs) {
    const Race state = race(known);
    if (state.open.empty()) return {state, runs};
    const Race::Open& next = state.open.front();
    REQUIRE_FALSE(known[next.entrant][next.seed].has_value());
    known[next.entrant][next.seed] = score(next.entrant, next.seed);
  }
}

}  // namespace

TEST_CASE("a race drops what is worse, keeps the best, and its error rate holds") {
  constexpr int repetitions = 400;
  int dropped = 0, told_apart = 0;
  for (int i = 0; i < repetitions; ++i) {
    const Normals scores{{10, 10, 10, 13, 16, 30}, 3, 1, static_cast<std::uint64_t>(i)};
    const Race state = run_race(scores.means.size(), 12, scores).race;
    dropped += state.entrants[0].dropped_after.has_value();  // it is as good as any
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
    dropped += run_race(8, 12, scores).race.entrants[0].dropped_after.has_value();
  }
  CHECK(dropped <= repetitions * 5 / 100);
}

TEST_CASE("variation common to all seeds does not hide a difference") {
  const Race state = run_race(2, 12, Normals{{1.0, 1.5}, 100, 0.05, 7}).race;
  CHECK(state.left == std::vector<std::size_t>{0});
  CHECK(state.entrants[1].dropped_after.has_value());
}

TEST_CASE("the winner of a race of two is decided as soon as a look shows it, and no further run is asked for") {
  const auto [state, runs] = run_race(2, 12, [](std::size_t i, std::size_t seed) {
    return static_cast<double>(i) + 1e-3 * static_cast<double>((seed + 1) * (i + 1) % 3);
  });
  CHECK(state.left == std::vector<std::size_t>{0});
  CHECK(state.looked_after == 3);
  CHECK(runs == 6);
}

TEST_CASE("exact ties are never told apart, and a race ends after the last seed") {
  const auto [state, runs] = run_race(3, 20, [](std::size_t, std::size_t seed) { return static_cast<double>(seed); });
  CHECK(state.left.size() == 3);
  CHECK(state.looked_after == 20);
  CHECK(runs == 60);
  CHECK(*state.entrants[1].p == 1);
}

TEST_CASE("a race looks after the last seed, however many there are") {
  using Looks = std::vector<std::size_t>;
  CHECK(looks_of(1) == Looks{1});
  CHECK(looks_of(4) == Looks{3, 4});
  CHECK(looks_of(12) == Looks{3, 5, 8, 12});
  CHECK(looks_of(40) == Looks{3, 5, 8, 12, 40});
}

TEST_CASE("with fewer seeds than a test needs all are run, the leader has the best mean, and nothing is dropped") {
  const auto with = [](std::size_t of_second, std::size_t of_third) {
    return race(scores_of(3, 2, [=](std::size_t i, std::size_t seed) -> std::optional<double> {
      const std::size_t had[] = {2, of_second, of_third};
      const double scores[] = {5, 3, 1};
      return seed < had[i] ? std::optional(scores[i]) : std::nullopt;
    }));
  };
  // Means over different seeds are not compared: there is no leader before two have both.
  const Race cut = with(1, 0);
  CHECK_FALSE(cut.entrants[0].waits);
  CHECK(cut.entrants[1].waits);
  CHECK(cut.entrants[2].waits);
  CHECK(cut.open.size() == 1 + 2);
  CHECK_FALSE(cut.leader.has_value());
  CHECK(with(2, 1).leader == std::size_t{1});
  const Race whole = with(2, 2);
  CHECK(whole.left == std::vector<std::size_t>{2, 1, 0});
  CHECK(whole.looked_after == 2);
  CHECK_FALSE(whole.entrants[0].p.has_value());
  CHECK(whole.open.empty());
}

TEST_CASE("an entrant that fails is dropped at once") {
  const Race failing = race(scores_of(2, 3, [](std::size_t i, std::size_t seed) -> std::optional<double> {
    return i == 0 ? INFINITY : static_cast<double>(seed);
  }));
  CHECK(failing.left == std::vector<std::size_t>{1});
  CHECK(failing.leader == std::size_t{1});
}

TEST_CASE("a race that was cut off goes on to where it would have come, and more than it asks for changes nothing") {
  const Normals scores{{10, 10.2, 14}, 3, 1, 3};
  const Race whole = run_race(3, 12, scores).race;
  const Race cut = race(scores_of(3, 12, [&](std::size_t i, std::size_t seed) {
    return seed < 2 || (seed == 2 && i == 2) ? std::optional(scores(i, seed)) : std::nullopt;
  }));
  CHECK(cut.looked_after == 0);
  CHECK(cut.open.size() == 2);
  const Race again = race(scores_of(3, 12, scores));
  CHECK(again.left == whole.left);
  CHECK(again.looked_after == whole.looked_after);
}

TEST_CASE("entrants that lack seeds of the first look wait while those that have them race, and join in later") {
  // The second is as good as the first, the third far behind, the fourth the best by far.
  const Normals scores{{10, 10, 40, 1}, 3, 0.5, 5};
  const auto without = [&](std::size_t missing, std::size_t seeds) {
    return race(scores_of(4, seeds, [&](std::size_t i, std::size_t seed) {
      return i == missing && seed > 0 ? std::nullopt : std::optional(scores(i, seed));
    }));
  };
  const Race cut = without(3, 3);
  CHECK(cut.looked_after == 3);
  CHECK(cut.entrants[3].waits);
  CHECK_FALSE(cut.entrants[3].dropped_after.has_value());
  CHECK(cut.entrants[2].dropped_after == std::size_t{3});
  CHECK(std::ranges::count(cut.left, std::size_t{3}) == 0);
  REQUIRE(cut.open.size() == 2);
  CHECK(cut.open[0].entrant == 3);
  CHECK(cut.open[0].seed == 1);
  // More seeds are requested, for waiting candidates first.
  CHECK(without(3, 5).open.front().entrant == 3);
  const Race whole = without(4, 3);
  CHECK(whole.left == std::vector<std::size_t>{3});
  CHECK(whole.open.empty());
}

}  // namespace ddl::advise
