#include "sim/run/learning/trainer.hpp"

#include <algorithm>

#include "core/nn/vote.hpp"
#include "core/node/vectors.hpp"
#include "sim/run/learning/weights_file.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::run {

Trainer::Trainer(const scenario::Scenario& scenario, const platform::Places& workers, int threads)
    : scenario_(scenario),
      learner_(make_learner(scenario, threads)),
      minibatches_(scenario, model().network, data().train, workers),
      training_samples_(workers.all_take_part() ? data().train.size() : minibatches_.dealt_samples()),
      buffer_pool_(std::make_shared<BufferPool>(2 * static_cast<std::size_t>(learner_->threads()))),
      pool_(learner_->threads()) {}

Payload Trainer::initial_weights(int worker) {
  if (learned_) return nullptr;
  const bool shared = !(scenario_.training.init == scenario::InitialWeights::independent) || worker < 0;
  if (shared && shared_start_) return shared_start_;
  std::vector<float> weights(model().parameters);
  if (model().network != nullptr && scenario_.training.init.from_file() != nullptr) {
    weights = weights_of_file(scenario_, *model().network);
  } else {
    learner_->initialize(weights, shared ? -1 : worker);
  }
  Payload start = make_payload(std::move(weights));
  if (shared) shared_start_ = start;
  return start;
}

Minibatch Trainer::next_minibatch(int worker) {
  const Minibatches::Drawn drawn = minibatches_.draw(worker);
  auto batch = std::make_shared<data::Batch>();
  data::gather(data().train, drawn.samples, *batch, drawn.crops);
  return {std::move(batch), drawn.dropout};
}

std::shared_ptr<const data::Batch> Trainer::samples(SampleSet set, std::span<const std::uint32_t> numbers) const {
  auto batch = std::make_shared<data::Batch>();
  data::gather(set == SampleSet::test ? data().test : data().train, numbers, *batch);
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
  job->has_accuracy_ = learner_->of_minibatches().accuracy;
  if (learned_) {
    const auto& scores = learned_->minibatches.at(static_cast<std::size_t>(worker));
    job->score_ = scores.at(static_cast<std::size_t>(job->minibatch_.number));
    return gradient;
  }
  job->ticket_ = pool_.submit(
      [this, job](int thread) {
        const auto result = BufferPool::take(buffer_pool_, model().parameters);
        const Learner::Outcome outcome = learner_->gradient(thread, *job->weights_, job->minibatch_, *result);
        job->score_ = outcome.score;
        job->not_finite_ = outcome.not_finite;
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
        const std::vector<std::uint8_t>& labels = data().train.labels;
        job->right_ = learner_->classify(thread, *job->weights_, SampleSet::training);
        for (std::size_t i = 0; i < labels.size(); ++i) job->right_[i] = job->right_[i] == labels[i];
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
        const std::vector<Payload>& of = job->models_;
        job->score_ = of.size() == 1 ? learner_->evaluate(thread, *of[0]) : learner_->evaluate(thread, mean_of(of));
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
        std::vector<std::vector<std::uint8_t>> answers;
        for (const Payload& model : job->models_) {
          answers.push_back(learner_->classify(thread, *model, SampleSet::test));
        }
        const data::Dataset& test = data().test;
        job->score_ = nn::score_of_votes(answers, job->votes_, test.labels, test.classes);
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

void Trainer::put_score(CurveRow& row, const nn::Score& score) const {
  if (told().loss) row.test_loss = score.loss;
  if (told().accuracy) row.test_accuracy = score.accuracy;
}

void Trainer::record_to(Recordings& recordings) {
  minibatches_.write_to(recordings, data().train);
  if (scenario_.record.weights || scenario_.record.initial_weights) recordings.frozen = learner_->frozen();
  if (!scenario_.record.initial_weights) return;
  recordings.initial_weights = *initial_weights(-1);
  if (!(scenario_.training.init == scenario::InitialWeights::independent)) return;
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
