// The commands that search for what is best, with their parsed arguments.
#pragma once

#include <string>

#include "core/node/registry.hpp"
#include "sim/advise/advise.hpp"
#include "sim/advise/tune.hpp"

namespace ddl::cli {

struct TuneSettings {
  advise::TuneRequest request;
  int jobs = 0;  // parallel runs; 0: as many as cores
  bool json = false, quiet = false;
};

// Searches the best settings of each scenario and prints them; kRunFailed if all runs of one fail.
int tune(const Registry& systems, const TuneSettings& settings);

struct AdviseSettings {
  advise::AdviseRequest request;
  std::string budget = "10min";  // wall time
  std::string page;              // file for a page about the race; empty: none
  int jobs = 0;                  // parallel runs; 0: as many as cores
  bool json = false, quiet = false;
};

// Says which system suits a network, and how sure that is; kRunFailed if no run came to its end.
int advise(const Registry& systems, const AdviseSettings& settings);

}  // namespace ddl::cli
