#include "core/base/thread_pool.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

using ddl::ThreadPool;
using Urgency = ThreadPool::Urgency;

TEST_CASE("wait() returns once the task has run, on one thread and on several") {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::vector<int> results(50, 0);
    std::vector<ThreadPool::Ticket> tickets;
    for (int i = 0; i < 50; ++i) {
      tickets.push_back(
          pool.submit([&results, i](int) { results[static_cast<std::size_t>(i)] = i * i; }, Urgency::soon));
    }
    for (auto& ticket : tickets) ticket.wait();
    for (int i = 0; i < 50; ++i) CHECK(results[static_cast<std::size_t>(i)] == i * i);
  }
}

TEST_CASE("a task's exception comes out of wait()") {
  ThreadPool pool(1);
  auto ticket = pool.submit([](int) { throw std::runtime_error("lost"); }, Urgency::whenever);
  CHECK_THROWS_WITH(ticket.wait(), "lost");
}

TEST_CASE("urgent tasks overtake those that can wait") {
  ThreadPool pool(1);
  std::atomic<bool> open = false;
  std::vector<int> order;
  auto gate = pool.submit(
      [&](int) {
        while (!open) std::this_thread::yield();
      },
      Urgency::soon);
  auto later = pool.submit([&](int) { order.push_back(2); }, Urgency::whenever);
  auto sooner = pool.submit([&](int) { order.push_back(1); }, Urgency::soon);
  open = true;
  gate.wait();
  later.wait();
  sooner.wait();
  CHECK(order == std::vector<int>{1, 2});
}

TEST_CASE("a dropped ticket's task is over: cancelled before it began, or waited for") {
  ThreadPool pool(1);
  std::atomic<bool> open = false, started = false;
  std::atomic<int> finished = 0;
  {
    auto running = pool.submit(
        [&](int) {
          started = true;
          while (!open) std::this_thread::yield();
          ++finished;
        },
        Urgency::soon);
    while (!started) std::this_thread::yield();
    {
      auto cancelled = pool.submit([&](int) { finished += 100; }, Urgency::soon);
    }
    open = true;
  }
  CHECK(finished == 1);
}
