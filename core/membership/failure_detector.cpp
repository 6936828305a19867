#include "core/membership/failure_detector.hpp"

#include <algorithm>
#include <utility>

namespace ddl::membership {

FailureDetector::FailureDetector(Node& node, OnFailure on_failure, std::optional<Seconds> timeout)
    : node_(node),
      timeout_s_(on_failure == OnFailure::time_out ? timeout.value().value : never),
      heard_s_(node.cluster().workers) {}

std::optional<Message> FailureDetector::receive(int port, const Reason& reason) {
  std::optional<Message> message;
  if (ends_s_ == never) {
    message = node_.receive(port, reason);
  } else {
    message = node_.receive_for(port, std::max(0.0, ends_s_ - node_.now()), reason);
  }
  if (message && !message->is<MembershipEvent>()) heard_s_[message->source] = node_.now();
  return message;
}

void FailureDetector::wait_since(double since_s) {
  since_s_ = since_s;
  if (ends_s_ == never) ends_s_ = since_s + timeout_s_;
}

void FailureDetector::begin_waiting() {
  if (ends_s_ == never) wait_since(node_.now());
}

void FailureDetector::stop_waiting() { ends_s_ = never; }

std::vector<int> FailureDetector::suspects(const std::vector<int>& waited_for) {
  const double now_s = std::exchange(ends_s_, never);  // not now(), which may differ by a rounding error
  std::vector<int> suspected;
  for (const int worker : waited_for) {
    const double ends_s = std::max(since_s_, heard_s_[worker]) + timeout_s_;
    if (ends_s <= now_s) {
      suspected.push_back(worker);
      node_.record(Suspicion{worker});
    } else {
      ends_s_ = std::min(ends_s_, ends_s);
    }
  }
  return suspected;
}

}  // namespace ddl::membership
