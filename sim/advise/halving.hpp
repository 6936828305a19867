// Which settings of a scheme are best, by successive halving: all settings get a little, the better half of them more,
// the better half of these more still (Karnin, Koren and Somekh, ICML 2013; Jamieson and Talwalkar, AISTATS 2016). What
// they get is the length of a run, then seeds. How much a search takes depends on its space alone, so that schemes are
// tuned at equal cost.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/reading/read.hpp"

namespace ddl::advise {

inline constexpr const char* rate_path = "training.optimizer.learning_rate";

double mean_of(const std::vector<double>& values);  // infinity of none

// What the settings that are left at one step of a search get.
struct Rung {
  double length = 1;  // of each run, as a share of the whole
  std::size_t seeds = 1;
};
// Complete runs with 1, 2, 4, ... and in the end so many seeds.
std::vector<Rung> rungs_by_seeds(std::size_t seeds);

// Lists of values, each meeting every one of the others; and the learning rate, for which no list need be known: it is
// tried at `rate` times powers of two, `rates` of them about it. At the first complete runs so many `spare` settings
// follow one by one: beyond the edge while the best rate is at it, otherwise half-way (by factor) between the best rate
// and the better of its neighbours. For which rate is best depends on the length: shorter runs prefer larger ones.
// `one_by_one`: the first values meet all rates, each other value only the first ones and the middle rate; what was
// better than the first in shorter runs, all of it together, is then the first spare setting.
struct SearchSpace {
  struct Axis {
    std::string path;
    std::vector<std::string> values;  // as scenario::Override has them
  };
  std::vector<Axis> axes;
  std::optional<double> rate;  // none: as the scenario or an axis says
  bool one_by_one = false;
  int rates = 5, spare = 3;                     // spare: at most 6
  std::vector<Rung> rungs = rungs_by_seeds(4);  // neither lengths nor seeds ever fall; the last runs are complete
};

struct SearchSetting {
  std::vector<std::size_t> values = {};  // by axis
  int quarters = 0;                      // the rate is that of the space times 2^(quarters / 4)
  auto operator<=>(const SearchSetting&) const = default;
};

std::vector<scenario::Override> overrides_of(const SearchSpace& space, const SearchSetting& setting);
// Of the setting that the scenario itself has, where the space has a rate.
double rate_of(const SearchSpace& space, const SearchSetting& setting);

struct SearchRun {
  SearchSetting setting;
  double length = 1;
  std::size_t seed = 0;  // the first, the second, ...
  auto operator<=>(const SearchRun&) const = default;
};

// A search as far as it is known.
struct Halving {
  struct Tried {
    SearchSetting setting;
    std::map<double, std::vector<double>> scores;  // by length, then by seed: the first so many
  };
  std::vector<Tried> tried;     // in the order in which they came; without scores: still open
  std::vector<SearchRun> open;  // to be run next; none: the search is at its end
  bool at_edge = false;         // the best rate is the least or the largest that had any run: one beyond may be better

  std::size_t runs() const;  // that are known
  double length() const;     // of the longest of these; 0: nothing is known
  // The least mean of those with the most seeds, of runs of this length; null: there are none.
  const Tried* best_after(double length) const;
  const Tried* best() const { return best_after(length()); }
};

// The less the better; none: not known yet.
using ScoreOf = std::function<std::optional<double>(const SearchRun&)>;

// Follows the search from its beginning, as far as scores are known: the same scores give the same search.
Halving halve(const SearchSpace& space, const ScoreOf& score);

// What a whole search takes.
std::size_t runs_of(const SearchSpace& space);

}  // namespace ddl::advise
