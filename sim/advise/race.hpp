// Which of several candidates is best, by racing them over seeds: all have the first few seeds, those that are worse
// than the leader beyond chance are dropped, and the others go on (Maron and Moore, NIPS 1993; Birattari and others,
// GECCO 2002).
//
// There are only a few looks, after 3, 5, 8 and 12 seeds. At each every candidate but the leader has a t-test of its
// difference from the leader, paired by seed, corrected for their number by Holm's rule and for the number of looks by
// Bonferroni's: a race drops its best in at most 5 % of cases.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ddl::advise {

inline constexpr std::size_t race_looks[] = {3, 5, 8, 12};  // seeds

// A race as far as it is known.
struct Race {
  struct Entrant {
    std::vector<std::optional<double>> scores;  // by seed
    std::optional<std::size_t> dropped_after;   // so many seeds; none: it is still in the race, or waits
    bool waits = false;                         // it lacks seeds of the first look, or of those that there are
    // Of no difference from the leader, corrected, at the last look that it was in; none of the leader and before the
    // first look.
    std::optional<double> p;
    std::size_t seeds() const;           // with a score
    std::optional<double> mean() const;  // over these
  };
  struct Open {
    std::size_t entrant;
    std::uint64_t seed;
  };
  std::vector<Entrant> entrants;
  std::vector<Open> open;  // to be run next: first of those that wait; none: the race is at its end
  // The least mean of those in the race, or before the first look of those with the most seeds; none: nothing is known.
  std::optional<std::size_t> leader;
  std::size_t looked_after = 0;  // seeds; 0: there was no look yet
  // Those still in the race, by their mean. Where two or more do not wait, or there is but one: none that waits.
  std::vector<std::size_t> left;
  bool is_even() const;  // none of those left waits: their means are over the same seeds
};

// The less the better; none: not known yet. An infinite one drops its candidate at once.
using RaceScore = std::function<std::optional<double>(std::size_t entrant, std::uint64_t seed)>;

// Follows the race from its beginning, as far as scores are known: the same scores give the same race. Entrants that
// lack seeds of the first look wait, while two or more that have them race on: a budget may have no room for more.
// Seeds beyond the last look are not used. Of fewer than the first look has all are run, and nothing is tested.
Race race(std::size_t entrants, const std::vector<std::uint64_t>& seeds, const RaceScore& score);

}  // namespace ddl::advise
