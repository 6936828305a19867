// Evaluations as they happen: a line of JSON each, for whatever draws curves while runs are at work.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/run/rows/rows.hpp"

namespace ddl::jobs {

// Whose evaluations they are.
struct LiveRun {
  std::string name;
  std::uint64_t seed = 1;
};

// A file that several processes append to: a line is written at once, so that none ends within another.
class LiveLines {
 public:
  // Opens `file`, made with its folder where it is missing; "-" is the standard output. Throws InputError.
  explicit LiveLines(const std::string& file);
  ~LiveLines();
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;

  // Writes a run's lines; throws InputError where it cannot. This object outlives it.
  std::function<void(const run::CurveRow&)> of(const LiveRun& run) const;

 private:
  std::string file_;
  int descriptor_ = -1;
};

// {"run":"uniform_lan_ako","seed":1,"time_s":5,...,"test_accuracy":0.8} and a newline: the columns of curve.csv; null
// for what is not known or not finite.
std::string live_line(const LiveRun& run, const run::CurveRow& row);

}  // namespace ddl::jobs
