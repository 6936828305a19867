#include "core/membership/worker_set.hpp"

namespace ddl::membership {

WorkerSet::WorkerSet(Node& node, OnFailure on_failure, std::optional<Seconds> failure_timeout, Counted counted)
    : on_failure_(on_failure),
      counts_from_(counted),
      failure_detector_(node, on_failure, failure_timeout),
      is_member_(node.cluster().workers) {
  for (int worker = 0; worker < node.cluster().workers; ++worker) {
    if (is_counted_on(node.membership().presence(worker), on_failure)) add(worker);
  }
}

std::optional<Message> WorkerSet::receive(comm::ShardServer& shard, const char* what, const Nodes& waited_for) {
  std::optional<Message> message = failure_detector_.receive(comm::to_server, {what, waited_for});
  if (!message) {
    for (const int worker : failure_detector_.suspects(waited_for())) remove(worker);
    return std::nullopt;
  }
  shard.hear(*message);
  if (message->is<comm::Pull>() || message->is<comm::Push>()) return message;
  const int source = message->source;
  const bool is_worker = source < is_member_.count();
  if (message->is<comm::Leave>()) {
    remove(source);
  } else if (is_worker && !is_counted_on(message->as<MembershipEvent>().presence, on_failure_)) {
    remove(source);
  } else if (is_worker && counts_from_ == Counted::when_there &&
             message->as<MembershipEvent>().presence == Presence::up) {
    add(source);
  }
  return std::nullopt;
}

void WorkerSet::wait_while_asked(const comm::ShardServer& shard) {
  if (shard.asking().empty()) {
    failure_detector_.stop_waiting();
  } else {
    failure_detector_.wait_since(shard.oldest_pull_s());
  }
}

void WorkerSet::remove(int worker) {
  if (!contains(worker)) return;
  is_member_[worker] = 0;
  --size_;
}

void WorkerSet::add(int worker) {
  if (contains(worker)) return;
  is_member_[worker] = 1;
  ++size_;
}

}  // namespace ddl::membership
