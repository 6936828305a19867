#include "sim/advise/halving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ddl::advise {
namespace {

constexpr int doubling = 4;  // quarters

// From the middle outwards, so that a search which is cut off has tried what is most likely: 0, 1, -1, 2, ...
int quarters_of(int i) { return doubling * (i % 2 == 1 ? (i + 1) / 2 : -i / 2); }

std::vector<SearchSetting> settings_one_by_one(const SearchSpace& space) {
  const SearchSetting first{std::vector<std::size_t>(space.axes.size(), 0)};
  std::vector<SearchSetting> all = {first};
  for (int i = 1; space.rate && i < space.rates; ++i) all.push_back({first.values, quarters_of(i)});
  for (std::size_t axis = 0; axis < space.axes.size(); ++axis) {
    for (std::size_t value = 1; value < space.axes[axis].values.size(); ++value) {
      all.push_back(first);
      all.back().values[axis] = value;
    }
  }
  return all;
}

std::vector<SearchSetting> grid_of(const SearchSpace& space) {
  if (space.one_by_one) return settings_one_by_one(space);
  std::vector<SearchSetting> settings(1);
  for (const SearchSpace::Axis& axis : space.axes) {
    std::vector<SearchSetting> longer;
    for (const SearchSetting& setting : settings) {
      for (std::size_t i = 0; i < axis.values.size(); ++i) {
        longer.push_back(setting);
        longer.back().values.push_back(i);
      }
    }
    settings = std::move(longer);
  }
  if (!space.rate) return settings;
  std::vector<SearchSetting> all;
  for (int i = 0; i < space.rates; ++i) {
    for (SearchSetting setting : settings) {
      setting.quarters = quarters_of(i);
      all.push_back(setting);
    }
  }
  return all;
}

// One search, followed.
class Search {
 public:
  Search(const SearchSpace& space, const ScoreOf& score) : space_(space), score_(score) {}

