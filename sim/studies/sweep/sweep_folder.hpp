// The folder of a sweep's results: DIR/<sweep>/<point>/<seed>/ per run, sweep.json, and the tables once all has run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/studies/sweep/plan.hpp"

namespace ddl::studies {

// Where the folder is or would be. Throws InputError if there is something that is no sweep's.
std::filesystem::path sweep_place(const std::string& out, const SweepPlan& plan);

// Knows results of this program.
class OwnResults {
 public:
  OwnResults();
  // Whether `folder` holds the result of this scenario, by this program.
  bool has(const std::filesystem::path& folder, const scenario::Scenario& scenario) const;
  // The runs of a plan whose results are not in the sweep's folder.
  std::vector<std::size_t> open_runs(const std::filesystem::path& folder, const SweepPlan& plan) const;

 private:
  std::string identity_;
};

// While it lives, the folder is there and in use. One program may use it alone, or tasks of a cluster may share it.
// Whoever uses it alone removes what killed programs left half-written, before and after.
class SweepFolder {
 public:
  enum class Use { alone, shared };
  // Throws InputError: cannot be written, or another program is at work in it.
  SweepFolder(std::filesystem::path path, const SweepPlan& plan, Use use);
  ~SweepFolder();
  SweepFolder(const SweepFolder&) = delete;
  SweepFolder& operator=(const SweepFolder&) = delete;

 private:
  void remove_leftovers() const;

  std::filesystem::path path_;
  Use use_;
  int lock_ = -1;
};

}  // namespace ddl::studies
