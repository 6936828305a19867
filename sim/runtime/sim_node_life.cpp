// How a node's actors end when its host crashes, what it forgets, and how it starts again.
#include <simgrid/s4u/Exec.hpp>
#include <utility>

#include "core/node/vectors.hpp"
#include "sim/runtime/sim_node.hpp"

namespace ddl::runtime {

namespace sg = simgrid::s4u;

Presence SimNode::presence(int node) const { return simulation_.presence(node); }

std::int64_t SimNode::events() const { return simulation_.hosts().events(); }

void SimNode::unwatch(int port) {
  watching_.erase(port);
  std::erase_if(inboxes_[port].arrivals, [](const Arrival& arrival) { return arrival.message.is<MembershipEvent>(); });
}

void SimNode::unwind() {
  std::vector<network::Signal*> asleep;
  for (auto& [port, inbox] : inboxes_) {
    if (inbox.receiver.signal != nullptr) asleep.push_back(std::exchange(inbox.receiver, {}).signal);
  }
  for (const Waiter& waiter : std::exchange(waiters_, {})) asleep.push_back(waiter.signal);
  std::vector<sg::ExecPtr> computing = working_;
  if (computing_) computing.push_back(computing_);
  for (const auto& work : computing) work->cancel();
  network::Signal::ring_all(asleep);
}

bool SimNode::discard_state() {
  check(!has_actors(), "a host forgets once its actors are gone");
  inboxes_.clear();
  waiters_.clear();
  watching_.clear();
  has_main_ = leaving_ = returns_ = false;
  end_incarnation();
  return lose_step();
}

void SimNode::start(bool without_state, const Payload& first_weights) {
  crashed_ = false;
  needs_model_ = without_state;
  if (without_state) reset_replica(part_held(first_weights, cluster(), id()));
}

void SimNode::notify_presence(int node, Presence presence) {
  for (const int port : std::set<int>(watching_)) {  // actors that it wakes may stop watching
    if (!watching_.contains(port)) continue;
    deliver({.port = port, .body = MembershipEvent{presence, events()}, .source = node, .target = id()});
  }
  notify();
}

}  // namespace ddl::runtime