  Halving follow() {
    for (const SearchSetting& setting : grid_of(space_)) found_.tried.push_back({setting, {}});
    std::vector<std::size_t> kept(found_.tried.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    double before = 0;  // the length of the last runs
    for (const Rung& rung : space_.rungs) {
      if (before == 1 && kept.size() == 1) break;
      if (before > 0) keep_better(kept, before);
      if (!look(kept, rung)) break;
      if (before < 1 && rung.length == 1 && !try_further(kept, rung, before)) break;
      before = rung.length;
    }
    found_.at_edge = is_at_edge();
    return std::move(found_);
  }

 private:
  // The better half; of shorter runs a quarter, but two for complete runs: what is best there may be second before.
  void keep_better(std::vector<std::size_t>& kept, double length) const {
    std::ranges::stable_sort(kept, {}, [&](std::size_t i) { return mean_of(found_.tried[i].scores.at(length)); });
    const std::size_t count = kept.size();
    kept.resize(std::min(count, length < 1 ? std::max<std::size_t>(2, (count + 3) / 4) : (count + 1) / 2));
  }

  // Whether all have the scores that the rung asks for; those without are open.
  bool look(const std::vector<std::size_t>& settings, const Rung& rung) {
    for (const std::size_t index : settings) {
      std::vector<double> scores;
      for (std::size_t seed = 0; seed < rung.seeds; ++seed) {
        const SearchRun run{found_.tried[index].setting, rung.length, seed};
        const auto score = scores.size() == seed ? score_(run) : std::nullopt;
        if (score) {
          scores.push_back(*score);
        } else {
          found_.open.push_back(run);
        }
      }
      if (!scores.empty()) found_.tried[index].scores[rung.length] = std::move(scores);
    }
    return found_.open.empty();
  }

  // One by one, each at once as far as this rung; false if one is open.
  bool try_further(std::vector<std::size_t>& kept, const Rung& rung, double before) {
    for (int i = 0; space_.rate && i < space_.spare; ++i) {
      const auto together = i == 0 && space_.one_by_one ? best_together(before) : std::nullopt;
      const SearchSetting next = together.value_or(next_rate());
      const auto place = std::ranges::find(found_.tried, next, &Halving::Tried::setting);  // by a shorter run
      kept.push_back(static_cast<std::size_t>(place - found_.tried.begin()));
      if (place == found_.tried.end()) found_.tried.push_back({next, {}});
      if (!look({kept.back()}, rung)) return false;
    }
    return true;
  }

  // The best value of each list and the best rate, as far as they were tried with the first ones of the rest; none if
  // this has had a complete run.
  std::optional<SearchSetting> best_together(double length) const {
    const SearchSetting first = found_.tried.front().setting;
    SearchSetting best = first;
    std::map<std::size_t, double> least;  // by list; the rate's is behind the last
    for (const Halving::Tried& one : found_.tried) {
      if (!one.scores.contains(length)) continue;
      const double score = mean_of(one.scores.at(length));
      const auto list =
          static_cast<std::size_t>(std::ranges::mismatch(first.values, one.setting.values).in1 - first.values.begin());
      double& known = least.try_emplace(list, mean_of(found_.tried.front().scores.at(length))).first->second;
      if (score >= known) continue;
      known = score;
      if (list < first.values.size()) best.values[list] = one.setting.values[list];
      if (list == first.values.size()) best.quarters = one.setting.quarters;
    }
    const auto tried = std::ranges::find(found_.tried, best, &Halving::Tried::setting);
    const bool complete = tried != found_.tried.end() && tried->scores.contains(1);
    return complete ? std::nullopt : std::optional(best);
  }

  // Of the first seed, in order of their rates, of runs as long with settings that differ from this in the rate alone.
  std::vector<std::pair<int, double>> rates_beside(const SearchSetting& setting, double length) const {
    std::vector<std::pair<int, double>> rates;
    for (const Halving::Tried& other : found_.tried) {
      const auto scores = other.scores.find(length);
      if (other.setting.values == setting.values && scores != other.scores.end()) {
        rates.emplace_back(other.setting.quarters, scores->second.front());
      }
    }
    std::ranges::sort(rates);
    return rates;
  }

  SearchSetting next_rate() const {
    const auto first = [](const Halving::Tried& one) {
      const auto scores = one.scores.find(1);
      return scores == one.scores.end() ? std::numeric_limits<double>::infinity() : scores->second.front();
    };
    SearchSetting next = std::ranges::min_element(found_.tried, {}, first)->setting;
    const auto rates = rates_beside(next, 1);
    const auto place = std::ranges::find(rates, next.quarters, [](const auto& rate) { return rate.first; });
    if (place == rates.end()) return next.quarters += doubling, next;  // no whole run has a result
    if (place == rates.begin()) return next.quarters -= doubling, next;
    if (std::next(place) == rates.end()) return next.quarters += doubling, next;
    const auto &low = *std::prev(place), &high = *std::next(place);
    const int below = next.quarters - low.first, above = high.first - next.quarters;
    if (below < 2 && above < 2) return next.quarters = rates.back().first + doubling, next;
    const bool down = above < 2 || (below >= 2 && low.second <= high.second);
    next.quarters += down ? -below / 2 : above / 2;
    return next;
  }

  bool is_at_edge() const {
    const Halving::Tried* best = found_.best();
    if (best == nullptr || !space_.rate) return false;
    std::vector<int> quarters;  // tried, however shortly
    for (const Halving::Tried& one : found_.tried) {
      if (!one.scores.empty()) quarters.push_back(one.setting.quarters);
    }
    const auto [least, most] = std::ranges::minmax(quarters);
    return least < most && (best->setting.quarters == least || best->setting.quarters == most);
  }

  const SearchSpace& space_;
  const ScoreOf& score_;
  Halving found_;
};

}  // namespace

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::numeric_limits<double>::infinity();
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<Rung> rungs_by_seeds(std::size_t seeds) {
  std::vector<Rung> rungs = {{1, 1}};
  while (rungs.back().seeds < seeds) rungs.push_back({1, std::min(2 * rungs.back().seeds, seeds)});
  return rungs;
}

std::size_t Halving::runs() const {
  std::size_t runs = 0;
  for (const Tried& one : tried) {
    for (const auto& [length, scores] : one.scores) runs += scores.size();
  }
  return runs;
}

double Halving::length() const {
  double longest = 0;
  for (const Tried& one : tried) longest = std::max(longest, one.scores.empty() ? 0 : one.scores.rbegin()->first);
  return longest;
}

const Halving::Tried* Halving::best_after(double length) const {
  const Tried* best = nullptr;
  for (const Tried& one : tried) {
    if (!one.scores.contains(length)) continue;
    const auto &own = one.scores.at(length), &of_best = (best == nullptr ? one : *best).scores.at(length);
    const bool better = own.size() != of_best.size() ? own.size() > of_best.size() : mean_of(own) < mean_of(of_best);
    if (best == nullptr || better) best = &one;
  }
  return best;
}

double rate_of(const SearchSpace& space, const SearchSetting& setting) {
  return space.rate.value_or(0) * std::exp2(static_cast<double>(setting.quarters) / doubling);
}

std::vector<scenario::Override> overrides_of(const SearchSpace& space, const SearchSetting& setting) {
  std::vector<scenario::Override> changes;
  for (std::size_t axis = 0; axis < space.axes.size(); ++axis) {
    changes.push_back({space.axes[axis].path, space.axes[axis].values.at(setting.values.at(axis))});
  }
  if (space.rate) changes.push_back({rate_path, fmt::format("{:.3g}", rate_of(space, setting))});
  return changes;
}

Halving halve(const SearchSpace& space, const ScoreOf& score) { return Search(space, score).follow(); }

std::size_t runs_of(const SearchSpace& space) {
  return halve(space, [](const SearchRun&) { return 0.0; }).runs();
}

}  // namespace ddl::advise
