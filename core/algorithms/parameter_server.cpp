// The vector is cut into one contiguous shard per server.
//
//   asynchronous server:  forever: a pull is answered at once; a push is applied on arrival
//   stale-synchronous:    the same, but the pull of a worker at clock t is answered once every worker still at work has
//                         pushed t - s gradients
#include "core/algorithms/parameter_server.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "core/algorithms/ps_roles.hpp"
#include "core/algorithms/vectors.hpp"

namespace ddl {
namespace {

class PsAsyncServer : public PsServer {
 public:
  PsAsyncServer(Node& node, const PsAsyncParams& params, std::optional<int> staleness_bound)
      : PsServer(node, params),
        staleness_bound_(staleness_bound),
        staleness_aware_(params.staleness_aware),
        clocks_(static_cast<std::size_t>(node.cluster().workers)) {
    at_clock_[0] = node.cluster().workers;
  }

  void run() override {
    while (true) {
      const Message message = node_.receive(to_server);
      if (message.kind == pull) asking_[message.source] = message.step;
      if (message.kind == push) {
        work();
        take(message);
        set_clock(message.source, message.step + 1);
      }
      if (message.kind == leave) set_clock(message.source, std::numeric_limits<std::int64_t>::max());
      answer_who_may_go_on();
    }
  }

 private:
  void set_clock(int worker, std::int64_t clock) {
    std::int64_t& its = clocks_[static_cast<std::size_t>(worker)];
    if (--at_clock_[its] == 0) at_clock_.erase(its);
    its = clock;
    ++at_clock_[its];
  }

  void take(const Message& gradient) {
    record_staleness(gradient);
    const auto staleness = std::max<std::int64_t>(1, staleness_of(gradient));
    const float weight = node_.cluster().gradient_weight();
    apply(values_of(gradient.values), staleness_aware_ ? weight / static_cast<float>(staleness) : weight);
  }

  void answer_who_may_go_on() {
    if (asking_.empty()) return;
    const std::int64_t slowest = at_clock_.begin()->first;
    std::erase_if(asking_, [&](const auto& asking) {
      const auto [worker, clock] = asking;
      const bool may = !staleness_bound_ || slowest >= clock - *staleness_bound_;
      if (may) answer(worker);
      return may;
    });
  }

  const std::optional<int> staleness_bound_;
  const bool staleness_aware_;
  std::vector<std::int64_t> clocks_;      // gradients had from each worker
  std::map<std::int64_t, int> at_clock_;  // how many workers
  std::map<int, std::int64_t> asking_;    // worker -> its clock
};

}  // namespace

std::unique_ptr<Program> make_program(const PsAsyncParams& params, Node& node) {
  if (node.is_worker()) return std::make_unique<PsWorker>(node, params);
  return std::make_unique<PsAsyncServer>(node, params, std::nullopt);
}

std::unique_ptr<Program> make_program(const PsSspParams& params, Node& node) {
  if (node.is_worker()) return std::make_unique<PsWorker>(node, params);
  return std::make_unique<PsAsyncServer>(node, params, params.staleness_bound);
}

Traffic traffic_of(const PsAsyncParams& params, const Cluster& cluster) {
  return pull_and_push(cluster, Pace::free, 1, params.codec);
}
Traffic traffic_of(const PsSspParams& params, const Cluster& cluster) {
  return pull_and_push(cluster, Pace::free, 1, params.codec);
}

}  // namespace ddl
