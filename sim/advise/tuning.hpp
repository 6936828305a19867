// Several schemes, each searching for its own best settings, at equal cost: a search of each, run side by side.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/advise/halving.hpp"
#include "sim/advise/lab.hpp"

namespace ddl::advise {

// Seeds for tuning alone, far from those of reports: 1000001, 1000002, ...
std::vector<std::uint64_t> tuning_seeds(std::size_t count);

struct TunedScheme {
  std::size_t base;                         // of the lab
  std::vector<scenario::Override> changes;  // of the base, before what is searched
  SearchSpace space;
};

class Tuning {
 public:
  Tuning(Lab& lab, std::vector<TunedScheme> schemes, std::vector<std::uint64_t> seeds)
      : lab_(lab), schemes_(std::move(schemes)), seeds_(std::move(seeds)) {}

  std::size_t schemes() const { return schemes_.size(); }
  const SearchSpace& space_of(std::size_t scheme) const { return schemes_.at(scheme).space; }
  const std::vector<std::uint64_t>& seeds() const { return seeds_; }
  // As far as it is known.
  Halving search_of(std::size_t scheme) const;
  // Of a scheme, with what has been found best; without changes of the space if nothing is known.
  std::vector<scenario::Override> best_of(std::size_t scheme) const;
  LabTrial trial_of(std::size_t scheme, const SearchSetting& setting, std::uint64_t seed) const;
  // What all searches ask for next; the first runs of all come before the second ones.
  std::vector<LabTrial> open() const;
  // To the end; false if the options did not let it get there.
  bool run(const LabOptions& options) const;

 private:
  Lab& lab_;
  std::vector<TunedScheme> schemes_;
  std::vector<std::uint64_t> seeds_;
};

// "PATH=VALUE,VALUE,..." as --over has it; of the learning rate the path may stand alone. Brackets, braces and quotes
// keep what is in them together. Throws InputError.
struct OverText {
  std::string path;
  std::vector<std::string> values;  // empty: the rates about the scenario's own
};
OverText over_of(const std::string& text);

// What is searched for a scenario; without `over` its learning rate.
SearchSpace space_of(const scenario::Scenario& scenario, const std::vector<OverText>& over);

// Throws ScenarioErrors unless runs of the scenario can be judged by the goal: they learn, and are evaluated.
void check_tunable(const scenario::Scenario& scenario, const Goal& goal);

// A scenario as a file that can be run where it lies: paths start from there. Throws InputError.
void write_scenario(scenario::Scenario scenario, const std::filesystem::path& file);

}  // namespace ddl::advise
