// Gradients and scores of a run, computed by a network of ours or by a program of the user's. All of it on the math
// threads, which are numbered from 0.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/data/dataset.hpp"
#include "core/node/model_parallel.hpp"
#include "sim/external/model.hpp"
#include "sim/run/recorded/minibatches.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

// The scenario's data set, of test samples those that evaluations use: all, or as many as evaluate.samples says, drawn
// by the seed. Throws InputError, its text beginning with the setting that is to blame.
data::DataSplit load_data(const scenario::Scenario& scenario);

// A program's samples as far as they are known here: their number, and their labels if it was asked for them.
data::DataSplit dealt_by(const external::Hello& hello);

// Scores told of a minibatch or of the test set; the others are NaN.
struct Told {
  bool loss = true, accuracy = true;
};

class Learner {
 public:
  virtual ~Learner() = default;

  virtual int threads() const = 0;
  virtual const scenario::LearnedModel& model() const = 0;
  virtual const data::DataSplit& data() const = 0;
  // The start of `worker`'s replica, or (-1) of all.
  virtual void initialize(std::span<float> weights, int worker) = 0;
  // The values of a program's model that are not trained, one tensor behind the other.
  virtual std::vector<float> frozen() { return {}; }
  struct Outcome {
    nn::Score score;
    // Non-finite part ("weights", "loss", "gradient"); null when training goes well. There is no gradient at weights
    // that are not finite: layers such as ReLU would hide what is wrong with them.
    const char* not_finite = nullptr;
  };
  virtual Outcome gradient(int thread, std::span<const float> weights, Minibatches::Drawn& minibatch,
                           std::span<float> gradient) = 0;
  // On the test set.
  virtual nn::Score evaluate(int thread, std::span<const float> weights) = 0;
  // For each sample its class by these weights. Only of a network.
  virtual std::vector<std::uint8_t> classify(int thread, std::span<const float> weights, SampleSet set) = 0;
  // Scores told of minibatches, and of evaluations once there was one.
  virtual Told of_minibatches() const { return {}; }
  virtual Told of_evaluations() const { return {}; }
};

// `threads`: 0: one per core; a program may want another number. Throws InputError.
std::unique_ptr<Learner> make_learner(const scenario::Scenario& scenario, int threads);

}  // namespace ddl::run
