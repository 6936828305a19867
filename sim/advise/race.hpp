// Which of several contenders is best, by racing them over seeds: all have the first few seeds, those that are worse
// than the leader beyond chance are dropped, and the others go on (Maron and Moore, NIPS 1993; Birattari and others,
// GECCO 2002).
//
// There are only a few looks, after 3, 5, 8 and 12 seeds, as far as there are so many, and after the last seed. At each
// every contender but the leader has a t-test of its difference from the leader, paired by seed, corrected for their
// number by Holm's rule and for the number of looks by Bonferroni's: a race drops its best in at most 5 % of cases.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ddl::advise {

inline constexpr std::size_t race_looks[] = {3, 5, 8, 12};  // seeds
// Of a race with so many seeds.
std::vector<std::size_t> looks_of(std::size_t seeds);

using Scores = std::vector<std::optional<double>>;  // by seed; the less the better; none: not known yet
// Of those that are known; none: no score is.
std::optional<double> mean_of(const Scores& scores);
// Of the first so many seeds, all of which both have.
std::vector<double> differences_of(const Scores& one, const Scores& other, std::size_t seeds);

// A race as far as it is known.
struct Race {
  struct Entrant {
    Scores scores;
    std::optional<std::size_t> dropped_after;  // so many seeds; none: it is still in the race, or waits
    bool waits = false;                        // for its scores of the first look
    // At the last look that it was in: the leader then, and the p of no difference from it, corrected. None of the
    // leader itself and before the first look.
    std::optional<std::size_t> behind;
    std::optional<double> p;
    bool failed() const;        // has an infinite score
    std::size_t seeds() const;  // with a score
  };
  struct Open {
    std::size_t entrant, seed;  // by number
  };
  std::vector<Entrant> entrants;
  std::vector<Open> open;             // to be run next: first of those that wait; none: the race is at its end
  std::size_t looked_after = 0;       // seeds; 0: there was no look yet
  std::optional<std::size_t> leader;  // the least mean at the last look
  std::vector<std::size_t> left;      // those not dropped at the looks so far, by their mean
};

// Follows the race from its beginning, as far as scores are known, by entrant: the same scores give the same race.
// Entrants that lack seeds of the first look wait, while two or more that have them race on: a budget may have no room
// for more. An infinite score drops its entrant at once.
Race race(const std::vector<Scores>& scores);

}  // namespace ddl::advise
