// The real math of a run, beside simulated time: model, data, the workers' minibatches, and the threads that compute.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/data/dataset.hpp"
#include "core/node/model_parallel.hpp"
#include "core/node/node.hpp"
#include "sim/run/learning/buffer_pool.hpp"
#include "sim/run/learning/learned.hpp"
#include "sim/run/learning/learner.hpp"
#include "sim/run/rows/rows.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

class Trainer {
 public:
  // Loads the data and builds the model, or starts the program that has them; starts the threads (0: one per core).
  // Throws InputError.
  Trainer(const scenario::Scenario& scenario, const platform::Places& workers, int threads);

  const scenario::LearnedModel& model() const { return learner_->model(); }
  const data::DataSplit& data() const { return learner_->data(); }
  std::size_t training_samples() const { return training_samples_; }  // dealt to the workers that take part
  std::vector<std::size_t> shard_samples() const { return minibatches_.shard_samples(); }  // by worker
  double math_seconds() const { return pool_.busy_seconds(); }
  double evaluation_seconds() const { return pool_.busy_seconds(ThreadPool::Urgency::whenever); }  // included above
  int threads() const { return learner_->threads(); }

  // From now on gradients and evaluations have these scores, and no values. To be called before the first of them.
  void replay(Learned learned) { learned_ = std::move(learned); }
  const Learned* learned() const { return learned_ ? &*learned_ : nullptr; }  // null: it computes them

  // The start of `worker`'s replica, or (-1) of the servers'; null in a replay. All nodes share the same memory if
  // replicas start alike.
  Payload initial_weights(int worker);

  // The next minibatch of a worker, and its dropout.
  Minibatch next_minibatch(int worker);
  std::shared_ptr<const data::Batch> samples(SampleSet set, std::span<const std::uint32_t> numbers) const;
  std::size_t sample_count(SampleSet set) const { return (set == SampleSet::test ? data().test : data().train).size(); }
  ThreadPool::Ticket begin(std::function<void()> math);

  // Look-ahead: a gradient begins as soon as its weights and minibatch are known, and is waited for when its simulated
  // time has passed.
  class Gradient {
   public:
    Payload wait();        // once; lets go of the weights
    void wait_for_math();  // lets go of nothing; wait() then returns at once
    // Minibatch loss, once waited for; a program tells no accuracy.
    double loss() const { return score_.loss; }
    std::optional<double> accuracy() const { return has_accuracy_ ? std::optional(score_.accuracy) : std::nullopt; }
    // See Learner::Outcome, once waited for.
    const char* not_finite() const { return not_finite_; }

   private:
    friend class Trainer;
    explicit Gradient(Minibatches::Drawn minibatch) : minibatch_(std::move(minibatch)) {}
    Minibatches::Drawn minibatch_;
    Payload weights_;
    Payload gradient_;
    nn::Score score_;
    bool has_accuracy_ = true;
    const char* not_finite_ = nullptr;
    ThreadPool::Ticket ticket_;  // last: dropped first, so the task is over before what it uses
  };
  // Gradient on these training samples; with none, on the worker's next minibatch.
  std::unique_ptr<Gradient> begin_gradient(int worker, Payload weights, std::vector<std::uint32_t> samples = {});

  // For each training sample whether a model gives its class, computed while simulated time passes.
  class Answers {
   public:
    std::vector<std::uint8_t> wait();  // once

   private:
    friend class Trainer;
    Payload weights_;
    std::vector<std::uint8_t> right_;
    ThreadPool::Ticket ticket_;
  };
  std::unique_ptr<Answers> begin_answers(Payload weights);

  // Loss and accuracy of the mean of one or several models on the test set, computed when there is time.
  class Evaluation {
   public:
    Evaluation() = default;
    explicit Evaluation(const nn::Score& score) : score_(score), known_(true) {}
    const nn::Score& wait();                  // as often as one likes
    bool is_known() const { return known_; }  // so that waiting takes no time

   private:
    friend class Trainer;
    std::vector<Payload> models_;
    std::vector<double> votes_;
    nn::Score score_;
    std::atomic<bool> known_ = false;
    ThreadPool::Ticket ticket_;
  };
  std::shared_ptr<Evaluation> begin_evaluation(std::vector<Payload> models);
  // Evaluation of an ensemble's vote.
  std::shared_ptr<Evaluation> begin_evaluation(const std::vector<Voter>& ensemble);
  Told told() const { return learned_ ? learned_->told : learner_->of_evaluations(); }  // by evaluations so far
  // Puts into the row those scores that evaluations tell.
  void put_score(CurveRow& row, const nn::Score& score) const;
  std::size_t evaluated_samples() const { return data().test.size(); }

  // Adds what the scenario asks to record of weights and minibatches.
  void record_to(Recordings& recordings);

 private:
  const scenario::Scenario& scenario_;
  const std::unique_ptr<Learner> learner_;  // before the threads: it may start processes
  Minibatches minibatches_;
  const std::size_t training_samples_;
  Payload shared_start_;
  std::optional<Learned> learned_;
  std::shared_ptr<BufferPool> buffer_pool_;  // shared with the payloads that come from it
  ThreadPool pool_;
};

// Every coordinate averaged over the models, added in their order.
std::vector<float> mean_of(const std::vector<Payload>& models);
// Sum over models of the squared distance to their mean, over their number.
double consensus_distance_of(const std::vector<Payload>& models);

}  // namespace ddl::run
