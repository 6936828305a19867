#include "core/base/thread_pool.hpp"

#include <time.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"

namespace ddl {

namespace {

double own_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

struct ThreadPool::Ticket::Job {
  enum class State { queued, running, finished };
  std::function<void(int)> task;
  Urgency urgency = Urgency::soon;
  State state = State::queued;
  std::exception_ptr error;
};

ThreadPool::Ticket& ThreadPool::Ticket::operator=(Ticket&& other) noexcept {
  std::swap(job_, other.job_);
  std::swap(pool_, other.pool_);
  return *this;
}

ThreadPool::Ticket::~Ticket() {
  if (!job_) return;
  std::unique_lock lock(pool_->mutex_);
  if (job_->state == Job::State::queued) {
    std::erase(pool_->queues_[static_cast<int>(job_->urgency)], job_);
    return;
  }
  pool_->work_finished_.wait(lock, [&] { return job_->state == Job::State::finished; });
}

void ThreadPool::Ticket::wait() {
  check(job_ != nullptr, "a ticket of some task");
  std::unique_lock lock(pool_->mutex_);
  pool_->work_finished_.wait(lock, [&] { return job_->state == Job::State::finished; });
  const auto job = std::exchange(job_, nullptr);
  if (job->error) std::rethrow_exception(job->error);
}

ThreadPool::ThreadPool(int threads) {
  check(threads >= 1, "at least one thread");
  threads_.reserve(static_cast<std::size_t>(threads));
  try {
    while (thread_count() < threads) threads_.emplace_back([this, thread = thread_count()] { work(thread); });
  } catch (const std::system_error& error) {
    if (threads_.empty()) fail_with("no thread for mathematics", error.code().value());
  } catch (const std::bad_alloc&) {
    if (threads_.empty()) throw;
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  work_arrived_.notify_all();
  for (auto& thread : threads_) thread.join();
}

ThreadPool::Ticket ThreadPool::submit(std::function<void(int)> task, Urgency urgency) {
  Ticket ticket;
  ticket.job_ = std::make_shared<Ticket::Job>();
  ticket.job_->task = std::move(task);
  ticket.job_->urgency = urgency;
  ticket.pool_ = this;
  {
    const std::scoped_lock lock(mutex_);
    queues_[static_cast<int>(urgency)].push_back(ticket.job_);
  }
  work_arrived_.notify_one();
  return ticket;
}

double ThreadPool::busy_seconds() const { return busy_seconds(Urgency::soon) + busy_seconds(Urgency::whenever); }

double ThreadPool::busy_seconds(Urgency urgency) const {
  const std::scoped_lock lock(mutex_);
  return busy_seconds_[static_cast<int>(urgency)];
}

void ThreadPool::work(int thread) {
  using State = Ticket::Job::State;
  std::unique_lock lock(mutex_);
  while (true) {
    work_arrived_.wait(lock, [&] { return closing_ || !queues_[0].empty() || !queues_[1].empty(); });
    if (closing_) return;
    auto& queue = queues_[queues_[0].empty() ? 1 : 0];
    const auto job = queue.front();
    queue.pop_front();
    job->state = State::running;
    lock.unlock();
    const double start_s = own_cpu_seconds();
    try {
      job->task(thread);
    } catch (...) {
      job->error = std::current_exception();
    }
    // Release the task's captures (snapshots, batches) before any waiter sees that it has finished.
    job->task = nullptr;
    const double seconds = own_cpu_seconds() - start_s;
    lock.lock();
    busy_seconds_[static_cast<int>(job->urgency)] += seconds;
    job->state = State::finished;
    work_finished_.notify_all();
  }
}

}  // namespace ddl
