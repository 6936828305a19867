// The vector is cut into one contiguous shard per server.
//
//   synchronous server:  a round is applied when n - b workers have pushed for it (all that are left, once so many have
//                        gone), summed in worker order; what comes later for the round is dropped; a worker's pull is
//                        answered once there are weights that it has not seen
//
// The last rule keeps a worker from pushing twice for one round. Servers cannot wait for each other by it: those who do
// not wait for the server whose round is the oldest are more than b, and all would have missed the round before.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/algorithms/parameter_server.hpp"
#include "core/algorithms/ps_roles.hpp"
#include "core/algorithms/vectors.hpp"

namespace ddl {
namespace {

class PsSyncServer : public PsServer {
 public:
  PsSyncServer(Node& node, const PsSyncParams& params)
      : PsServer(node, params),
        enough_(node.cluster().workers - params.backup_workers),
        on_failure_(params.on_failure) {
    for (int worker = 0; worker < node.cluster().workers; ++worker) {
      if (!is_counted_on(node.presence(worker), on_failure_)) lose(worker);
    }
  }

  void run() override {
    while (true) {
      const Message message = node_.receive(to_server);
      if (message.news) {
        note_news(message);
      } else if (message.kind == pull) {
        win(message.source);
        asking_.insert(message.source);
        answer_if_it_may(message.source);
      } else if (message.kind == push) {
        take(message);
      } else {
        lose(message.source);
      }
      if (!gradients_.empty() && static_cast<int>(gradients_.size()) >= std::min(enough_, most_gradients())) {
        finish_round();
        for (const int worker : std::set<int>(asking_)) answer_if_it_may(worker);
      }
    }
  }

 private:
  void note_news(const Message& message) {
    if (message.source >= node_.cluster().workers || message.news == Presence::up) return;
    asking_.erase(message.source);
    forget(message.source);
    if (!is_counted_on(*message.news, on_failure_)) lose(message.source);
  }

  void lose(int worker) {
    if (left_.insert(worker).second && !gradients_.contains(worker)) ++left_without_gradient_;
  }

  void win(int worker) {
    if (left_.erase(worker) > 0 && !gradients_.contains(worker)) --left_without_gradient_;
  }

  // The most gradients that this round can come to. A worker that has left may still have its last one in it.
  int most_gradients() const { return node_.cluster().workers - left_without_gradient_; }

  void take(const Message& gradient) {
    record_staleness(gradient);
    if (staleness_of(gradient) > 0) return;  // too late for its round
    work();
    gradients_[gradient.source] = gradient.values;
  }

  void finish_round() {
    std::vector<float> sum(node_.weights().read().size());
    for (const auto& [worker, gradient] : gradients_) add_scaled(sum, values_of(gradient));
    apply(sum, node_.cluster().gradient_weight(static_cast<int>(gradients_.size())));
    gradients_.clear();
    left_without_gradient_ = static_cast<int>(left_.size());
  }

  void answer_if_it_may(int worker) {
    if (has_seen_newest(worker)) return;
    answer(worker);
    asking_.erase(worker);
  }

  const int enough_;  // gradients for a round
  const OnFailure on_failure_;
  std::set<int> left_;                // workers that will push no more, or are not counted on
  int left_without_gradient_ = 0;     // those of them with none in this round
  std::map<int, Payload> gradients_;  // of the round, by worker
  std::set<int> asking_;
};

}  // namespace

std::unique_ptr<Program> make_program(const PsSyncParams& params, Node& node) {
  if (node.is_worker()) return std::make_unique<PsWorker>(node, params);
  return std::make_unique<PsSyncServer>(node, params);
}

// With backup workers nobody waits for the slowest.
Traffic traffic_of(const PsSyncParams& params, const Cluster& cluster) {
  return pull_and_push(cluster, params.backup_workers == 0 ? Pace::lockstep : Pace::free, 1, params.codec);
}

}  // namespace ddl
