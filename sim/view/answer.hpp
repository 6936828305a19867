// What runs say at once: the systems in order, per condition, and whether the first is better than the others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/results/reading/groups.hpp"

namespace ddl::view {

struct Ranked {
  std::size_t group = 0;                   // index into the runs' groups
  std::optional<results::Estimate> value;  // none: not all of its runs have one, or some diverged
};

// The groups of one condition: they differ in the system alone.
struct Ranking {
  std::vector<std::string> condition;  // one value per GroupedRuns::varied
  std::vector<Ranked> order;           // best first; those without a value last, in their own order
  // Whether the first differs significantly from the second, corrected for its comparisons with all others. None if it
  // cannot be tested.
  std::optional<bool> clear;
};

struct Answer {
  std::string measure;           // key of a measure: time to a target, or the final accuracy
  std::optional<double> target;  // none: by final accuracy
  std::vector<Ranking> rankings;
};

// By one measure; by bytes only what sends any. Conditions of which no system has a value are left out.
Answer ranked_by(const results::GroupedRuns& runs, const std::string& measure, bool less_is_better);

// By each target that some system reaches, the smallest first, and by the metric at the end. No rankings where runs
// have neither.
std::vector<Answer> answers_of(const results::GroupedRuns& runs);

// One of these: by the time to the largest target that some system reaches in each condition, else to the one that most
// reach, if any is reached; otherwise by the final accuracy. No rankings where runs have neither.
Answer answer_of(const results::GroupedRuns& runs);

}  // namespace ddl::view
