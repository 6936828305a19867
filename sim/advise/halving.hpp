// Which settings of a scheme are best, by successive halving: every setting is tried with one seed, the better half
// with two, the better half of these with four (Karnin, Koren and Somekh, ICML 2013; Jamieson and Talwalkar, AISTATS
// 2016). How many runs that takes depends on the space and on the seeds alone, so that schemes are tuned at equal cost.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/reading/read.hpp"

namespace ddl::advise {

inline constexpr const char* rate_path = "training.optimizer.learning_rate";

// Lists of values, each meeting every one of the others; and the learning rate, for which no list need be known: it is
// tried at `rate` times powers of two, `rates` of them about it. So many `spare` settings then follow one by one:
// beyond the edge while the best rate is at it, otherwise half-way (by factor) between the best rate and the better of
// its neighbours.
struct SearchSpace {
  struct Axis {
    std::string path;
    std::vector<std::string> values;  // as scenario::Override has them
  };
  std::vector<Axis> axes;
  std::optional<double> rate;  // none: as the scenario or an axis says
  int rates = 5, spare = 3;    // spare: at most 6
};

struct SearchSetting {
  std::vector<std::size_t> values = {};  // by axis
  int quarters = 0;                      // the rate is that of the space times 2^(quarters / 4)
  auto operator<=>(const SearchSetting&) const = default;
};

std::vector<scenario::Override> overrides_of(const SearchSpace& space, const SearchSetting& setting);
// Of the setting that the scenario itself has, where the space has a rate.
double rate_of(const SearchSpace& space, const SearchSetting& setting);

// A search as far as it is known.
struct Halving {
  struct Tried {
    SearchSetting setting;
    std::vector<double> scores;  // of the first so many seeds
    double mean() const;
  };
  struct Open {
    SearchSetting setting;
    std::uint64_t seed;
  };
  std::vector<Tried> tried;         // in the order in which they came; without scores: still open
  std::vector<Open> open;           // to be run next; none: the search is at its end
  std::optional<std::size_t> best;  // the least mean of those with the most seeds; none: nothing is known
  bool at_edge = false;             // of the two or more rates that were tried so far: one beyond may be better
};

// The less the better; none: not known yet.
using ScoreOf = std::function<std::optional<double>(const SearchSetting&, std::uint64_t seed)>;

// Follows the search from its beginning, as far as scores are known: the same scores give the same search.
Halving halve(const SearchSpace& space, const std::vector<std::uint64_t>& seeds, const ScoreOf& score);

// What a whole search takes.
std::size_t runs_of(const SearchSpace& space, std::size_t seeds);

}  // namespace ddl::advise
