#include "core/systems/ako/ako_queues.hpp"

#include "core/base/check.hpp"

namespace ddl::systems {

AkoQueues::AkoQueues(Node& node, const AkoParams& params, std::size_t parts)
    : node_(node),
      overflow_(params.overflow),
      depth_(static_cast<std::size_t>(params.queue_depth)),
      most_(depth_ + (overflow_ == Overflow::merge ? parts : 0)) {}

void AkoQueues::wait_for_room() {
  if (overflow_ == Overflow::merge) return;
  const auto first_full_queue = [this] {
    for (int peer = 0; peer < node_.cluster().workers; ++peer) {
      if (peer != node_.id() && node_.queue(peer).length() >= depth_) return peer;
    }
    return -1;
  };
  // The clock's messages may take a place at one peer while there is none yet at the next.
  for (int peer = first_full_queue(); peer >= 0; peer = first_full_queue()) node_.queue(peer).wait_for_room(depth_);
}

void AkoQueues::send(int peer, const Message& part_of_sum) {
  SendQueue& queue = node_.queue(peer);
  const auto is_same = [part = part_of_sum.as<PartOfSum>().part](const Message& queued) {
    return queued.is<PartOfSum>() && queued.as<PartOfSum>().part == part;
  };
  if (overflow_ == Overflow::merge && queue.length() >= depth_ && queue.merge(part_of_sum, is_same)) return;
  node_.send(peer, part_of_sum);
  check(queue.length() <= most_, "a queue holds what its depth allows, and one sum of each partition when merging");
}

}  // namespace ddl::systems
