#include "core/split/exits/exit_serving.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "core/nn/layer.hpp"
#include "core/nn/model.hpp"
#include "core/node/vectors.hpp"

namespace ddl::split {

std::vector<ExitServing::Turn> ExitServing::turns_of(const EarlyExitParams& params, const std::vector<Stage>& stages) {
  std::vector<Turn> turns;
  for (const double threshold : params.thresholds) turns.push_back({.threshold = threshold});
  if (!turns.empty()) return turns;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const bool answers = stages[s].has_exit() || s + 1 == stages.size();
    if (answers) turns.push_back({.threshold = std::nullopt, .exit = static_cast<int>(s)});
  }
  return turns;
}

// Worker 0's side: requests, and their answers as they come.
void ExitServing::lead() {
  pass_estimates();
  requested_.emplace(parallel_, node_.cluster().seed, params_.serving.requests);
  node_.spawn("answers", [this] { collect_answers(); });
  for (std::size_t turn = 0; turn < turns_.size(); ++turn) {
    RequestTimes times(node_, params_.serving);
    for (int number = 0; number < params_.serving.requests; ++number) {
      const double arrival_s = times.wait_for_next();
      open_.push_back({.request = number, .threshold = turns_[turn].threshold, .arrival_s = arrival_s});
      serve(turn, number, nullptr);
      if (params_.serving.arrivals == Arrivals::after_answer) wait_for_answers();
    }
    wait_for_answers();
    std::ranges::sort(answered_, {}, &Answer::request);
    for (const Answer& answer : answered_) node_.record(answer);
    answered_.clear();
  }
  node_.send(1, {.port = StagePass::in_serving, .body = StagePass::Leaving{}});
}

void ExitServing::wait_for_answers() {
  node_.wait_until([this] { return open_.empty(); }, "answers to requests");
}

void ExitServing::collect_answers() {
  while (true) {
    const Message message = node_.receive(StagePass::answers, service);
    give_answer(message.source, message.step, message.as<Exit>().answer);
    node_.notify();
  }
}

void ExitServing::give_answer(int exit, std::int64_t number, int answered) {
  const auto asked = std::ranges::find(open_, number, &Answer::request);
  check(asked != open_.end(), "an answer to a request");
  Answer answer = *asked;
  open_.erase(asked);
  answer.exit = exit;
  answer.answer_s = node_.now();
  answer.bytes = exit > 0 ? params_.serving.answer_bytes.value : 0;
  for (int stage = 0; stage < exit; ++stage) {
    answer.bytes += static_cast<double>(stages_[static_cast<std::size_t>(stage)].sample_bytes());
  }
  answer.correct = answered == test_sample(number)->labels.front();
  answered_.push_back(answer);
}

// The other workers' side.
void ExitServing::follow() {
  while (true) {
    const Message message = pass_.receive(StagePass::in_serving, node_.id() - 1);
    if (message.is<StagePass::Leaving>()) {
      if (!pass_.is_last()) {
        node_.send(node_.id() + 1, {.port = StagePass::in_serving, .body = StagePass::Leaving{}});
      }
      return;
    }
    if (message.is<Estimate>()) {
      pass_estimate(message.as<Estimate>().number, message.values->data(),
                    static_cast<int>(message.values->size() / pass_.stage().tape.values[0]));
    } else {
      serve(message.as<Request>().turn, message.step, message.values);
    }
  }
}

// W. This stage of a request, which has arrived as `input`, or (null) as a sample of the test set.
void ExitServing::serve(std::size_t turn_index, std::int64_t number, const Payload& input) {
  const Turn& turn = turns_[turn_index];
  const bool is_asked = turn.threshold ? *turn.threshold > 0 : turn.exit == node_.id();
  const std::shared_ptr<const data::Batch> sample = node_.id() == 0 ? test_sample(number) : nullptr;
  pass_.draw_time();
  pass_.begin(1, sample ? pass_.input_of(*sample) : input->data(), nullptr);
  pass_.forward();
  std::span<const float> outputs;
  if (pass_.is_last()) outputs = pass_.outputs();
  if (pass_.stage().has_exit() && is_asked) {
    pass_.work(pass_.stage().exit_share, [&] { outputs = pass_.ask_exit(); });
    const bool answers = !turn.threshold || leaves(uncertainty_of(outputs, params_.uncertainty), *turn.threshold);
    if (!answers) outputs = {};
  }
  if (outputs.empty()) {
    return pass_.pass_on({.port = StagePass::in_serving, .step = number, .body = Request{turn_index}});
  }
  const int answer = predicted_class(outputs);
  if (node_.id() == 0) return give_answer(0, number, answer);
  const auto bytes = static_cast<std::uint64_t>(params_.serving.answer_bytes.value);
  node_.send(0, {.port = StagePass::answers, .step = number, .wire_bytes = bytes, .body = Exit{answer}});
}

std::shared_ptr<const data::Batch> ExitServing::test_sample(std::int64_t number) const {
  const std::uint32_t index = requested_->of(number);
  return parallel_.samples(SampleSet::test, {&index, 1});
}

// Batch normalisation's statistics at the final weights: training samples that go through all stages.
void ExitServing::pass_estimates() {
  if (!parallel_.model()->needs_estimates()) return;
  int number = 0;
  for (const auto& numbers : nn::estimation_batches(parallel_.sample_count(SampleSet::training))) {
    const auto batch = parallel_.samples(SampleSet::training, numbers);
    pass_estimate(number++, pass_.input_of(*batch), static_cast<int>(numbers.size()));
    node_.receive(StagePass::answers, service);  // the last stage is done
  }
}

void ExitServing::pass_estimate(int number, const float* input, int samples) {
  pass_.draw_time();
  pass_.begin(samples, input, nullptr, number);
  pass_.forward();
  if (!pass_.is_last()) return pass_.pass_on({.port = StagePass::in_serving, .body = Estimate{number}});
  node_.send(0, {.port = StagePass::answers});
}

}  // namespace ddl::split
