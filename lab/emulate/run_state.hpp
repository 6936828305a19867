// Progress and end of an emulated run: reported by its threads, awaited by its conductor.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

#include "lab/emulate/monitor.hpp"
#include "sim/run/experiment.hpp"
#include "sim/run/run_end.hpp"

namespace ddl::emulate {

// Any thread may call these, holding a monitor or none; nothing in here takes one.
class RunState {
 public:
  explicit RunState(run::Experiment& experiment) : experiment_(experiment) {}

  // --- nodes ---
  bool may_begin_step(std::int64_t begun);
  bool has_enough_samples() const { return enough_samples_; }
  double run_share(double now_s) const;
  // True if the step that has just ended counts.
  bool count_step(double end_s);
  void worker_begins();
  void worker_ends();

  // --- all that can end the run: the first reason is the one ---
  void stop(const std::string& reason, double time_s);
  void diverge(run::Divergence divergence);
  void fail(std::exception_ptr failure);

  // --- the conductor ---
  // Until one of the above has brought the end, or an evaluation, nearer, or until that time.
  void wait_for_news(WallClock::time_point until);
  bool is_over() const;
  bool has_workers_at_work() const;
  std::int64_t steps() const;
  std::int64_t evaluations_by_steps() const;
  std::string reason_of_stop_rule() const;
  run::Progress progress(double now_s) const;

  // Once all threads have ended.
  const run::RunEnd& end() const { return end_; }

 private:
  void tell();

  run::Experiment& experiment_;
  mutable std::mutex mutex_;  // guards all below, and the experiment's stop rule
  std::condition_variable something_happened_;
  bool news_ = false;
  int workers_at_work_ = 0;
  run::RunEnd end_;
  std::atomic<bool> enough_samples_ = false;
};

}  // namespace ddl::emulate
