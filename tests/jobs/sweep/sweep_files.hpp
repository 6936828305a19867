// Sweeps of tiny timing-only runs in a folder of their own.
#pragma once

#include <map>
#include <string>

#include "sim/jobs/sweep/run_sweep.hpp"
#include "tests/support/files.hpp"

namespace ddl::jobs {

// One worker, gradients of 100 ms without jitter: `iterations` steps end at a tenth of as many seconds.
inline const std::string tiny_base = R"({"platform": {"workers": 1, "bandwidth": "8Mbps"}, "model": "none",
    "wire": {"model_bytes": "1MB"}, "compute": {"seconds_per_batch": "100ms", "jitter": 0},
    "algorithm": "single", "stop": {"iterations": 5}})";

inline Sweep sweep_of(const std::string& rest) {
  return parse_sweep(R"({"name": "tiny", "base": )" + tiny_base + (rest.empty() ? "" : ", " + rest) + "}", "tiny.json");
}

struct SweepRunner {
  std::filesystem::path out;
  int at_once = 2;
  std::size_t ran = 0;  // in the last call

  SweepOutcome operator()(const Sweep& sweep) {
    const SweepPlan plan = plan_sweep(systems::built_in(), sweep);
    SweepOptions options;
    options.at_once = at_once;
    ran = 0;
    options.progress = [&](const RunsProgress& progress) { ran = progress.finished - progress.kept; };
    return run_sweep(plan, estimate_sweep(sweep, plan, out.string(), at_once), options);
  }
};

// Every file below `folder`, hidden ones too, with its bytes, except files that may differ between two runs.
inline std::map<std::string, std::string> bytes_below(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    if (entry.path().filename() != "timing.json") files[name] = entry.is_regular_file() ? text_of(entry.path()) : "";
  }
  return files;
}

}  // namespace ddl::jobs
