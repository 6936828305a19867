// How long a server waits for workers it hears nothing of, where a time-out is all that tells who has failed.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"

namespace ddl::membership {

// Someone waits for workers from a time on. One of them is given up once nothing has been heard of it for the time-out
// since then. What has arrived in time is heard first, however late the server gets to read it.
class FailureDetector {
 public:
  // Without an end, unless `wanted` is a time-out.
  FailureDetector(OnFailure wanted, std::optional<Seconds> timeout, int workers)
      : timeout_s_(wanted == OnFailure::time_out ? timeout.value().value : never),
        heard_s_(static_cast<std::size_t>(workers)) {}

  // W. The next message at the port, or nothing when patience has come to its end: see give_up.
  std::optional<Message> receive(Node& node, int port, const Reason& reason) {
    std::optional<Message> message;
    if (ends_s_ == never) {
      message = node.receive(port, reason);
    } else {
      message = node.receive_for(port, std::max(0.0, ends_s_ - node.now()), reason);
    }
    if (message && !message->is<MembershipEvent>()) heard_s_[static_cast<std::size_t>(message->source)] = node.now();
    return message;
  }

  // Someone waits since then, unless someone did already.
  void begin(double since_s) {
    if (ends_s_ != never) return;
    since_s_ = since_s;
    ends_s_ = since_s + timeout_s_;
  }
  void stop_waiting() { ends_s_ = never; }  // nobody waits

  // Of those who are waited for, the ones to give up. FailureDetector goes on for the others.
  std::vector<int> give_up(Node& node, const std::vector<int>& waited_for) {
    return give_up(node, waited_for, since_s_);
  }
  // The same, if those who still wait have not done so as long as that.
  std::vector<int> give_up(Node& node, const std::vector<int>& waited_for, double since_s) {
    const double now_s = std::exchange(ends_s_, never);  // the clock's last digits may be others
    std::vector<int> given_up;
    for (const int worker : waited_for) {
      const double ends_s = std::max(since_s, heard_s(worker)) + timeout_s_;
      if (ends_s <= now_s) {
        given_up.push_back(worker);
        node.record(Suspicion{worker});
      } else {
        ends_s_ = std::min(ends_s_, ends_s);
      }
    }
    return given_up;
  }

  double heard_s(int worker) const { return heard_s_[static_cast<std::size_t>(worker)]; }  // when last

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  const double timeout_s_;
  double since_s_ = 0, ends_s_ = never;
  std::vector<double> heard_s_;
};

}  // namespace ddl::membership
