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

namespace ddl::search {

inline constexpr std::size_t race_looks[] = {3, 5, 8, 12};  // seeds

// A race as far as it is known.
struct Race {
  struct Entrant {
    std::vector<std::optional<double>> scores;  // by seed
    std::optional<std::size_t> dropped_after;   // so many seeds; none: it is still in the race, or waits
    bool waits = false;                         // it lacks seeds of the first look
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
  std::vector<Open> open;             // to be run next: first of those that wait; none: the race is at its end
  std::optional<std::size_t> leader;  // the least mean of those in the race; none: nothing is known
  std::size_t looked_after = 0;       // seeds; 0: there was no look yet
  std::vector<std::size_t> left;      // those still in the race, by their mean; once there was a look, none that waits
};

// The less the better; none: not known yet. An infinite one drops its candidate at once.
using RaceScore = std::function<std::optional<double>(std::size_t entrant, std::uint64_t seed)>;

// Follows the race from its beginning, as far as scores are known: the same scores give the same race. Entrants that
// lack seeds of the first look wait, while two or more that have them race on: a budget may have no room for more.
// Seeds beyond the last look are not used; fewer than the first look has make no race.
Race race(std::size_t entrants, const std::vector<std::uint64_t>& seeds, const RaceScore& score);

}  // namespace ddl::search
