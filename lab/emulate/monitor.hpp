// Keeps one node's actors from running at the same time: an actor holds its node's monitor, and releases it only while
// it waits. The monitor also tells the emulation which actor waits for what.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ddl::emulate {

using WallClock = std::chrono::steady_clock;
inline WallClock::duration wall_duration(double seconds) {
  return std::chrono::duration_cast<WallClock::duration>(std::chrono::duration<double>(seconds));
}

// Unwinds an actor when the run ends. Not derived from std::exception, so that it is not taken for a failure.
struct RunOver {};

class Monitor {
 public:
  // Lockable, for std::unique_lock and its like.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  // The caller of the following holds the monitor.

  // Waits until `holds`, evaluated after every wake(), or until the deadline; returns `holds`. Others run meanwhile.
  // Throws RunOver once end() has been called.
  bool wait(const std::function<bool()>& holds, const std::string& what,
            std::optional<WallClock::time_point> deadline = std::nullopt);
  // The same for threads that are not actors: it neither counts nor throws, and returns when the run has ended.
  void wait_uncounted(const std::function<bool()>& holds);
  // Sleeps until the deadline; false if the run has ended before.
  bool sleep_uncounted(WallClock::time_point deadline);
  void wake() { changed_.notify_all(); }
  void end() {
    over_ = true;
    wake();
  }
  bool is_over() const { return over_; }

  void actor_begins() { ++actors_; }
  void actor_ends() { --actors_; }
  // True if no actor will go on unless something arrives.
  bool is_stuck() const;
  // Reasons of the waits, for those that have words.
  std::vector<std::string> waited_for() const;

 private:
  struct Waiter {
    const std::function<bool()>* holds;
    const std::string* what;
    bool has_deadline;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<const Waiter*> waiters_;
  int actors_ = 0;
  bool over_ = false;
};

}  // namespace ddl::emulate
