// Searches over settings whose scores are known.
#include "sim/advise/halving.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "core/base/rng.hpp"

namespace ddl::advise {
namespace {

using SearchScore = std::function<double(const SearchRun&)>;

// A search to its end; each run is asked for once.
struct FinishedSearch {
  Halving state;
  std::size_t runs = 0;
};
FinishedSearch search(const SearchSpace& space, const SearchScore& score) {
  std::map<SearchRun, double> known;
  while (true) {
    Halving state = halve(space, [&](const SearchRun& run) {
      const auto found = known.find(run);
      return found == known.end() ? std::nullopt : std::optional(found->second);
    });
    if (state.open.empty()) return {std::move(state), known.size()};
    for (const SearchRun& run : state.open) CHECK(known.emplace(run, score(run)).second);
  }
}

// A valley about the rate `best`, in doublings; of shorter runs about larger rates: by a doubling for a quarter.
SearchScore valley(const SearchSpace& space, double best, double noise = 0) {
  return [&space, best, noise](const SearchRun& run) {
    const double way = std::log2(rate_of(space, run.setting) / best) + std::log2(run.length) / 2;
    return way * way + noise * stream(run.seed, std::to_string(run.setting.quarters), "noise").normal();
  };
}

double best_rate(const SearchSpace& space, const Halving& state) {
  REQUIRE(state.best() != nullptr);
  return rate_of(space, state.best()->setting);
}

SearchSpace rates_of(int rates, int spare, std::vector<Rung> rungs) {
  return {{}, 0.1, false, rates, spare, std::move(rungs)};
}

}  // namespace

TEST_CASE("every search over a space takes as many runs, whatever its scores") {
  // 5 and 3 with one seed, 4 of them with a second, 2 with a third and a fourth; and, with shorter runs first, 3 and 2,
  // then 2 and 2 whole ones, 2 of them with a second seed.
  for (const auto& [space, expected] :
       {std::pair(rates_of(5, 3, rungs_by_seeds(4)), 8 + 4 + 4),
        std::pair(rates_of(3, 2, {{1.0 / 16, 1}, {0.25, 1}, {1, 1}, {1, 2}}), 3 + 2 + 4 + 2)}) {
    std::set<std::size_t> runs = {runs_of(space)};
    for (const double best : {1e-4, 0.02, 0.1, 0.3, 5.0, 1e4}) {
      runs.insert(search(space, valley(space, best)).runs);
      runs.insert(search(space, valley(space, best, 3)).runs);
    }
    // The same if no whole run has a result.
    const auto fails = [](const SearchRun& run) {
      return run.length < 1 ? std::abs(run.setting.quarters) : mean_of(std::vector<double>());
    };
    runs.insert(search(space, fails).runs);
    CHECK(runs == std::set<std::size_t>{static_cast<std::size_t>(expected)});
  }
  SearchSpace lists{{{"a", {"1", "2", "3"}}, {"b", {"x", "y"}}}, std::nullopt, false, 5, 3, rungs_by_seeds(3)};
  const auto flat = [](const SearchRun&) { return 1.0; };
  CHECK(search(lists, flat).runs == 6 + 3 + 2 * 1);  // 6 settings, 3 with two seeds, 2 with three
  lists.rungs = rungs_by_seeds(1);
  CHECK(search(lists, flat).runs == 6);
}

TEST_CASE("the best rate is found between the rates of the grid and beyond them") {
  const SearchSpace space = rates_of(5, 3, rungs_by_seeds(4));
  for (const double best : {0.1, 0.2, 0.14, 0.03, 0.5, 0.8, 2.0, 0.006}) {
    const Halving state = search(space, valley(space, best)).state;
    CAPTURE(best);
    CHECK(std::abs(std::log2(best_rate(space, state) / best)) <= 0.5);
    CHECK_FALSE(state.at_edge);
  }
  // Four times the scenario's rate and three doublings are as far as it goes; then it says that it is at the edge.
  const Halving far = search(space, valley(space, 100)).state;
  CHECK(best_rate(space, far) == doctest::Approx(0.1 * 4 * 8));
  CHECK(far.at_edge);
  // Cut off after `known` of the rates 0.1, 0.2, 0.05; the largest is the best. A single one has no edge yet.
  for (const int known : {1, 2, 3}) {
    CAPTURE(known);
    int asked = 0;
    const Halving cut = halve(space, [&](const SearchRun& run) {
      return asked++ < known ? std::optional(-rate_of(space, run.setting)) : std::nullopt;
    });
    REQUIRE_FALSE(cut.open.empty());
    CHECK(cut.at_edge == (known > 1));
  }
}

TEST_CASE("shorter runs, which prefer larger rates, do not decide which is the best of complete ones") {
  const SearchSpace space = rates_of(3, 2, {{1.0 / 16, 1}, {0.25, 1}, {1, 1}, {1, 2}});
  // At a sixteenth the best is four times as large.
  for (const double best : {0.4, 0.2, 0.1, 0.07, 0.05, 0.025}) {
    CAPTURE(best);
    const Halving state = search(space, valley(space, best)).state;
    CHECK(std::abs(std::log2(best_rate(space, state) / best)) <= 0.5);
    CHECK(state.length() == 1);
    CHECK(state.best()->scores.at(1).size() == 2);
    CHECK(state.best_after(1.0 / 16)->scores.at(1.0 / 16).size() == 1);
  }
}

TEST_CASE("the best of a list is found through noise that misleads single seeds") {
  const SearchSpace space{{{"period", {"1", "2", "4", "8"}}}, std::nullopt, false, 5, 3, rungs_by_seeds(4)};
  const auto score = [](const SearchRun& run) {
    const double true_score[] = {4, 2, 1, 3};
    // The second is the best with the first seed, and with that one alone.
    return run.setting.values[0] == 1 && run.seed == 0 ? 0.5 : true_score[run.setting.values[0]];
  };
  const Halving state = search(space, score).state;
  CHECK(overrides_of(space, state.best()->setting)[0].value == "4");
  CHECK(state.best()->scores.at(1).size() == 4);
}

TEST_CASE("settings are written as a scenario reads them, each list and the rate") {
  const SearchSpace space{{{"algorithm.partitions", {"2", "\"auto\""}}}, 0.4, false, 3, 0, rungs_by_seeds(1)};
  const Halving state = halve(space, [](const SearchRun&) { return std::nullopt; });
  CHECK(state.best() == nullptr);
  std::vector<std::string> texts;
  for (const SearchRun& run : state.open) {
    const auto changes = overrides_of(space, run.setting);
    REQUIRE(changes.size() == 2);
    CHECK(changes[0].path == "algorithm.partitions");
    CHECK(changes[1].path == rate_path);
    texts.push_back(changes[0].value + " " + changes[1].value);
  }
  CHECK(texts == std::vector<std::string>{"2 0.4", "\"auto\" 0.4", "2 0.8", "\"auto\" 0.8", "2 0.2", "\"auto\" 0.2"});
}

TEST_CASE("one by one each value meets the first ones of the rest, and what was better is then tried together") {
  SearchSpace space{{{"a", {"1", "2", "3"}}, {"b", {"x", "y"}}}, 0.1, true, 3, 2, {{0.125, 1}, {1, 1}, {1, 2}}};
  // Costs add up: a is best at its third, b at its second, and the rate at its double.
  std::vector<SearchRun> asked;
  const auto score = [&](const SearchRun& run) {
    asked.push_back(run);
    const double of_a[] = {2, 3, 1}, of_b[] = {1, 0};
    return of_a[run.setting.values[0]] + of_b[run.setting.values[1]] + std::abs(run.setting.quarters - 4) / 8.0;
  };
  const Halving state = search(space, score).state;
  CHECK(std::ranges::count(asked, 0.125, &SearchRun::length) == 3 + 2 + 1);  // rates, and other values of each list
  CHECK(state.best()->setting.values == std::vector<std::size_t>{2, 1});
  CHECK(state.best()->setting.quarters == 4);
  CHECK(static_cast<std::size_t>(asked.size()) == runs_of(space));
}

TEST_CASE("a search that was cut off has the best of what it knows, and goes on from there") {
  const SearchSpace space = rates_of(5, 3, rungs_by_seeds(4));
  const SearchScore score = valley(space, 0.2);
  const Halving cut = halve(space, [&](const SearchRun& run) {
    return run.setting.quarters >= 0 && run.setting.quarters <= 4 ? std::optional(score(run)) : std::nullopt;
  });
  CHECK(best_rate(space, cut) == doctest::Approx(0.2));
  CHECK(cut.open.size() == 3);
}

}  // namespace ddl::advise
