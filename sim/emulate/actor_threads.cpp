#include "sim/emulate/actor_threads.hpp"

#include <utility>

namespace ddl::emulate {

void ActorThreads::act(Monitor& monitor, const std::function<void()>& body) {
  const std::scoped_lock held(monitor);
  try {
    if (!monitor.is_over()) body();
  } catch (const RunOver&) {
  } catch (...) {
    failed_(std::current_exception());
  }
  monitor.actor_ends();
}

void ActorThreads::start(Monitor& monitor, std::function<void()> body) {
  monitor.actor_begins();
  const std::scoped_lock held(mutex_);
  threads_.emplace_back([this, &monitor, body = std::move(body)] { act(monitor, body); });
}

void ActorThreads::join() {
  for (std::size_t i = 0;; ++i) {
    std::unique_lock held(mutex_);
    if (i == threads_.size()) break;
    std::thread thread = std::move(threads_[i]);
    held.unlock();
    if (thread.joinable()) thread.join();
  }
}

}  // namespace ddl::emulate
