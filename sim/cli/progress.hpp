// The progress line on a terminal.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "sim/jobs/jobs.hpp"
#include "sim/process/failures.hpp"
#include "sim/process/signals_held.hpp"
#include "sim/run/run.hpp"

namespace ddl::cli {

// "name [######----] 60 %  180 s  accuracy 0.71  12 s left", fewer than `width` letters: a long name is cut.
// `elapsed_s` is the run's real time so far. The time left is that expected, until a hundredth of the run tells it.
// Evaluations' share of the math is shown where it is most of it.
std::string progress_text(const std::string& name, const run::Progress& progress, double elapsed_s, int width);

// "name: takes roughly 15.6 h", of a run that may take more than a minute; "" otherwise.
std::string expected_text(const std::string& name, const run::Progress& progress);

// "name: 60 %, t = 180 s, accuracy 0.710, 12 s left", for logs.
std::string progress_line(const std::string& name, const run::Progress& progress, double elapsed_s);

// Owns the last line of stderr while it lives, if that is a terminal; otherwise writes a line now and then. Writing
// happens in the run's process, erasing in this one.
class ProgressLine {
 public:
  // `between_lines`: of a log.
  ProgressLine(std::string name, bool wanted, std::chrono::milliseconds between_lines = std::chrono::seconds(10));
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool shown() const { return shown_; }
  // Names what is being made before there is any progress: in a log only where many workers make that take long.
  void begin(std::optional<int> workers) const;
  // At first what is expected of a long run. Redraws, unless it did so less than a tenth of a second ago; in a log the
  // first line of progress comes ten seconds after the start.
  void show(const run::Progress& progress);

 private:
  void print(const std::string& text) const;

  using Clock = std::chrono::steady_clock;
  std::string name_;
  bool shown_, terminal_;
  const int stream_;  // the standard error, which a run's process has no more
  std::chrono::milliseconds between_lines_;
  bool expectation_told_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
};

// "name: 3 of 9 runs, 1 kept from before, 1 failed, about 12 s left, last x": `elapsed_s` since the first of them
// began. Without the last one where that takes more than `room` letters.
std::string runs_text(const std::string& name, const jobs::RunsProgress& progress, double elapsed_s, std::size_t room);

// "interrupted: 3 of 9 runs are finished and kept; the same command goes on from there".
std::string interrupted_text(const jobs::RunsProgress& progress);

// The same for many runs: the last line of a terminal, elsewhere a line per run.
class RunsLine {
 public:
  RunsLine(std::string name, bool wanted);
  ~RunsLine();
  RunsLine(const RunsLine&) = delete;
  RunsLine& operator=(const RunsLine&) = delete;

  void show(const jobs::RunsProgress& progress) const;

 private:
  std::size_t room() const;
  void print(const std::string& text) const;

  std::string name_;
  bool wanted_, terminal_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Calls `work` with what shows its progress. If Ctrl-C ends it, the error says how far it is.
template <class Work>
auto with_progress(const std::string& name, bool wanted, const Work& work) {
  const process::SignalsHeld between_runs;
  const RunsLine line(name, wanted);
  jobs::RunsProgress last;
  try {
    return work([&](const jobs::RunsProgress& progress) {
      last = progress;
      line.show(progress);
    });
  } catch (const process::Interrupted&) {
    throw process::Interrupted(interrupted_text(last));
  }
}

}  // namespace ddl::cli
