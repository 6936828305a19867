#include "sim/run/actors/waiting_actors.hpp"

#include <iterator>
#include <utility>

#include "core/base/check.hpp"
#include "core/node/membership.hpp"
#include "sim/run/simulation.hpp"

namespace ddl::run {

void WaitingActors::deliver(Message message) {
  Inbox& inbox = inboxes_[message.port];
  const double time_s = simulation_.now();
  // Arrivals of one instant are put in order of their senders: SimGrid's own order among them means nothing.
  auto place = inbox.arrivals.end();
  while (place != inbox.arrivals.begin() && std::prev(place)->time_s == time_s &&
         std::prev(place)->message.source > message.source) {
    --place;
  }
  inbox.arrivals.insert(place, {time_s, std::move(message)});
  if (inbox.receiver.signal != nullptr) std::exchange(inbox.receiver, {}).signal->ring();
}

Message WaitingActors::take_first(Inbox& inbox) {
  Message message = std::move(inbox.arrivals.front().message);
  inbox.arrivals.pop_front();
  return message;
}

Message WaitingActors::receive(int port, const Reason& reason) {
  point_.enter();
  Inbox& inbox = inboxes_[port];
  while (inbox.arrivals.empty()) {
    check(inbox.receiver.signal == nullptr, "one receiver per port");
    network::Signal arrival(simulation_.quiescence());
    inbox.receiver = {&arrival, &reason};
    arrival.wait();
    point_.leave();
  }
  return take_first(inbox);
}

std::optional<Message> WaitingActors::receive_for(int port, double seconds, const Reason& reason) {
  point_.enter();
  Inbox& inbox = inboxes_[port];
  const double deadline_s = simulation_.now() + seconds;
  while (inbox.arrivals.empty()) {
    check(inbox.receiver.signal == nullptr, "one receiver per port");
    if (simulation_.now() >= deadline_s) return std::nullopt;
    const Simulation::Busy busy(simulation_);
    network::Signal arrival(simulation_.quiescence());
    inbox.receiver = {&arrival, &reason};
    if (!arrival.wait_for(deadline_s - simulation_.now())) {
      if (inbox.receiver.signal == nullptr) arrival.cancel_ring();
      inbox.receiver = {};
      point_.leave();
      return poll(port);
    }
    point_.leave();
  }
  return take_first(inbox);
}

std::optional<Message> WaitingActors::poll(int port) {
  Inbox& inbox = inboxes_[port];
  if (inbox.arrivals.empty()) return std::nullopt;
  return take_first(inbox);
}

void WaitingActors::wait_until(const std::function<bool()>& holds, const Reason& reason) {
  point_.enter();
  while (!holds()) {
    network::Signal signal(simulation_.quiescence());
    waiters_.push_back({&signal, &reason});
    signal.wait();
    point_.leave();
  }
}

void WaitingActors::notify() {
  for (const Waiter& waiter : std::exchange(waiters_, {})) {
    simulation_.quiescence().later([signal = waiter.signal] { signal->ring(); });
  }
}

void WaitingActors::discard_events(int port) {
  std::erase_if(inboxes_[port].arrivals, [](const Arrival& arrival) { return arrival.message.is<MembershipEvent>(); });
}

std::vector<network::Signal*> WaitingActors::take_all() {
  std::vector<network::Signal*> asleep;
  for (auto& [port, inbox] : inboxes_) {
    if (inbox.receiver.signal != nullptr) asleep.push_back(std::exchange(inbox.receiver, {}).signal);
  }
  for (const Waiter& waiter : std::exchange(waiters_, {})) asleep.push_back(waiter.signal);
  return asleep;
}

void WaitingActors::clear() {
  inboxes_.clear();
  waiters_.clear();
}

void WaitingActors::describe(std::vector<std::string>& lines, int node) const {
  const auto name_of = [&](int other) { return simulation_.fabric().name(other); };
  const auto describe = [&](const Waiter& waiter) {
    if (waiter.signal == nullptr) return;
    const std::string what = waiter.reason->text(name_of);
    if (!what.empty()) lines.push_back(name_of(node) + " waits for " + what);
  };
  for (const auto& [port, inbox] : inboxes_) describe(inbox.receiver);
  for (const Waiter& waiter : waiters_) describe(waiter);
}

}  // namespace ddl::run
