#include "lab/emulate/actor_threads.hpp"

#include <system_error>
#include <utility>

#include "sim/process/failures.hpp"

namespace ddl::emulate {

std::thread start_thread(std::function<void()> body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error& error) {
    throw process::RunFailed("a thread cannot be started: " + error.code().message() +
                             "; a run needs two for each ordered pair of nodes, beside those of the nodes");
  }
}

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
  {
    const std::scoped_lock held(mutex_);
    threads_.emplace_back();  // room, before there is a thread that would have to be joined
    threads_.back() = start_thread([this, &monitor, body = std::move(body)] { act(monitor, body); });
  }
  monitor.actor_begins();  // the thread waits for the monitor, which the caller holds
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
