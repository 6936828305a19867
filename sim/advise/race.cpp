#include "sim/advise/race.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "sim/results/reading/statistics.hpp"

namespace ddl::advise {
namespace {

// Over the first so many seeds, all of which are known.
double mean_of(const Race::Entrant& entrant, std::size_t seeds) {
  double sum = 0;
  for (std::size_t seed = 0; seed < seeds; ++seed) sum += *entrant.scores[seed];
  return sum / static_cast<double>(seeds);
}

double paired_p_of(const Race::Entrant& one, const Race::Entrant& leader, std::size_t seeds) {
  std::vector<double> differences;
  for (std::size_t seed = 0; seed < seeds; ++seed) differences.push_back(*one.scores[seed] - *leader.scores[seed]);
  return results::paired_p(differences).value_or(1);
}

// After so many seeds: drops what is worse.
void look(Race& race, std::size_t seeds) {
  race.looked_after = seeds;
  std::ranges::stable_sort(race.left, {}, [&](std::size_t i) { return mean_of(race.entrants[i], seeds); });
  const Race::Entrant& leader = race.entrants[race.left.front()];
  race.entrants[race.left.front()].p.reset();
  std::vector<double> p;
  for (std::size_t i = 1; i < race.left.size(); ++i) {
    p.push_back(paired_p_of(race.entrants[race.left[i]], leader, seeds));
  }
  p = results::holm(p);
  std::vector<std::size_t> left = {race.left.front()};
  for (std::size_t i = 1; i < race.left.size(); ++i) {
    Race::Entrant& entrant = race.entrants[race.left[i]];
    entrant.p = std::min(1.0, p[i - 1] * static_cast<double>(std::size(race_looks)));
    if (*entrant.p < results::significance) {
      entrant.dropped_after = seeds;
    } else {
      left.push_back(race.left[i]);
    }
  }
  race.left = std::move(left);
}

// Before the first look nothing is tested, and what is known gives an order at most: means over different numbers of
// seeds are not compared.
void order_by_what_is_known(Race& race) {
  std::ranges::stable_sort(race.left, [&](std::size_t a, std::size_t b) {
    const Race::Entrant &one = race.entrants[a], &other = race.entrants[b];
    if (one.seeds() != other.seeds()) return one.seeds() > other.seeds();
    return one.seeds() > 0 && *one.mean() < *other.mean();
  });
  if (!race.left.empty() && race.entrants[race.left.front()].seeds() > 0) race.leader = race.left.front();
}

// Of one entrant, until so many seeds. True if there is none.
bool ask_for_missing(Race& race, std::size_t i, const std::vector<std::uint64_t>& seeds, std::size_t until) {
  bool whole = true;
  for (std::size_t seed = 0; seed < until; ++seed) {
    if (race.entrants[i].scores[seed]) continue;
    race.open.push_back({i, seeds[seed]});
    whole = false;
  }
  return whole;
}

// False if there are not two to be looked at.
bool leave_out_waiting(Race& race, const std::vector<std::uint64_t>& seeds) {
  std::vector<std::size_t> whole;
  for (const std::size_t i : race.left) {
    race.entrants[i].waits = !ask_for_missing(race, i, seeds, std::min(race_looks[0], seeds.size()));
    if (!race.entrants[i].waits) whole.push_back(i);
  }
  if (whole.size() < 2 && whole.size() < race.left.size()) return false;
  race.left = std::move(whole);
  return true;
}

void run_looks(Race& race, const std::vector<std::uint64_t>& seeds) {
  for (const std::size_t until : race_looks) {
    if (until > seeds.size() || race.left.empty() || (race.looked_after > 0 && race.left.size() == 1)) return;
    bool whole = true;
    for (const std::size_t i : race.left) whole = ask_for_missing(race, i, seeds, until) && whole;
    if (!whole) return;
    look(race, until);
    race.leader = race.left.front();
  }
}

}  // namespace

std::size_t Race::Entrant::seeds() const {
  return static_cast<std::size_t>(std::ranges::count_if(scores, [](const auto& score) { return score.has_value(); }));
}

std::optional<double> Race::Entrant::mean() const {
  double sum = 0;
  for (const auto& score : scores) sum += score.value_or(0);
  return seeds() > 0 ? std::optional(sum / static_cast<double>(seeds())) : std::nullopt;
}

bool Race::is_even() const {
  return std::ranges::none_of(left, [this](std::size_t i) { return entrants[i].waits; });
}

Race race(std::size_t entrants, const std::vector<std::uint64_t>& seeds, const RaceScore& score) {
  Race race;
  race.entrants.resize(entrants);
  for (std::size_t i = 0; i < entrants; ++i) {
    Race::Entrant& entrant = race.entrants[i];
    for (const std::uint64_t seed : seeds) {
      entrant.scores.push_back(score(i, seed));
      if (entrant.scores.back() && std::isinf(*entrant.scores.back())) entrant.dropped_after = entrant.scores.size();
    }
    if (!entrant.dropped_after) race.left.push_back(i);
  }
  if (leave_out_waiting(race, seeds)) run_looks(race, seeds);
  if (race.looked_after == 0) order_by_what_is_known(race);
  return race;
}

}  // namespace ddl::advise
