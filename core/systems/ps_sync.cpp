// The vector is cut into one contiguous shard per server.
//
//   synchronous server:  a round is applied when n - b workers have pushed for it (all that are left, once so many have
//                        gone), summed in worker order; what comes later for the round is dropped; a worker's pull is
//                        answered once there are weights that it has not seen
//   with a time-out:     whoever has not pushed for a round is left out of it once it has not been heard of for the
//                        time-out since the round's first gradient, and counts again when it is heard of
//
// The last rule keeps a worker from pushing twice for one round. Servers cannot wait for each other by it: those who do
// not wait for the server whose round is the oldest are more than b, and all would have missed the round before.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/membership/failure_detector.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/parameter_server.hpp"
#include "core/systems/ps_roles.hpp"

namespace ddl::systems {
namespace {

class PsSyncServer : public PsServer {
 public:
  PsSyncServer(Node& node, const PsSyncParams& params)
      : PsServer(node, params),
        enough_(node.cluster().workers - params.backup_workers),
        on_failure_(params.on_failure),
        failure_detector_(params.on_failure, params.failure_timeout, node.cluster().workers) {
    for (int worker = 0; worker < node.cluster().workers; ++worker) {
      if (!is_counted_on(node.membership().presence(worker), on_failure_)) remove_worker(worker);
    }
  }

  void run() override {
    while (true) {
      if (const auto message = failure_detector_.receive(node_, comm::to_server, reason())) {
        handle(*message);
      } else {
        for (const int worker : failure_detector_.give_up(node_, missing())) remove_worker(worker);
      }
      if (!gradients_.empty() && static_cast<int>(gradients_.size()) >= std::min(enough_, most_gradients())) {
        finish_round();
        for (const int worker : std::set<int>(asking_)) answer_if_it_may(worker);
      }
    }
  }

 private:
  void handle(const Message& message) {
    if (message.is<MembershipEvent>()) return note_event(message);
    if (message.is<comm::Leave>()) return remove_worker(message.source);
    win(message.source);
    if (message.is<comm::Push>()) return take(message);
    asking_.insert(message.source);
    answer_if_it_may(message.source);
  }

  void note_event(const Message& message) {
    const Presence presence = message.as<MembershipEvent>().presence;
    if (message.source >= node_.cluster().workers || presence == Presence::up) return;
    asking_.erase(message.source);
    reset_pull(message.source);
    if (!is_counted_on(presence, on_failure_)) remove_worker(message.source);
  }

  void remove_worker(int worker) {
    if (left_.insert(worker).second && !gradients_.contains(worker)) ++left_without_gradient_;
  }

  void win(int worker) {
    if (left_.erase(worker) > 0 && !gradients_.contains(worker)) --left_without_gradient_;
  }

  // The most gradients that this round can come to. A worker that has left may still have its last one in it.
  int most_gradients() const { return node_.cluster().workers - left_without_gradient_; }

  std::vector<int> missing() const override {
    std::vector<int> workers;
    if (gradients_.empty()) return workers;  // no round has begun
    for (int worker = 0; worker < node_.cluster().workers; ++worker) {
      if (!left_.contains(worker) && !gradients_.contains(worker)) workers.push_back(worker);
    }
    return workers;
  }

  void take(const Message& gradient) {
    record_staleness(gradient);
    if (staleness_of(gradient) > 0) return;  // too late for its round
    work();
    failure_detector_.begin(node_.now());
    gradients_[gradient.source] = gradient.values;
  }

  void finish_round() {
    std::vector<float> sum(node_.weights().read().size());
    for (const auto& [worker, gradient] : gradients_) add_scaled(sum, values_of(gradient));
    apply(sum, node_.cluster().gradient_weight(static_cast<int>(gradients_.size())));
    gradients_.clear();
    failure_detector_.stop_waiting();
    left_without_gradient_ = static_cast<int>(left_.size());
  }

  void answer_if_it_may(int worker) {
    if (has_seen_newest(worker)) return;
    answer(worker);
    asking_.erase(worker);
  }

  const int enough_;  // gradients for a round
  const OnFailure on_failure_;
  membership::FailureDetector failure_detector_;
  std::set<int> left_;                // workers that will push no more, or are not counted on
  int left_without_gradient_ = 0;     // those of them with none in this round
  std::map<int, Payload> gradients_;  // of the round, by worker
  std::set<int> asking_;
};

}  // namespace

std::unique_ptr<Program> PsSyncParams::program(Node& node) const {
  if (node.is_worker()) return std::make_unique<PsWorker>(node, *this);
  return std::make_unique<PsSyncServer>(node, *this);
}

// With backup workers or a time-out nobody waits for the slowest.
Traffic PsSyncParams::traffic(const Cluster& cluster) const {
  const bool waits_for_all = backup_workers == 0 && on_failure != OnFailure::time_out;
  return comm::pull_and_push(cluster, waits_for_all ? Pace::lockstep : Pace::free, 1, codec);
}

std::vector<SettingError> PsSyncParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list = errors_in(on_failure, failure_timeout);
  if (backup_workers >= around.workers) {
    list.push_back({"backup_workers", std::to_string(backup_workers) + " of " + std::to_string(around.workers) +
                                          " workers; expected fewer, for a round to have a gradient"});
  }
  return list;
}

}  // namespace ddl::systems
