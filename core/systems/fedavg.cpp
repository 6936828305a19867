// A worker has claimed the first step of its next round before it says that it is ready, so that the model travels to
// none that has no use for it. All servers draw the same workers, each for its shard of the model. A worker applies its
// own gradients whole; the averaging makes the mean.
//
//   server:  loop:  wait until all workers at work are ready
//                   x = sum of h_k x_k / sum of h_k over the models of the round, in worker order   (h_k: steps in it)
//                   send x to m of the workers, drawn at random                                     (m = max(C n, 1))
//            once the run has its samples, whoever waits for a round is told that there is none
//            with a time-out, who has not been heard of for that long since the round began is left out of it: its
//            model is dropped, and it takes part again once it is ready
//   worker:  loop:  take x from the server;  H times: x = step(x, gradient(x));  send x
#include "core/systems/fedavg.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "core/comm/sharded_model.hpp"
#include "core/membership/failure_detector.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

struct ReadyForRound {};
struct TrainedModel {};

class FedavgWorker : public Program {
 public:
  FedavgWorker(const FedavgParams& params, Node& node) : node_(node), params_(params), model_(node) {}

  void run() override {
    bool at_work = node_.next_step();
    while (at_work) {
      model_.send_request(ReadyForRound{});
      if (!model_.receive()) break;
      for (int steps = 0; at_work && steps < params_.local_steps; ++steps) {
        const Gradient gradient = node_.gradient();
        node_.apply(values_of(gradient.values));
        node_.finish_step();
        at_work = node_.next_step();
      }
      model_.push(TrainedModel{}, node_.weights().snapshot());
    }
    model_.send_leave(comm::Leave{});
  }

 private:
  Node& node_;
  const FedavgParams params_;
  comm::ShardedModel model_;
};

class FedavgServer : public Program {
 public:
  FedavgServer(const FedavgParams& params, Node& node)
      : node_(node),
        sampled_(workers_in_round(params, node.cluster().workers)),
        random_(stream(node.cluster().seed, "everybody", "sampled workers")),
        on_failure_(params.on_failure),
        failure_detector_(params.on_failure, params.failure_timeout, node.cluster().workers),
        clocks_(static_cast<std::size_t>(node.cluster().workers)) {
    node.membership().watch(comm::to_server);
    for (int worker = 0; worker < node.cluster().workers; ++worker) {
      if (is_counted_on(node.membership().presence(worker), on_failure_)) at_work_.insert(worker);
    }
  }

  void run() override {
    const Reason reason("workers to be ready", [this] { return missing(); });
    while (true) {
      if (auto message = failure_detector_.receive(node_, comm::to_server, reason)) {
        handle(std::move(*message));
      } else {
        for (const int worker : failure_detector_.give_up(node_, missing())) remove_worker(worker);
      }
      if (ready_.size() == at_work_.size()) next_round();
    }
  }

 private:
  void handle(Message message) {
    const int worker = message.source;
    if (message.is<MembershipEvent>()) {
      const Presence presence = message.as<MembershipEvent>().presence;
      if (worker >= node_.cluster().workers || presence == Presence::up) return;
      ready_.erase(worker);
      drawn_.erase(worker);
      if (!is_counted_on(presence, on_failure_)) at_work_.erase(worker);
    } else if (message.is<ReadyForRound>()) {
      at_work_.insert(worker);
      ready_[worker] = message.step;
      failure_detector_.begin(node_.now());  // before the first round
    } else if (message.is<comm::Leave>()) {
      at_work_.erase(worker);
    } else if (drawn_.erase(worker) > 0) {  // of this round, and not by a server that has crashed since
      models_[worker] = std::move(message);
    }
  }

  void remove_worker(int worker) {
    at_work_.erase(worker);
    drawn_.erase(worker);
  }

  std::vector<int> missing() const {
    std::vector<int> workers;
    std::ranges::copy_if(at_work_, std::back_inserter(workers), [&](int worker) { return !ready_.contains(worker); });
    return workers;
  }

  static std::size_t workers_in_round(const FedavgParams& params, int workers) {
    const double wanted = params.sampled.value_or(workers);
    return static_cast<std::size_t>(std::max(1.0, wanted < 1 ? std::round(wanted * workers) : wanted));
  }

  void next_round() {
    failure_detector_.stop_waiting();
    average();
    if (!node_.run_goes_on()) {
      for (const auto& [worker, clock] : ready_) comm::send_no_shard(node_, worker);
      ready_.clear();
      return;
    }
    std::vector<int> drawn;
    for (const auto& [worker, clock] : ready_) drawn.push_back(worker);
    if (drawn.empty()) return;
    shuffle(std::span<int>(drawn), random_);
    drawn.resize(std::min(sampled_, drawn.size()));
    std::ranges::sort(drawn);
    for (const int worker : drawn) {
      clocks_[static_cast<std::size_t>(worker)] = ready_[worker];
      ready_.erase(worker);
      drawn_.insert(worker);
      comm::send_shard(node_, worker);
    }
    failure_detector_.begin(node_.now());
  }

  void average() {
    std::vector<float> mean(node_.weights().read().size());
    double all_steps = 0;
    for (const auto& [worker, model] : models_) all_steps += steps_in(model);
    for (const auto& [worker, model] : models_) {
      add_scaled(mean, values_of(model.values), static_cast<float>(steps_in(model) / all_steps));
    }
    if (!models_.empty() && !mean.empty()) node_.weights().adopt(make_payload(std::move(mean)));
    models_.clear();
  }

  double steps_in(const Message& model) const {
    return static_cast<double>(model.step - clocks_[static_cast<std::size_t>(model.source)]);
  }

  Node& node_;
  const std::size_t sampled_;
  Stream random_;
  const OnFailure on_failure_;
  membership::FailureDetector failure_detector_;
  std::set<int> at_work_;              // workers that are counted on
  std::map<int, std::int64_t> ready_;  // of them, those that wait for a round, and their steps so far
  std::set<int> drawn_;                // those that train
  std::map<int, Message> models_;      // of the round, by worker
  std::vector<std::int64_t> clocks_;   // steps of each worker before its round
};

}  // namespace

std::unique_ptr<Program> FedavgParams::program(Node& node) const {
  if (node.is_worker()) return std::make_unique<FedavgWorker>(*this, node);
  return std::make_unique<FedavgServer>(*this, node);
}

Traffic FedavgParams::traffic(const Cluster& cluster) const {
  return comm::pull_and_push(cluster, Pace::free, 1.0 / local_steps);
}

std::vector<SettingError> FedavgParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list = errors_in(on_failure, failure_timeout);
  if (on_failure == OnFailure::time_out && around.servers > 1) {
    list.insert(list.begin(),
                {"on_failure",
                 "\"time_out\" at several servers, which would each give up others and no more draw the same "
                 "workers; expected one server, \"wait\" or \"go_on\""});
  }
  const double count = sampled.value_or(1);
  if (count >= 1 && (count > around.workers || count != static_cast<double>(static_cast<int>(count)))) {
    list.push_back({"sampled", "is not a number of this platform's " + std::to_string(around.workers) +
                                   " workers; expected a share below 1 or a whole count"});
  }
  return list;
}

}  // namespace ddl::systems
