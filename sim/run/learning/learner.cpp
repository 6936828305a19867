#include "sim/run/learning/learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <thread>

#include "core/base/check.hpp"
#include "core/base/finite.hpp"
#include "core/data/subset.hpp"
#include "sim/scenario/data_problem.hpp"

namespace ddl::run {
namespace {

int thread_count(int wanted) {
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

class NetworkLearner final : public Learner {
 public:
  NetworkLearner(const scenario::Scenario& scenario, int threads)
      : seed_(scenario.seed),
        data_(load_data(scenario)),
        network_(scenario.model, data_.train.shape, data_.train.classes, scenario.math.mode),
        model_(scenario::learned_model(network_)),
        scratch_(static_cast<std::size_t>(thread_count(threads))) {}

  int threads() const override { return static_cast<int>(scratch_.size()); }
  const scenario::LearnedModel& model() const override { return model_; }
  const data::DataSplit& data() const override { return data_; }

  void initialize(std::span<float> weights, int worker) override {
    Stream random = stream(seed_, owner(worker), "weights");
    network_.initialize(weights, random);
  }
  Outcome gradient(int thread, std::span<const float> weights, Minibatches::Drawn& minibatch,
                   std::span<float> gradient) override {
    if (!all_finite(weights)) return {{}, "weights"};
    Scratch& scratch = of(thread);
    data::gather(data_.train, minibatch.samples, scratch.batch, minibatch.crops);
    Outcome outcome{network_.gradient(weights, scratch.batch, minibatch.dropout, gradient, *scratch.workspace)};
    if (!std::isfinite(outcome.score.loss)) {
      outcome.not_finite = "loss";
    } else if (!all_finite(gradient)) {
      outcome.not_finite = "gradient";
    }
    return outcome;
  }
  nn::Score evaluate(int thread, std::span<const float> weights) override {
    return network_.evaluate(weights, data_.test, data_.test.size(), *of(thread).workspace, &data_.train);
  }
  std::vector<std::uint8_t> classify(int thread, std::span<const float> weights, SampleSet set) override {
    const data::Dataset& samples = set == SampleSet::test ? data_.test : data_.train;
    return network_.classify(weights, samples, samples.size(), *of(thread).workspace, &data_.train);
  }

 private:
  struct Scratch {
    decltype(nn::make_workspace()) workspace = nn::make_workspace();
    data::Batch batch;
  };
  Scratch& of(int thread) { return scratch_[static_cast<std::size_t>(thread)]; }

  const std::uint64_t seed_;
  const data::DataSplit data_;
  const nn::Model network_;
  const scenario::LearnedModel model_;
  std::vector<Scratch> scratch_;  // per thread
};

// A process of the program for each thread.
class ProgramLearner final : public Learner {
 public:
  ProgramLearner(const scenario::Scenario& scenario, int threads)
      : scenario_(scenario),
        program_(scenario, scenario.program->processes.value_or(thread_count(threads))),
        model_(external::learned_model(program_.hello())),
        data_(dealt_by(program_.hello())) {}

  int threads() const override { return program_.processes(); }
  const scenario::LearnedModel& model() const override { return model_; }
  const data::DataSplit& data() const override { return data_; }

  void initialize(std::span<float> weights, int worker) override {
    constexpr int kept_bits = 53;  // so that every language reads the same number
    const bool own = worker >= 0;
    program_.initialize(
        own ? stream(scenario_.seed, owner(worker), "weights").bits() >> (64 - kept_bits) : scenario_.seed, weights);
  }
  std::vector<float> frozen() override { return program_.frozen(); }
  Outcome gradient(int thread, std::span<const float> weights, Minibatches::Drawn& minibatch,
                   std::span<float> gradient) override {
    const external::Outcome outcome =
        program_.gradient(thread, weights, {minibatch.worker, minibatch.number, minibatch.samples}, gradient);
    return {{outcome.loss, nan}, outcome.not_finite};
  }
  nn::Score evaluate(int thread, std::span<const float> weights) override {
    const std::optional<external::Evaluation> answer = program_.evaluate(thread, weights);
    // The weights are not finite, and the program was not asked: a later evaluation may tell which scores it gives.
    if (!answer) return {nan, 0};
    const external::Evaluation& told = *answer;
    const bool by_loss = scenario_.evaluate.metric == scenario::MetricName::loss;
    check_told(told, by_loss, "$.evaluate.metric");
    if (scenario_.stop.accuracy) check_told(told, false, "$.stop.accuracy");
    if (scenario_.stop.loss) check_told(told, true, "$.stop.loss");
    has_loss_ = told.loss.has_value();
    has_accuracy_ = told.accuracy.has_value();
    return {told.loss.value_or(nan), told.accuracy.value_or(nan)};
  }
  std::vector<std::uint8_t> classify(int, std::span<const float>, SampleSet) override {
    throw InternalError("a system that asks for classes has a network");
  }
  Told of_minibatches() const override { return {.loss = true, .accuracy = false}; }
  Told of_evaluations() const override { return {has_loss_, has_accuracy_}; }

 private:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  static void check_told(const external::Evaluation& told, bool loss, const char* path) {
    if (loss ? told.loss : told.accuracy) return;
    throw InputError(fmt::format("{}: is of {}, which the program's evaluations have not; expected {}", path,
                                 loss ? "loss" : "accuracy", loss ? "accuracy" : "loss"));
  }

  const scenario::Scenario& scenario_;
  external::Model program_;
  const scenario::LearnedModel model_;
  const data::DataSplit data_;
  std::atomic<bool> has_loss_ = true, has_accuracy_ = true;
};

}  // namespace

data::DataSplit load_data(const scenario::Scenario& scenario) {
  data::DataSplit data = scenario::about_data([&] { return data::load_data(resolved_data(scenario), scenario.seed); });
  if (!scenario.evaluate.samples) return data;
  const auto asked = static_cast<std::size_t>(*scenario.evaluate.samples);
  if (asked > data.test.size()) {
    throw InputError("$.evaluate.samples: " + std::to_string(asked) + " is too large; expected at most the " +
                     std::to_string(data.test.size()) + " test samples");
  }
  data::keep_subset(data.test, asked, stream(scenario.seed, owner(-1), "evaluated samples"));
  return data;
}

data::DataSplit dealt_by(const external::Hello& hello) {
  data::DataSplit data;
  data.train.labels = hello.labels;
  data.train.labels.resize(static_cast<std::size_t>(hello.train));
  data.train.classes = *std::ranges::max_element(data.train.labels) + 1;
  data.test.labels.resize(static_cast<std::size_t>(hello.test));
  data.test.classes = data.train.classes;
  return data;
}

std::unique_ptr<Learner> make_learner(const scenario::Scenario& scenario, int threads) {
  if (scenario.program) return std::make_unique<ProgramLearner>(scenario, threads);
  return std::make_unique<NetworkLearner>(scenario, threads);
}

}  // namespace ddl::run
