// Searches over settings whose scores are known.
#include "sim/advise/halving.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>

#include "core/base/rng.hpp"

namespace ddl::advise {
namespace {

const std::vector<std::uint64_t> four_seeds = {101, 102, 103, 104};

using KnownScore = std::function<double(const SearchSetting&, std::uint64_t)>;

// A search to its end; each run is asked for once.
struct Finished {
  Halving state;
  std::size_t runs = 0;
};
Finished search(const SearchSpace& space, const std::vector<std::uint64_t>& seeds, const KnownScore& score) {
  std::map<std::pair<SearchSetting, std::uint64_t>, double> known;
  while (true) {
    Halving state = halve(space, seeds, [&](const SearchSetting& setting, std::uint64_t seed) {
      const auto found = known.find({setting, seed});
      return found == known.end() ? std::nullopt : std::optional(found->second);
    });
    if (state.open.empty()) return {std::move(state), known.size()};
    for (const Halving::Open& open : state.open) {
      CHECK(known.emplace(std::pair(open.setting, open.seed), score(open.setting, open.seed)).second);
    }
  }
}

// A valley about the rate `best`, in doublings.
KnownScore valley(const SearchSpace& space, double best, double noise = 0) {
  return [&space, best, noise](const SearchSetting& setting, std::uint64_t seed) {
    const double way = std::log2(rate_of(space, setting) / best);
    return way * way + noise * stream(seed, std::to_string(setting.quarters), "noise").normal();
  };
}

double best_rate(const SearchSpace& space, const Halving& state) {
  return rate_of(space, state.tried.at(state.best.value()).setting);
}

}  // namespace

TEST_CASE("every search over a space takes as many runs, whatever its scores") {
  const SearchSpace rates{{}, 0.1, 5, 3};
  std::set<std::size_t> runs;
  for (const double best : {1e-4, 0.02, 0.1, 0.3, 5.0, 1e4}) {
    runs.insert(search(rates, four_seeds, valley(rates, best)).runs);
    runs.insert(search(rates, four_seeds, valley(rates, best, 3)).runs);
  }
  // 5 and 3 with one seed, 4 of them with a second, 2 with a third and a fourth.
  CHECK(runs == std::set<std::size_t>{8 + 4 + 4});
  CHECK(runs_of(rates, four_seeds.size()) == 16);

  const SearchSpace lists{{{"a", {"1", "2", "3"}}, {"b", {"x", "y"}}}, std::nullopt};
  const auto flat = [](const SearchSetting&, std::uint64_t) { return 1.0; };
  CHECK(search(lists, {1, 2, 3}, flat).runs == 6 + 3 + 2 * 1);  // 6 settings, 3 with two seeds, 2 with three
  CHECK(runs_of(lists, 3) == 11);
  CHECK(search(lists, {1}, flat).runs == 6);
}

TEST_CASE("the best rate is found between the rates of the grid and beyond them") {
  const SearchSpace space{{}, 0.1, 5, 3};
  for (const double best : {0.1, 0.2, 0.14, 0.03, 0.5, 0.8, 2.0, 0.006}) {
    const Halving state = search(space, four_seeds, valley(space, best)).state;
    CAPTURE(best);
    CHECK(std::abs(std::log2(best_rate(space, state) / best)) <= 0.5);
    CHECK_FALSE(state.at_edge);
  }
  // Four times the scenario's rate and three doublings are as far as it goes; then it says that it is at the edge.
  const Halving far = search(space, four_seeds, valley(space, 100)).state;
  CHECK(best_rate(space, far) == doctest::Approx(0.1 * 4 * 8));
  CHECK(far.at_edge);
  // Cut off after so many of the rates 0.1, 0.2, 0.05, of which the largest is the best: of one there is no edge yet.
  for (const int known : {1, 2, 3}) {
    CAPTURE(known);
    int asked = 0;
    const Halving cut = halve(space, four_seeds, [&](const SearchSetting& setting, std::uint64_t) {
      return asked++ < known ? std::optional(-rate_of(space, setting)) : std::nullopt;
    });
    REQUIRE_FALSE(cut.open.empty());
    CHECK(cut.at_edge == (known > 1));
  }
}

TEST_CASE("the best of a list is found through noise that misleads single seeds") {
  const SearchSpace space{{{"period", {"1", "2", "4", "8"}}}, std::nullopt};
  const auto score = [](const SearchSetting& setting, std::uint64_t seed) {
    const double true_score[] = {4, 2, 1, 3};
    // The second is the best with the first seed, and with that one alone.
    return setting.values[0] == 1 && seed == 101 ? 0.5 : true_score[setting.values[0]];
  };
  const Halving state = search(space, four_seeds, score).state;
  CHECK(overrides_of(space, state.tried.at(*state.best).setting)[0].value == "4");
  CHECK(state.tried[*state.best].scores.size() == 4);
}

TEST_CASE("settings are written as a scenario reads them, each list and the rate") {
  const SearchSpace space{{{"algorithm.partitions", {"2", "\"auto\""}}}, 0.4, 3, 0};
  const Halving state = halve(space, {9}, [](const auto&, std::uint64_t) { return std::nullopt; });
  REQUIRE(state.open.size() == 6);
  CHECK_FALSE(state.best.has_value());
  std::vector<std::string> texts;
  for (const Halving::Open& open : state.open) {
    const auto changes = overrides_of(space, open.setting);
    REQUIRE(changes.size() == 2);
    CHECK(changes[0].path == "algorithm.partitions");
    CHECK(changes[1].path == rate_path);
    texts.push_back(changes[0].value + " " + changes[1].value);
    CHECK(open.seed == 9);
  }
  CHECK(texts == std::vector<std::string>{"2 0.4", "\"auto\" 0.4", "2 0.8", "\"auto\" 0.8", "2 0.2", "\"auto\" 0.2"});
}

TEST_CASE("a search that was cut off has the best of what it knows, and goes on from there") {
  const SearchSpace space{{}, 0.1, 5, 3};
  const KnownScore score = valley(space, 0.2);
  const Halving cut = halve(space, four_seeds, [&](const SearchSetting& setting, std::uint64_t seed) {
    return setting.quarters >= 0 && setting.quarters <= 4 ? std::optional(score(setting, seed)) : std::nullopt;
  });
  REQUIRE(cut.best.has_value());
  CHECK(best_rate(space, cut) == doctest::Approx(0.2));
  CHECK(cut.open.size() == 3);
}

}  // namespace ddl::advise
