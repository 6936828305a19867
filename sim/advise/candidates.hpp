// What ddlsim advise chooses from: every system that a scenario's platform allows, with settings that are sensible for
// it, and one worker alone.
#pragma once

#include <string>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/advise/trials.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::advise {

struct Candidate {
  std::string name;                         // "ako partitions=4"
  std::vector<scenario::Override> changes;  // of the scenario
  bool sends = true;                        // whether anything travels
  std::string excluded = {};                // why it is not run; "" if it is
};

// A question as a scenario's text.
struct Question {
  Registry systems;  // that it may be read with
  std::string name, text, file;
  std::vector<scenario::Override> set;  // what is said on the command line, and what makes runs cheaper
  std::vector<std::string> notes;       // what was assumed, a line each
};

// Of a scenario file; or of a platform file (.xml), whose hosts train the task of the shipped scenarios. Throws
// ScenarioErrors: it cannot be asked, since nothing learns in it or it has no stop.time.
Question question_of(const Registry& systems, const std::string& file, const std::vector<scenario::Override>& overrides,
                     const Goal& goal);

// One worker alone is the first. A candidate is excluded where the platform does not allow it, and where its lower
// bound says that it cannot be the best: all workers together take so many fewer gradients per second than one worker
// alone that each would have to be worth several of its. Builds the platforms, `at_once` at a time. If `systems` has
// any, there are only those beside one worker alone. Throws InputError if one worker alone cannot be run or a system is
// unknown.
std::vector<Candidate> candidates_of(const Question& question, const Goal& goal,
                                     const std::vector<std::string>& systems, int at_once);

}  // namespace ddl::advise
