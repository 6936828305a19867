// The laboratory's commands, with their parsed arguments. All throw only exceptions that report_error handles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/node/registry.hpp"
#include "lab/emulate/emulate.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::cli {

struct EmulateSettings {
  std::string scenario;
  std::vector<scenario::Override> overrides;
  std::vector<std::uint64_t> seeds;  // empty: the scenario's own
  std::string out = "results";
  int repetitions = 1;
  std::string compute = "slept";  // or "real"
  std::string queue = "50ms";     // a time or bytes
  std::string jitter = "0s", links = "auto", slow_start_after_idle = "on";
  bool json = false, quiet = false, force = false;
  emulate::EmulateOptions options;  // without what the texts above say
};

// Runs a scenario over real TCP, `repetitions` times for each seed; checks all result folders first.
void emulate_scenario(const Registry& systems, const EmulateSettings& settings);

struct ReproduceSettings {
  std::string study;  // empty: list them
  bool full = false;  // the published network on CIFAR-10
  std::string data;   // its folder
  std::string out = "results";
  int jobs = 0;           // parallel runs; 0: as many as cores
  bool finished = false;  // make no run: of those that are there
  bool quiet = false;
};

// Runs a published study, prints its tables and verdicts and writes them; or lists the studies.
void reproduce(const Registry& systems, const ReproduceSettings& settings);

struct BenchSettings {
  bool json = false;
  double seconds = 20;  // total time, approximately
};
// Measures this machine and prints a table, or JSON.
void bench(const Registry& systems, const BenchSettings& settings);

}  // namespace ddl::cli
