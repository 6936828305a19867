#include "lab/emulate/run_state.hpp"

#include <utility>

namespace ddl::emulate {

void RunState::tell() {
  news_ = true;
  something_happened_.notify_one();
}

// --- nodes ---

bool RunState::may_begin_step(std::int64_t begun) {
  const std::scoped_lock held(mutex_);
  return experiment_.stop_rule().may_begin(begun);
}

double RunState::run_share(double now_s) const {
  const std::scoped_lock held(mutex_);
  return experiment_.stop_rule().share(now_s);
}

bool RunState::count_step(double end_s) {
  const std::scoped_lock held(mutex_);
  if (enough_samples_ || end_.has_stopped()) return false;
  const auto& limit = experiment_.scenario().stop.time;
  if (limit && end_s > limit->value) return false;
  const std::int64_t evaluations = experiment_.evaluations_by_steps();
  experiment_.stop_rule().count_step(end_s);
  enough_samples_ = experiment_.stop_rule().has_enough_samples();
  if (enough_samples_ || experiment_.evaluations_by_steps() > evaluations) tell();
  return true;
}

void RunState::worker_begins() {
  const std::scoped_lock held(mutex_);
  ++workers_at_work_;
}

void RunState::worker_ends() {
  const std::scoped_lock held(mutex_);
  --workers_at_work_;
  tell();
}

// --- the end ---

void RunState::stop(const std::string& reason, double time_s) {
  const std::scoped_lock held(mutex_);
  if (end_.stop(reason, time_s)) tell();
}

void RunState::diverge(run::Divergence divergence) {
  const std::scoped_lock held(mutex_);
  if (end_.diverge(std::move(divergence))) tell();
}

void RunState::fail(std::exception_ptr failure) {
  const std::scoped_lock held(mutex_);
  end_.fail(std::move(failure));
  tell();
}

// --- the conductor ---

void RunState::wait_for_news(WallClock::time_point until) {
  std::unique_lock held(mutex_);
  something_happened_.wait_until(held, until, [this] { return news_; });
  news_ = false;
}

bool RunState::is_over() const {
  const std::scoped_lock held(mutex_);
  return end_.is_over();
}

bool RunState::has_workers_at_work() const {
  const std::scoped_lock held(mutex_);
  return workers_at_work_ > 0;
}

std::int64_t RunState::steps() const {
  const std::scoped_lock held(mutex_);
  return experiment_.steps();
}

std::int64_t RunState::evaluations_by_steps() const {
  const std::scoped_lock held(mutex_);
  return experiment_.evaluations_by_steps();
}

std::string RunState::reason_of_stop_rule() const {
  const std::scoped_lock held(mutex_);
  return experiment_.stop_rule().reason();
}

run::Progress RunState::progress(double now_s) const {
  const std::scoped_lock held(mutex_);
  return experiment_.progress(now_s);
}

}  // namespace ddl::emulate
