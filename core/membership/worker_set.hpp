// The workers that a server waits for, while hosts come and go.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/comm/sharded_model.hpp"
#include "core/membership/failure_detector.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"

namespace ddl::membership {

// When a newcomer counts. when_heard: others wait for it after its first message. when_there: at once, where all
// workers that come in one instant must be known before the first message of one of them.
enum class Counted { when_heard, when_there };

// A worker is removed when it leaves, when its host goes (for good or, with go_on, until it is back), and when it is
// suspected (time_out). The system adds it again when it hears from the worker.
class WorkerSet {
 public:
  using Nodes = std::function<std::vector<int>()>;

  WorkerSet(Node& node, OnFailure on_failure, std::optional<Seconds> failure_timeout,
            Counted counted = Counted::when_heard);

  // W. The next pull or push. Nothing if the set may have changed: a worker left, a host came or went, or workers were
  // suspected. `what` names the wait, for the workers `waited_for`.
  std::optional<Message> receive(comm::ShardServer& shard, const char* what, const Nodes& waited_for);

  bool contains(int worker) const { return is_member_[worker] != 0; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void remove(int worker);
  void add(int worker);

  template <class Function>
  void for_each(Function function) const {
    for (int worker = 0; worker < is_member_.count(); ++worker) {
      if (contains(worker)) function(worker);
    }
  }
  template <class Predicate>
  bool all_of(Predicate holds) const {
    for (int worker = 0; worker < is_member_.count(); ++worker) {
      if (contains(worker) && !holds(worker)) return false;
    }
    return true;
  }
  // In ascending order.
  template <class Predicate>
  std::vector<int> where(Predicate holds) const {
    std::vector<int> workers;
    for_each([&](int worker) {
      if (holds(worker)) workers.push_back(worker);
    });
    return workers;
  }

  // Starts the time-out of the workers that are waited for, unless it is running.
  void begin_waiting() { failure_detector_.begin_waiting(); }
  void stop_waiting() { failure_detector_.stop_waiting(); }
  // Counts the time-out from the oldest unanswered pull, if there is one.
  void wait_while_asked(const comm::ShardServer& shard);

 private:
  const OnFailure on_failure_;
  const Counted counts_from_;
  FailureDetector failure_detector_;
  PerNode<char> is_member_;  // per worker
  std::size_t size_ = 0;
};

}  // namespace ddl::membership
