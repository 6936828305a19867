#include "core/systems/ako/ako_progress.hpp"

#include <algorithm>
#include <limits>

namespace ddl::systems {

void ReceivedSteps::note(int part, std::int64_t step) {
  if (away_) {  // its messages were lost while it was away
    away_ = false;
    all_ = -1;
    last_.clear();
    next_ = step;
  }
  last_[static_cast<std::size_t>(part)] = step;
  while (true) {
    const auto last = last_.find(plan_.part(source_, class_, next_));
    if (last == last_.end() || last->second < next_) return;
    ++next_;
  }
}

std::int64_t ReceivedSteps::steps() const {
  return away_ || (all_ >= 0 && next_ >= all_) ? std::numeric_limits<std::int64_t>::max() : next_;
}

AkoProgress::AkoProgress(Node& node, const AkoPlan& plan, std::optional<int> staleness_bound)
    : node_(node), bound_(staleness_bound) {
  for (int worker = 0; worker < node.cluster().workers; ++worker) {
    received_.emplace_back(plan, worker, node.id());
    // A worker that starts in the middle has missed earlier messages, and an absent one sends none.
    const bool in_the_middle = !node.membership().starts_afresh() || node.step() > 0;
    if (in_the_middle || !node.up(worker)) received_.back().note_gone();
  }
}

void AkoProgress::note(const Message& message) {
  if (!bound_) return;
  ReceivedSteps& peer = received_[message.source];
  if (message.is<MembershipEvent>()) {
    peer.note_gone();
  } else if (message.is<Leave>()) {
    peer.note_last(message.step);
  } else {
    peer.note(message.as<PartOfSum>().part, message.step);
  }
}

std::int64_t AkoProgress::steps() const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int worker = 0; worker < node_.cluster().workers; ++worker) {
    if (worker != node_.id()) least = std::min(least, received_[worker].steps());
  }
  return least;
}

void AkoProgress::wait() {
  if (!bound_ || received_.size() == 1) return;
  const std::int64_t needed = node_.step() - *bound_;
  node_.wait_until([&] { return steps() >= needed; }, "gradients of peers (staleness bound)");
}

void AkoProgress::leave() {
  if (!bound_) return;
  for (int peer = 0; peer < node_.cluster().workers; ++peer) {
    if (peer != node_.id()) node_.send(peer, {.port = 0, .step = node_.step(), .body = Leave{}});
  }
}

// --- TF.AKO ---

TfAkoClock::TfAkoClock(Node& node, int port) : node_(node), port_(port), received_(node.cluster().workers) {
  node.membership().watch(port);
  for (int worker = 0; worker < node.cluster().workers; ++worker) {
    if (!node.up(worker)) received_[worker] = std::numeric_limits<std::int64_t>::max();
  }
}

void TfAkoClock::start() {
  node_.spawn("clock", [this] { serve(); });
}

void TfAkoClock::wait(std::int64_t steps) {
  node_.wait_until([&] { return all_received_ >= steps || !node_.up(0); }, "gradients at every worker (clock)");
}

void TfAkoClock::received(std::int64_t steps) {
  if (steps == received_[node_.id()]) return;
  if (node_.id() == 0) return note(0, steps);
  received_[node_.id()] = steps;
  node_.send(0, {.port = port_, .step = steps});
}

void TfAkoClock::serve() {
  while (true) {
    const Message message = node_.receive(port_, "the clock's pings and pongs");
    if (message.is<MembershipEvent>()) {
      note_event(message.source, message.as<MembershipEvent>().presence);
    } else if (node_.id() == 0) {
      note(message.source, message.step);
    } else {
      all_received_ = message.step;
      node_.notify();
    }
  }
}

// An absent worker holds no other up. When worker 0 comes back, all workers ping it again.
void TfAkoClock::note_event(int node, Presence presence) {
  if (node_.id() == 0 && presence != Presence::up) note(node, std::numeric_limits<std::int64_t>::max());
  if (node != 0 || presence != Presence::up) return;
  all_received_ = 0;
  const std::int64_t steps = received_[node_.id()];
  if (steps > 0) node_.send(0, {.port = port_, .step = steps});
}

void TfAkoClock::note(int worker, std::int64_t steps) {
  received_[worker] = steps;
  const std::int64_t least = *std::ranges::min_element(received_);
  if (least == all_received_) return;
  all_received_ = least;
  for (int other = 1; other < node_.cluster().workers; ++other) node_.send(other, {.port = port_, .step = least});
  node_.notify();
}

}  // namespace ddl::systems
