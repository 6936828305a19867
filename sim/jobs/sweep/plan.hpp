// A sweep multiplied out: every run with its checked scenario and the folder its result goes to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/jobs/sweep/sweep.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::jobs {

// One place of the grid, run once per seed.
struct SweepPoint {
  std::string name;                 // "bandwidth=5Mbps_workers=8_ako,partitions=4": its folder, and its scenario's name
  std::vector<std::string> values;  // one per column
  scenario::Scenario scenario;
};

struct SweepPlan {
  std::string name;
  std::string text;                  // resolved: what sweep.json says
  std::vector<std::string> columns;  // the varied paths, in order
  std::vector<SweepPoint> points;    // the last axis varies fastest
  std::vector<std::uint64_t> seeds;

  // Runs are numbered by point, then seed.
  std::size_t runs() const { return points.size() * seeds.size(); }
  const SweepPoint& point_of(std::size_t run) const { return points.at(run / seeds.size()); }
  std::uint64_t seed_of(std::size_t run) const { return seeds.at(run % seeds.size()); }
  std::string name_of(std::size_t run) const;  // "<point>/<seed>", its folder in the sweep's
  // Digest of everything that decides which runs are made.
  std::string digest() const;
};

// Reads and checks the scenario of every point. Throws ScenarioErrors; what is wrong in many runs is said once.
SweepPlan plan_sweep(const Registry& systems, const Sweep& sweep);

// Gives every point what tuning found for it, columns of the sweep's tables. The file has {point's name: {path:
// value}}, with the same paths for all. Throws ScenarioErrors.
void add_tuned(const Registry& systems, const Sweep& sweep, SweepPlan& plan, const std::string& file);

// The name of a scenario that was changed by hand, in the way that points of a sweep are named:
// "het_wan_ako_p3_partitions=4". What changes no result (seed, description, record, expect, data.path) is not in it,
// and a name that was given stays.
std::string changed_name(const std::string& name, const std::vector<scenario::Override>& changes);

}  // namespace ddl::jobs
