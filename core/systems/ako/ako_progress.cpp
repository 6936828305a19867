#include "core/systems/ako/ako_progress.hpp"

#include <limits>

namespace ddl::systems {

void ReceivedSteps::note(int part, std::int64_t step) {
  if (away_) {  // what it has sent while it was away was lost
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
    // A worker that starts in the middle has not heard what came before, and one that is away says nothing.
    if (node.membership().events() > 0 || !node.up(worker)) received_.back().note_gone();
  }
}

void AkoProgress::note(const Message& message) {
  if (!bound_) return;
  ReceivedSteps& peer = received_[static_cast<std::size_t>(message.source)];
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
    if (worker != node_.id()) least = std::min(least, received_[static_cast<std::size_t>(worker)].steps());
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

}  // namespace ddl::systems
