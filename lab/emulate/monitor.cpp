#include "lab/emulate/monitor.hpp"

#include <algorithm>

namespace ddl::emulate {

bool Monitor::wait(const std::function<bool()>& holds, const std::string& what,
                   std::optional<WallClock::time_point> deadline) {
  if (over_) throw RunOver{};
  const Waiter self{&holds, &what, deadline.has_value()};
  waiters_.push_back(&self);
  std::unique_lock held(mutex_, std::adopt_lock);
  bool in_time = true;
  while (!over_ && !holds() && in_time) {
    if (deadline) {
      in_time = changed_.wait_until(held, *deadline) == std::cv_status::no_timeout;
    } else {
      changed_.wait(held);
    }
  }
  held.release();  // the actor holds on
  std::erase(waiters_, &self);
  if (over_) throw RunOver{};
  return holds();
}

void Monitor::wait_uncounted(const std::function<bool()>& holds) {
  std::unique_lock held(mutex_, std::adopt_lock);
  changed_.wait(held, [&] { return over_ || holds(); });
  held.release();
}

bool Monitor::sleep_uncounted(WallClock::time_point deadline) {
  std::unique_lock held(mutex_, std::adopt_lock);
  changed_.wait_until(held, deadline, [&] { return over_; });
  held.release();
  return !over_;
}

bool Monitor::is_stuck() const {
  return static_cast<int>(waiters_.size()) == actors_ && std::ranges::none_of(waiters_, [](const Waiter* waiter) {
           return waiter->has_deadline || (*waiter->holds)();
         });
}

std::vector<std::string> Monitor::waited_for() const {
  std::vector<std::string> list;
  for (const Waiter* waiter : waiters_) {
    if (!waiter->what->empty()) list.push_back(*waiter->what);
  }
  return list;
}

}  // namespace ddl::emulate
