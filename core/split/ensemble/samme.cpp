// Worker i trains member i. All have the whole training set; weights of its samples go from one worker to the next.
// Steps beyond the run's end are left out; a member without steps does not vote.
//
//   worker i:  1  w = 1/N each (i = 0), or receive w
//              2  x = train(x, batches chosen by w)
//              3  e = sum of w over samples that x gets wrong;  a = ln((1 - e) / e) + ln(K - 1)
//              4  w = w exp(a) where x is wrong ("published": right), over their sum;  send w to i + 1
//              5  send x's answers, or x, with a to worker 0
//   worker 0:  6  the ensemble's answer is the class of most votes, each weighing a
#include "core/split/ensemble/samme.hpp"

#include <string_view>
#include <vector>

#include "core/nn/layer.hpp"
#include "core/nn/model.hpp"
#include "core/node/model_parallel.hpp"
#include "core/node/vectors.hpp"

namespace ddl::split {
namespace {

constexpr int voter = 0;

class SammeWorker : public Program {
  enum Port { weights_port, votes_port };

  // The body of a member, or of its answers.
  struct Vote {
    static constexpr std::string_view body_name = "samme.vote";
    double weight = 0;
  };

 public:
  SammeWorker(const SammeParams& params, Node& node) : node_(node), params_(params), samples_(*node.model_parallel()) {}

  void run() override {
    std::vector<float> weights = first_weights();  // 1
    const bool trained = train(weights);           // 2
    double vote = 0;
    if (trained) {
      const std::vector<std::uint8_t> right = samples_.correct_predictions();
      if (!right.empty()) {
        vote = member_weight(weighted_error(weights, right),
                             static_cast<int>(samples_.model()->layers().back()->output().size()),
                             right.size());  // 3
        weights = next_weights(weights, right, vote, params_.iddl.weighting);
      }
    }
    hand_on(std::move(weights));             // 4
    cast_vote(trained, vote);                // 5
    if (node_.id() == voter) count_votes();  // 6
  }

  std::vector<Voter> ensemble() const override { return ensemble_; }

 private:
  std::vector<float> first_weights() {
    const Cluster& cluster = node_.cluster();
    if (node_.id() == 0) return cluster.timing_only ? std::vector<float>() : equal_weights(cluster.training_samples);
    const Message message =
        node_.receive(weights_port, {"the weights of samples from the worker before", node_.id() - 1});
    const auto values = values_of(message.values);
    return {values.begin(), values.end()};
  }

  // False if no step was made.
  bool train(const std::vector<float>& weights) {
    const Cluster& cluster = node_.cluster();
    const std::vector<float> drawn_by = weights.empty() ? equal_weights(cluster.training_samples) : weights;
    WeightedBatches batches(params_.iddl.sampling, drawn_by, cluster.batch_size, node_.rng("boosting"));
    const std::int64_t steps = params_.local_epochs * batches.batches_in_pass();
    while (node_.step() < steps && node_.next_step()) {
      const Gradient gradient = samples_.gradient_of(batches.next());
      node_.apply(gradient);
      node_.finish_step();
    }
    return node_.step() > 0;
  }

  void hand_on(std::vector<float> weights) {
    const Cluster& cluster = node_.cluster();
    if (node_.id() + 1 == cluster.workers) return;
    Message message{.port = weights_port};
    message.wire_bytes = 4 * cluster.training_samples;
    if (!weights.empty()) message.values = make_payload(std::move(weights));
    node_.send(node_.id() + 1, std::move(message));
  }

  // The payload is the member in both forms: its answers follow from it.
  void cast_vote(bool trained, double weight) {
    Message message{.port = votes_port, .body = Vote{weight}};
    if (trained) {
      const bool sends_model = params_.vote == SammeVote::models;
      message.values = node_.weights().snapshot();
      message.wire_bytes = 4 + (sends_model ? node_.cluster().model_bytes : samples_.sample_count(SampleSet::test));
    }
    if (node_.id() == voter) {
      take(message);
    } else {
      node_.send(voter, std::move(message));
    }
  }

  void take(const Message& message) {
    if (message.values) ensemble_.push_back({message.values, message.as<Vote>().weight});
  }

  void count_votes() {
    for (int others = node_.cluster().workers - 1; others > 0; --others)
      take(node_.receive(votes_port, "votes of the other workers"));
  }

  Node& node_;
  const SammeParams params_;
  ModelParallel& samples_;
  std::vector<Voter> ensemble_;  // at the voter, of the members whose votes are there
};

}  // namespace

std::unique_ptr<Program> SammeParams::program(Node& node) const { return std::make_unique<SammeWorker>(*this, node); }

// A step sends nothing.
Traffic SammeParams::traffic(const Cluster&) const { return {}; }

// Members train one after the other.
MemoryUse SammeParams::memory(std::size_t parameters, int workers) const {
  MemoryUse use = replicas(parameters, workers);
  use.training /= workers;
  return use;
}

}  // namespace ddl::split
