// What ddlsim advise chooses from: every system that a scenario's platform allows, loaded ones included, with settings
// worth trying.
#pragma once

#include <string>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/advise/trials.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::advise {

// A way to run a system.
struct Variant {
  std::string label;      // what it sets, "partitions=4"; "": the defaults or, of the scenario's own system, as given
  std::string algorithm;  // JSON
};

struct Candidate {
  std::string system;
  std::vector<Variant> variants = {};  // among which is tuned
  bool sends = true;                   // whether anything travels, as far as its traffic tells
  bool one_trains = false;             // facts.one_trains: one worker alone
  bool needs_all_data = false;         // in one place, whatever the partition: else each worker trains on its own
  std::string excluded = {};           // why it is not run; "" if it is
};

// Names and why, those with the same reason together.
std::vector<std::string> why_excluded(const std::vector<Candidate>& candidates);

// Which systems a question is about.
struct Chosen {
  std::vector<std::string> only;     // beside the baseline; empty: all
  std::vector<std::string> without;  // not even as the baseline
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

// "one worker alone (single)", "each worker alone (alone)".
std::string baseline_text(const Candidate& baseline);

// What the others are measured by is the first: one worker alone or, without it, workers which exchange nothing; unless
// the first sends, for then all do. A candidate is every system of the registry in which each worker can train a whole
// model. It is excluded where the platform does not allow it, and where its lower bound says that it cannot be the
// best: all workers together take so many fewer gradients per second than one worker alone that each would have to be
// worth several of its. Builds the platforms, `at_once` at a time. Throws InputError if the first cannot be run or a
// name is of no candidate.
std::vector<Candidate> candidates_of(const Question& question, const Goal& goal, const Chosen& chosen, int at_once);

}  // namespace ddl::advise
