// The nodes' actors as threads; each holds its node's monitor except while it waits.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "lab/emulate/monitor.hpp"

namespace ddl::emulate {

// Throws RunFailed if the machine has no room for another thread.
std::thread start_thread(std::function<void()> body);

class ActorThreads {
 public:
  // `failed` receives an actor's exception.
  explicit ActorThreads(std::function<void(std::exception_ptr)> failed) : failed_(std::move(failed)) {}

  // The caller holds the monitor. Throws RunFailed if the thread cannot be started.
  void start(Monitor& monitor, std::function<void()> body);
  // Waits for all of them, whose monitors have ended, and so start no others.
  void join();

 private:
  void act(Monitor& monitor, const std::function<void()>& body);

  const std::function<void(std::exception_ptr)> failed_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

}  // namespace ddl::emulate
