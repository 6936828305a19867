#include "sim/advise/race.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ranges>

#include "sim/results/reading/statistics.hpp"

namespace ddl::advise {
namespace {

// After so many seeds: drops what is worse.
void look(Race& race, std::size_t seeds, std::size_t looks) {
  race.looked_after = seeds;
  const auto of = [&](std::size_t i) -> Race::Entrant& { return race.entrants[i]; };
  std::ranges::stable_sort(race.left, {}, [&](std::size_t i) {
    return mean_of(Scores(of(i).scores.begin(), of(i).scores.begin() + static_cast<std::ptrdiff_t>(seeds)));
  });
  race.leader = race.left.front();
  of(*race.leader).p.reset(), of(*race.leader).behind.reset();
  if (seeds < race_looks[0]) return;
  std::vector<double> p;
  for (const std::size_t i : race.left | std::views::drop(1)) {
    p.push_back(results::paired_p(differences_of(of(i).scores, of(*race.leader).scores, seeds)).value_or(1));
  }
  p = results::holm(p);
  for (std::size_t i = 1; i < race.left.size(); ++i) {
    Race::Entrant& entrant = of(race.left[i]);
    entrant.p = std::min(1.0, p[i - 1] * static_cast<double>(looks));
    entrant.behind = race.leader;
    if (*entrant.p < results::significance) entrant.dropped_after = seeds;
  }
  std::erase_if(race.left, [&](std::size_t i) { return of(i).dropped_after.has_value(); });
}

// Of one entrant, of the first so many seeds.
void ask_for_missing(Race& race, std::size_t entrant, std::size_t seeds) {
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    if (!race.entrants[entrant].scores[seed]) race.open.push_back({entrant, seed});
  }
}

}  // namespace

std::optional<double> mean_of(const Scores& scores) {
  double sum = 0, count = 0;
  for (const auto& score : scores) {
    if (score) sum += *score, ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::vector<double> differences_of(const Scores& one, const Scores& other, std::size_t seeds) {
  std::vector<double> differences;
  for (std::size_t seed = 0; seed < seeds; ++seed) differences.push_back(*one[seed] - *other[seed]);
  return differences;
}

std::size_t Race::Entrant::seeds() const {
  return static_cast<std::size_t>(std::ranges::count_if(scores, [](const auto& score) { return score.has_value(); }));
}

bool Race::Entrant::failed() const {
  return std::ranges::any_of(scores, [](const auto& score) { return score && std::isinf(*score); });
}

std::vector<std::size_t> looks_of(std::size_t seeds) {
  std::vector<std::size_t> looks;
  std::ranges::copy_if(race_looks, std::back_inserter(looks), [&](std::size_t look) { return look < seeds; });
  looks.push_back(seeds);  // of fewer than three nothing is tested
  return looks;
}

Race race(const std::vector<Scores>& scores) {
  Race race;
  if (scores.empty()) return race;
  const std::vector<std::size_t> looks = looks_of(scores.front().size());
  for (const Scores& own : scores) race.entrants.emplace_back().scores = own;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    Race::Entrant& entrant = race.entrants[i];
    const auto failed = std::ranges::find_if(scores[i], [](const auto& one) { return one && std::isinf(*one); });
    if (failed != scores[i].end()) {
      entrant.dropped_after = static_cast<std::size_t>(failed - scores[i].begin()) + 1;
      continue;
    }
    const std::size_t open = race.open.size();
    ask_for_missing(race, i, looks.front());
    entrant.waits = race.open.size() > open;
    if (!entrant.waits) race.left.push_back(i);
  }
  if (race.left.size() == 1 && !race.open.empty()) race.left.clear();  // there are not two to be looked at
  if (race.left.empty()) return race;
  for (const std::size_t until : looks) {
    const std::size_t before = race.open.size();
    for (const std::size_t i : race.left) ask_for_missing(race, i, until);
    if (race.open.size() > before) break;
    look(race, until, looks.size());
    if (race.left.size() == 1) break;
  }
  return race;
}

}  // namespace ddl::advise
