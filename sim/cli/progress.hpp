// The line on a terminal that shows how far a run is.
#pragma once

#include <chrono>
#include <string>

#include "sim/runtime/run.hpp"

namespace ddl {

// "name [######----] 60 %  180 s  accuracy 0.71  12 s left", at most `width` characters. `elapsed_s` is how long the
// run has taken in real time; before it says something, no time left is shown.
std::string progress_text(const std::string& name, const Progress& progress, double elapsed_s, int width);

// Owns the last line of stderr while it lives, if that is a terminal; shows nothing otherwise. Drawing happens in the
// run's process, erasing in this one.
class ProgressLine {
 public:
  ProgressLine(std::string name, bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool shown() const { return shown_; }
  // Redraws, unless it did so less than a tenth of a second ago.
  void show(const Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  std::string name_;
  bool shown_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
};

}  // namespace ddl
