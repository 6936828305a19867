// A sweep file: one base scenario, and what is varied in it.
//
//   { "name": "bandwidth_workers", "base": "base.json",
//     "set": { "stop.time": "60s" },
//     "vary": { "platform.bandwidth": ["5Mbps", "40Mbps"], "algorithm": ["ps_async", { "name": "ako" }] },
//     "zip": [ { "platform.workers": [2, 4], "training.batch_size": [64, 32] } ],
//     "seeds": "1..5" }
//
// Every value of an axis meets every value of the others; lists of one "zip" object go in step and are one axis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/field_value.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::jobs {

struct SweepAxis {
  std::vector<std::string> paths;                // in the scenario, set one after the other
  std::vector<std::vector<std::string>> values;  // by position, then path: JSON text
};

// "tune": every point first searches for its own best settings, over seeds that the sweep does not use
// (python/ddlsim/tuning).
struct SweepTuning {
  using Lists = std::vector<std::pair<std::string, std::vector<AsWritten>>>;  // values by path
  Lists over;                                                                 // empty: the learning rate
  std::optional<double> target;
  std::uint64_t seeds = 4;
};
template <class Visitor>
void fields(Visitor& visit, SweepTuning& tune) {
  visit("over", tune.over,
        Rule{.doc = "paths and values to try; an empty list, of the learning rate: about the scenario's own"});
  visit("target", tune.target,
        Rule{.doc = "soonest at this value of evaluate.metric; default: the best at the end", .above = 0});
  visit("seeds", tune.seeds, Rule{.doc = "most seeds of a setting", .at_least = 1, .at_most = 64});
}

struct Sweep {
  std::string file;  // starts errors
  std::string name;  // default: the file's stem
  std::string description;
  std::string base_file;                // starts the scenario's relative paths
  std::string base;                     // the scenario's text, which may lack what is varied
  std::vector<scenario::Override> set;  // in every run
  std::vector<SweepAxis> axes;          // in the file's order, `vary` before `zip`; the first varies slowest
  std::vector<std::uint64_t> seeds;     // empty: the base's own
  std::optional<SweepTuning> tune;
};

constexpr std::size_t most_sweep_runs = 100000;

// `overrides` come after the file's `set`. Throws ScenarioErrors with every line that is wrong.
Sweep read_sweep(const std::string& file, const std::vector<scenario::Override>& overrides = {});
Sweep parse_sweep(const std::string& text, const std::string& file,
                  const std::vector<scenario::Override>& overrides = {});

// The JSON Schema of sweep files (draft 2020-12).
std::string sweep_schema();

}  // namespace ddl::jobs
