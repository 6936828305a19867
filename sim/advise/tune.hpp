// ddlsim tune: each of several scenarios at its own best settings. For each, <out>/<name>/ has tried.csv, a row per
// run, <name>_tuned.json, the scenario with what was best, and the runs in tuning/.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/advise/tuning.hpp"
#include "sim/jobs/jobs_folder.hpp"

namespace ddl::advise {

struct TuneRequest {
  std::vector<std::string> files;
  std::vector<scenario::Override> overrides;  // of all scenarios
  std::vector<OverText> over;                 // what is searched; empty: the learning rate
  Goal goal;
  std::size_t seeds = 4;
  std::string out = "results/tune";
};

struct TunedScenario {
  std::string name, file;
  std::filesystem::path folder;
  Halving search;
  SearchSpace space;
  std::vector<scenario::Override> best;  // empty: no run has ended
  std::size_t runs = 0, planned = 0;     // made, and of the whole search
  // Of the best settings, over its seeds: what the goal asks for, in words' place.
  std::vector<double> at_end;
  std::vector<std::optional<double>> times_s;
  std::size_t failed = 0;
  std::string tuned_file;  // empty: none was written
};

class TuneStudy {
 public:
  // Reads everything. Throws ScenarioErrors.
  TuneStudy(Registry systems, TuneRequest request);

  // To the end of every search, or as far as the options let it get; then writes the files. Throws as Lab::run.
  void run(const LabOptions& options);
  // As far as the runs that have ended tell.
  std::vector<TunedScenario> results();

 private:
  struct Source {
    scenario::Scenario scenario;
    std::string text;
    std::filesystem::path folder;
  };
  void write(const TunedScenario& tuned, std::size_t number);

  Registry systems_;
  TuneRequest request_;
  std::deque<Source> sources_;
  Lab lab_;
  std::unique_ptr<Tuning> tuning_;
};

}  // namespace ddl::advise
