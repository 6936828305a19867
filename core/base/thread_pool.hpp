// A fixed set of math threads with two queues: gradients, needed soon by the simulation, go before evaluations, which
// can be late. Results never depend on the number of threads, because tasks share only immutable inputs.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ddl {

class ThreadPool {
 public:
  enum class Urgency { soon, whenever };

  // A handle on a submitted task: wait() returns when the task has run, and rethrows its exception. Destroying a ticket
  // cancels a task that has not started and waits for one that has, so a task never outlives its data.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(Ticket&&) noexcept = default;
    Ticket& operator=(Ticket&& other) noexcept;
    ~Ticket();
    void wait();
    explicit operator bool() const { return job_ != nullptr; }

   private:
    friend class ThreadPool;
    struct Job;
    std::shared_ptr<Job> job_;
    ThreadPool* pool_ = nullptr;
  };

  // `threads` >= 1. If the system refuses some, fewer start, with the same results; OutOfResources if it refuses all.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // `task` gets the index of the thread that runs it (0 .. thread_count-1), so that it can use that thread's scratch
  // memory.
  Ticket submit(std::function<void(int thread)> task, Urgency urgency);
  int thread_count() const { return static_cast<int>(threads_.size()); }
  // CPU time spent in tasks, over all threads.
  double busy_seconds() const;
  double busy_seconds(Urgency urgency) const;

 private:
  void work(int thread);

  mutable std::mutex mutex_;
  std::condition_variable work_arrived_;
  std::condition_variable work_finished_;
  std::deque<std::shared_ptr<Ticket::Job>> queues_[2];  // by Urgency
  bool closing_ = false;
  double busy_seconds_[2] = {};  // by Urgency
  std::vector<std::thread> threads_;
};

}  // namespace ddl
