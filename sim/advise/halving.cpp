#include "sim/advise/halving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.hpp"

namespace ddl::advise {
namespace {

constexpr int doubling = 4;  // quarters

std::vector<SearchSetting> grid_of(const SearchSpace& space) {
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
  // From the middle outwards, so that a search which is cut off has tried what is most likely.
  for (int i = 0; i < space.rates; ++i) {
    for (SearchSetting setting : settings) {
      setting.quarters = doubling * (i % 2 == 1 ? (i + 1) / 2 : -i / 2);
      all.push_back(setting);
    }
  }
  return all;
}

int spare_of(const SearchSpace& space) { return space.rate ? space.spare : 0; }

// One search, followed.
class Search {
 public:
  Search(const SearchSpace& space, const std::vector<std::uint64_t>& seeds, const ScoreOf& score)
      : space_(space), seeds_(seeds), score_(score) {}

  Halving follow() {
    check(!seeds_.empty(), "a search has seeds");
    for (const SearchSetting& setting : grid_of(space_)) found_.tried.push_back({setting, {}});
    std::vector<std::size_t> kept(found_.tried.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    bool known = look(kept, 1);
    for (int i = 0; known && i < spare_of(space_); ++i) {
      found_.tried.push_back({next_rate(), {}});
      kept.push_back(found_.tried.size() - 1);
      known = look({kept.back()}, 1);
    }
    for (std::size_t seeds = 2; known && kept.size() > 1 && seeds / 2 < seeds_.size(); seeds *= 2) {
      std::ranges::stable_sort(kept, {}, [&](std::size_t i) { return found_.tried[i].mean(); });
      kept.resize((kept.size() + 1) / 2);
      known = look(kept, std::min(seeds, seeds_.size()));
    }
    choose();
    return std::move(found_);
  }

 private:
  // Whether all have scores of the first `seeds` seeds; those without are open.
  bool look(const std::vector<std::size_t>& settings, std::size_t seeds) {
    for (const std::size_t index : settings) {
      Halving::Tried& tried = found_.tried[index];
      while (tried.scores.size() < seeds) {
        const auto score = score_(tried.setting, seeds_[tried.scores.size()]);
        if (!score) break;
        tried.scores.push_back(*score);
      }
      for (std::size_t seed = tried.scores.size(); seed < seeds; ++seed) {
        found_.open.push_back({tried.setting, seeds_[seed]});
      }
    }
    return found_.open.empty();
  }

  // Scores of the first seed by quarters, of settings that differ from this one in their rate alone.
  std::vector<std::pair<int, double>> rates_beside(const SearchSetting& setting) const {
    std::vector<std::pair<int, double>> rates;
    for (const Halving::Tried& other : found_.tried) {
      if (other.setting.values == setting.values && !other.scores.empty()) {
        rates.emplace_back(other.setting.quarters, other.scores.front());
      }
    }
    std::ranges::sort(rates);
    return rates;
  }

  SearchSetting next_rate() const {
    const auto best = std::ranges::min_element(found_.tried, {}, [](const auto& one) { return one.scores.front(); });
    SearchSetting next = best->setting;
    const auto rates = rates_beside(next);
    const auto place = std::ranges::find(rates, next.quarters, [](const auto& rate) { return rate.first; });
    if (place == rates.begin()) return next.quarters -= doubling, next;
    if (std::next(place) == rates.end()) return next.quarters += doubling, next;
    const auto &low = *std::prev(place), &high = *std::next(place);
    const int below = next.quarters - low.first, above = high.first - next.quarters;
    if (below < 2 && above < 2) return next.quarters = rates.back().first + doubling, next;
    const bool down = above < 2 || (below >= 2 && low.second <= high.second);
    next.quarters += down ? -below / 2 : above / 2;
    return next;
  }

  void choose() {
    for (std::size_t i = 0; i < found_.tried.size(); ++i) {
      const Halving::Tried& one = found_.tried[i];
      if (one.scores.empty()) continue;
      const Halving::Tried* best = found_.best ? &found_.tried[*found_.best] : nullptr;
      if (best == nullptr || one.scores.size() > best->scores.size() ||
          (one.scores.size() == best->scores.size() && one.mean() < best->mean())) {
        found_.best = i;
      }
    }
    if (!found_.best || !space_.rate) return;
    const SearchSetting& best = found_.tried[*found_.best].setting;
    const auto rates = rates_beside(best);
    found_.at_edge = rates.size() > 1 && (best.quarters == rates.front().first || best.quarters == rates.back().first);
  }

  const SearchSpace& space_;
  const std::vector<std::uint64_t>& seeds_;
  const ScoreOf& score_;
  Halving found_;
};

}  // namespace

double Halving::Tried::mean() const {
  if (scores.empty()) return std::numeric_limits<double>::infinity();
  return std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
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

Halving halve(const SearchSpace& space, const std::vector<std::uint64_t>& seeds, const ScoreOf& score) {
  return Search(space, seeds, score).follow();
}

std::size_t runs_of(const SearchSpace& space, std::size_t seeds) {
  std::size_t kept = grid_of(space).size() + static_cast<std::size_t>(spare_of(space));
  std::size_t runs = kept;
  for (std::size_t rung = 2; kept > 1 && rung / 2 < seeds; rung *= 2) {
    kept = (kept + 1) / 2;
    runs += kept * (std::min(rung, seeds) - rung / 2);
  }
  return runs;
}

}  // namespace ddl::advise
