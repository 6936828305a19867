#include "sim/run/learning/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "core/base/finite.hpp"
#include "core/data/subset.hpp"
#include "core/nn/vote.hpp"
#include "core/node/vectors.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::run {
namespace {

int thread_count(int wanted) {
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

data::DataSplit load_data(const scenario::Scenario& scenario) {
  data::DataSplit data;
  try {
    data = data::load_data(resolved_data(scenario), scenario.seed);
  } catch (const InputError& error) {
    const std::string text = error.what();
    throw InputError(text.starts_with("data.") ? text : "data.path: " + text);
  }
  if (!scenario.evaluate.samples) return data;
  const auto asked = static_cast<std::size_t>(*scenario.evaluate.samples);
  if (asked > data.test.size()) {
    throw InputError("$.evaluate.samples: " + std::to_string(asked) + " is too large; expected at most the " +
                     std::to_string(data.test.size()) + " test samples");
  }
  data::keep_subset(data.test, asked, stream(scenario.seed, owner(-1), "evaluated samples"));
  return data;
}

Trainer::Trainer(const scenario::Scenario& scenario, int workers, int threads)
    : scenario_(scenario),
      data_(load_data(scenario)),
      model_(scenario.model, data_.train.shape, data_.train.classes, scenario.math.mode),
      minibatches_(scenario, model_, data_.train, workers),
      buffer_pool_(std::make_shared<BufferPool>(2 * static_cast<std::size_t>(thread_count(threads)))),
      scratch_(static_cast<std::size_t>(thread_count(threads))),
      pool_(thread_count(threads)) {}

Payload Trainer::initial_weights(int worker) {
  const bool shared = scenario_.training.init == scenario::InitialWeights::shared || worker < 0;
  if (shared && shared_start_) return shared_start_;
  std::vector<float> weights(model_.parameter_count());
  Stream random = stream(scenario_.seed, shared ? owner(-1) : owner(worker), "weights");
  model_.initialize(weights, random);
  Payload start = make_payload(std::move(weights));
  if (shared) shared_start_ = start;
  return start;
}

Minibatch Trainer::next_minibatch(int worker) {
  const Minibatches::Drawn drawn = minibatches_.draw(worker);
  auto batch = std::make_shared<data::Batch>();
  data::gather(data_.train, drawn.samples, *batch, drawn.crops);
  return {std::move(batch), drawn.dropout};
}

std::shared_ptr<const data::Batch> Trainer::samples(SampleSet set, std::span<const std::uint32_t> numbers) const {
  auto batch = std::make_shared<data::Batch>();
  data::gather(set == SampleSet::test ? data_.test : data_.train, numbers, *batch);
  return batch;
}

ThreadPool::Ticket Trainer::begin(std::function<void()> math) {
  return pool_.submit([math = std::move(math)](int) { math(); }, ThreadPool::Urgency::soon);
}

std::unique_ptr<Trainer::Gradient> Trainer::begin_gradient(int worker, Payload weights,
                                                           std::vector<std::uint32_t> samples) {
  std::unique_ptr<Gradient> gradient(new Gradient(minibatches_.draw(worker, std::move(samples))));
  Gradient* job = gradient.get();
  job->weights_ = std::move(weights);
  job->ticket_ = pool_.submit(
      [this, job](int thread) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
        if (!all_finite(*job->weights_)) {
          job->not_finite_ = "weights";
          return;
        }
        Minibatches::Drawn& minibatch = job->minibatch_;
        data::gather(data_.train, minibatch.samples, scratch.batch, minibatch.crops);
        const auto result = BufferPool::take(buffer_pool_, model_.parameter_count());
        job->score_ = model_.gradient(*job->weights_, scratch.batch, minibatch.dropout, *result, *scratch.workspace);
        if (!std::isfinite(job->score_.loss)) {
          job->not_finite_ = "loss";
        } else if (!all_finite(*result)) {
          job->not_finite_ = "gradient";
        }
        job->gradient_ = result;
      },
      ThreadPool::Urgency::soon);
  return gradient;
}

std::unique_ptr<Trainer::Answers> Trainer::begin_answers(Payload weights) {
  auto answers = std::make_unique<Answers>();
  Answers* job = answers.get();
  job->weights_ = std::move(weights);
  job->ticket_ = pool_.submit(
      [this, job](int thread) {
        nn::Workspace& workspace = *scratch_[static_cast<std::size_t>(thread)].workspace;
        const data::Dataset& data = data_.train;
        job->right_ = model_.classify(*job->weights_, data, data.size(), workspace, &data);
        for (std::size_t i = 0; i < data.size(); ++i) job->right_[i] = job->right_[i] == data.labels[i];
      },
      ThreadPool::Urgency::soon);
  return answers;
}

std::vector<std::uint8_t> Trainer::Answers::wait() {
  ticket_.wait();
  weights_ = nullptr;
  return std::move(right_);
}

void Trainer::Gradient::wait_for_math() {
  if (ticket_) ticket_.wait();
}

Payload Trainer::Gradient::wait() {
  wait_for_math();
  weights_ = nullptr;
  return std::move(gradient_);
}

std::shared_ptr<Trainer::Evaluation> Trainer::begin_evaluation(std::vector<Payload> models) {
  auto evaluation = std::make_shared<Evaluation>();
  Evaluation* job = evaluation.get();
  job->models_ = std::move(models);
  job->ticket_ = pool_.submit(
      [this, job](int thread) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
        if (job->models_.size() == 1) {
          job->score_ =
              model_.evaluate(*job->models_[0], data_.test, data_.test.size(), *scratch.workspace, &data_.train);
        } else {
          job->score_ =
              model_.evaluate(mean_of(job->models_), data_.test, data_.test.size(), *scratch.workspace, &data_.train);
        }
        job->known_ = true;
      },
      ThreadPool::Urgency::whenever);
  return evaluation;
}

