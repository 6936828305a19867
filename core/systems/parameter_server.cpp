// The vector is cut into one contiguous shard per server.
//
//   asynchronous server:  forever: a pull is answered at once; a push is applied on arrival
//   stale-synchronous:    the same, but the pull of a worker at clock t is answered once every worker still at work has
//                         pushed t - s gradients
//   with a time-out:      a slowest worker is waited for no more once it has not been heard of for the time-out since
//                         the oldest pull that is not answered
//
// A worker that was not counted on for a while comes back at the clock of the slowest: what it has missed is not made
// up. A gradient that it brings is applied like any other.
#include "core/systems/parameter_server.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "core/membership/failure_detector.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/ps_roles.hpp"

namespace ddl::systems {
namespace {

class PsAsyncServer : public PsServer {
 public:
  PsAsyncServer(Node& node, const PsAsyncParams& params, std::optional<int> staleness_bound, OnFailure on_failure,
                std::optional<Seconds> failure_timeout)
      : PsServer(node, params),
        staleness_bound_(staleness_bound),
        on_failure_(on_failure),
        failure_detector_(on_failure, failure_timeout, node.cluster().workers),
        staleness_aware_(params.staleness_aware),
        clocks_(static_cast<std::size_t>(node.cluster().workers)),
        ahead_(clocks_.size()) {
    at_clock_[0] = node.cluster().workers;
    for (int worker = 0; worker < node.cluster().workers; ++worker) {
      if (!is_counted_on(node.membership().presence(worker), on_failure)) set_clock(worker, not_counted);
    }
  }

  void run() override {
    while (true) {
      if (const auto message = failure_detector_.receive(node_, comm::to_server, reason())) {
        handle(*message);
      } else {
        for (const int worker : failure_detector_.give_up(node_, missing(), oldest_pull_s()))
          set_clock(worker, not_counted);
      }
      answer_unblocked_workers();
      if (asking_.empty()) {
        failure_detector_.stop_waiting();
      } else {
        failure_detector_.begin(oldest_pull_s());
      }
    }
  }

 private:
  static constexpr std::int64_t not_counted = std::numeric_limits<std::int64_t>::max();

  void handle(const Message& message) {
    if (message.is<MembershipEvent>()) return note_event(message);
    const int worker = message.source;
    if (message.is<comm::Leave>()) return set_clock(worker, not_counted);
    const std::int64_t pushed = message.step + (message.is<comm::Push>() ? 1 : 0);
    come_back(worker, pushed);
    if (message.is<comm::Push>()) {
      work();
      take(message);
    }
    const std::int64_t clock = pushed + ahead_[static_cast<std::size_t>(worker)];
    set_clock(worker, clock);  // also at a pull: a server that has crashed knows no clocks
    if (message.is<comm::Pull>()) asking_[worker] = clock;
  }

  void note_event(const Message& message) {
    const Presence presence = message.as<MembershipEvent>().presence;
    if (message.source >= node_.cluster().workers || presence == Presence::up) return;
    asking_.erase(message.source);
    reset_pull(message.source);
    if (!is_counted_on(presence, on_failure_)) set_clock(message.source, not_counted);
  }

  // If it is heard of for the first time since it was not counted on. It has pushed so many gradients by itself.
  void come_back(int worker, std::int64_t pushed) {
    if (clocks_[static_cast<std::size_t>(worker)] != not_counted) return;
    std::int64_t& ahead = ahead_[static_cast<std::size_t>(worker)];
    if (slowest_clock() != not_counted) ahead = std::max(ahead, slowest_clock() - pushed);
  }

  std::int64_t slowest_clock() const { return at_clock_.begin()->first; }

  // The slowest, who hold up all who ask.
  std::vector<int> missing() const override {
    std::vector<int> workers;
    if (asking_.empty()) return workers;
    for (int worker = 0; worker < node_.cluster().workers; ++worker) {
      if (clocks_[static_cast<std::size_t>(worker)] == slowest_clock()) workers.push_back(worker);
    }
    return workers;
  }

  // Who asks says nothing more until it is answered.
  double oldest_pull_s() const {
    double oldest_s = node_.now();
    for (const auto& [worker, clock] : asking_) oldest_s = std::min(oldest_s, failure_detector_.heard_s(worker));
    return oldest_s;
  }

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

  void answer_unblocked_workers() {
    if (asking_.empty()) return;
    const std::int64_t slowest_now = slowest_clock();
    std::erase_if(asking_, [&](const auto& asking) {
      const auto [worker, clock] = asking;
      const bool may = !staleness_bound_ || slowest_now >= clock - *staleness_bound_;
      if (may) answer(worker);
      return may;
    });
  }

  const std::optional<int> staleness_bound_;
  const OnFailure on_failure_;
  membership::FailureDetector failure_detector_;
  const bool staleness_aware_;
  std::vector<std::int64_t> clocks_;      // gradients had from each worker, and what it was let off
  std::vector<std::int64_t> ahead_;       // what it was let off
  std::map<std::int64_t, int> at_clock_;  // how many workers
  std::map<int, std::int64_t> asking_;    // worker -> its clock
};

}  // namespace

std::unique_ptr<Program> PsAsyncParams::program(Node& node) const {
  if (node.is_worker()) return std::make_unique<PsWorker>(node, *this);
  return std::make_unique<PsAsyncServer>(node, *this, std::nullopt, OnFailure::go_on, std::nullopt);
}

std::unique_ptr<Program> PsSspParams::program(Node& node) const {
  if (node.is_worker()) return std::make_unique<PsWorker>(node, *this);
  return std::make_unique<PsAsyncServer>(node, *this, staleness_bound, on_failure, failure_timeout);
}

Traffic PsAsyncParams::traffic(const Cluster& cluster) const {
  return comm::pull_and_push(cluster, Pace::free, 1, codec);
}
Traffic PsSspParams::traffic(const Cluster& cluster) const {
  return comm::pull_and_push(cluster, Pace::free, 1, codec);
}

std::vector<SettingError> PsSspParams::errors(const Surroundings&) const {
  return errors_in(on_failure, failure_timeout);
}

// A worker that was given up comes back at the clock of the slowest.
std::optional<int> PsSspParams::most_steps_ahead() const {
  return on_failure == OnFailure::time_out ? std::nullopt : std::optional(staleness_bound);
}

}  // namespace ddl::systems