std::shared_ptr<Trainer::Evaluation> Trainer::begin_evaluation(const std::vector<Voter>& ensemble) {
  auto evaluation = std::make_shared<Evaluation>();
  Evaluation* job = evaluation.get();
  for (const Voter& voter : ensemble) {
    job->models_.push_back(voter.model);
    job->votes_.push_back(voter.weight);
  }
  job->ticket_ = pool_.submit(
      [this, job](int thread) {
        nn::Workspace& workspace = *scratch_[static_cast<std::size_t>(thread)].workspace;
        std::vector<std::vector<std::uint8_t>> answers;
        for (const Payload& model : job->models_) {
          answers.push_back(model_.classify(*model, data_.test, data_.test.size(), workspace, &data_.train));
        }
        job->score_ = nn::score_of_votes(answers, job->votes_, data_.test.labels, data_.test.classes);
        job->known_ = true;
      },
      ThreadPool::Urgency::whenever);
  return evaluation;
}

const nn::Score& Trainer::Evaluation::wait() {
  if (ticket_) {
    ticket_.wait();
    models_.clear();
  }
  return score_;
}

void Trainer::record_to(Recordings& recordings) {
  minibatches_.write_to(recordings, data_.train);
  if (!scenario_.record.initial_weights) return;
  recordings.initial_weights = *initial_weights(-1);
  if (scenario_.training.init == scenario::InitialWeights::shared) return;
  for (int worker = 0; worker < minibatches_.workers(); ++worker) {
    recordings.own_initial_weights.push_back(*initial_weights(worker));
  }
}

std::vector<float> mean_of(const std::vector<Payload>& models) {
  std::vector<float> mean(models.front()->size());
  for (const Payload& model : models) add_scaled(mean, *model);
  for (float& value : mean) value /= static_cast<float>(models.size());
  return mean;
}

double consensus_distance_of(const std::vector<Payload>& models) {
  const auto mean = mean_of(models);
  double distance = 0;
  for (const Payload& model : models) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const double difference = static_cast<double>((*model)[i]) - mean[i];
      distance += difference * difference;
    }
  }
  return distance / static_cast<double>(models.size());
}

}  // namespace ddl::run
