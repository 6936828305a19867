// Worker s of S has stage s and, but for the last, an exit from its end.
//
//   a step:      activations go from stage to stage; the last has the loss; gradients by activations come back; each
//                takes an optimizer step on its stage. Then each exit takes one of plain SGD on its own loss from the
//                activations of the step; no gradient of an exit goes into the stages                   [IDDL, 5.4]
//   a request:   stage, exit; if the exit's doubt is below the threshold its answer goes to worker 0, else the
//                activations go on. With threshold 0 no exit is asked
//
// Workers are one behind the other, so that a worker can serve a request while others serve those before and after.
#include "core/parallel/early_exit.hpp"

#include <algorithm>
#include <optional>

#include "core/nn/layer.hpp"
#include "core/node/by_source.hpp"
#include "core/node/vectors.hpp"
#include "core/parallel/stage_plan.hpp"

namespace ddl::parallel {

namespace {

class StageWorker : public Program {
  enum Port { in_training, in_serving, answers };

  // Bodies: what the values are.
  struct Activations {};
  struct Backward {};  // gradients by activations
  struct Leaving {};
  struct Request {  // activations of a sample
    int threshold = 0;
  };
  struct Estimate {  // activations of training samples
    int number = 0;
  };
  struct Exit {
    int answer = 0;  // a class
  };

 public:
  StageWorker(Node& node, const EarlyExitParams& params)
      : node_(node),
        parallel_(*node.model_parallel()),
        params_(params),
        stages_(make_stages(params, node.cluster())),
        me_(node.id()),
        mine_(stages_[static_cast<std::size_t>(me_)]),
        messages_(node),
        run_(mine_.tape),
        exit_run_(mine_.exit),
        exit_weights_(initial_exit(mine_, me_, node.cluster().seed)),
        exit_update_(exit_weights_.size()) {}

  void run() override {
    while (node_.next_step()) {
      if (!train()) break;
      node_.finish_step();
    }
    for (int worker = 0; worker < workers(); ++worker) {
      if (worker != me_) node_.send(worker, {.port = in_training, .body = Leaving{}});
    }
    if (params_.serving.requests == 0) return;
    if (me_ == 0) {
      lead();
    } else {
      follow();
    }
  }

 private:
  bool is_last() const { return me_ + 1 == workers(); }
  int workers() const { return node_.cluster().workers; }

  // W. False if another worker's steps are over.
  bool train() {
    gradient_s_ = parallel_.gradient_seconds();
    Minibatch minibatch = parallel_.minibatch();
    const data::Batch& batch = *minibatch.batch;
    Stream dropout = *minibatch.dropout;
    samples_ = static_cast<int>(batch.size());
    // The stages draw from one stream, as the whole model does.
    for (std::uint64_t draw = 0; draw < draws_before(batch.size()); ++draw) dropout.bits();
    Message message = me_ > 0 ? receive(in_training, me_ - 1) : Message{};
    if (message.is<Leaving>()) return false;
    const Payload input = message.values;
    begin(me_ == 0 ? nn::channels_last(batch, input_shape(), inputs_) : input->data(), &dropout);
    forward();
    if (!is_last()) {
      pass_on({.port = in_training, .body = Activations{}});
      message = receive(in_training, me_ + 1);
      if (message.is<Leaving>()) return false;
    }
    update_.resize(mine_.parameters.size());
    double loss = 0;
    work(2 * mine_.share, [&] {
      if (is_last()) {
        loss = nn::cross_entropy(run_, mine_.output, batch.labels);
      } else {
        run_.add_gradient(mine_.output, message.values->data());
      }
      run_.backward(0, mine_.tape.ops.size(), weights_->data(), update_.data());
    });
    if (me_ > 0) {
      const float* const below = run_.gradient(0);
      const std::size_t count = mine_.tape.values[0] * batch.size();
      node_.send(me_ - 1, {.port = in_training,
                           .values = make_payload({below, below + count}),
                           .wire_bytes = 4 * count,
                           .body = Backward{}});
    }
    if (is_last()) parallel_.record_loss(loss);
    weights_ = nullptr;
    node_.apply(update_);
    if (mine_.has_exit()) train_exit(batch);
    return true;
  }

  void train_exit(const data::Batch& batch) {
    work(3 * mine_.exit_share, [&] {
      ask_exit(nullptr);
      nn::cross_entropy(exit_run_, exit_output(), batch.labels);
      exit_run_.backward(0, mine_.exit.ops.size(), exit_weights_.data(), exit_update_.data());
      add_scaled(exit_weights_, exit_update_, -static_cast<float>(params_.exit_learning_rate));
    });
  }

  // --- serving ---

  // Worker 0's side: requests, and their answers as they come.
  void lead() {
    pass_estimates();
    node_.spawn("answers", [this] { collect_answers(); });
    for (std::size_t t = 0; t < params_.thresholds.size(); ++t) {
      RequestTimes times(node_, params_.serving);
      for (int number = 0; number < params_.serving.requests; ++number) {
        const double arrival_s = times.wait_for_next();
        open_.push_back({.request = number, .threshold = params_.thresholds[t], .arrival_s = arrival_s});
        serve(t, number, nullptr);
        if (params_.serving.arrivals == Arrivals::after_answer) wait_for_answers();
      }
      wait_for_answers();
      std::ranges::sort(answered_, {}, &Answer::request);
      for (const Answer& answer : answered_) node_.record(answer);
      answered_.clear();
    }
    node_.send(1, {.port = in_serving, .body = Leaving{}});
  }

  void wait_for_answers() {
    node_.wait_until([this] { return open_.empty(); }, "answers to requests");
  }

  void collect_answers() {
    while (true) {
      const Message message = node_.receive(answers, service);
      give_answer(message.source, message.step, message.as<Exit>().answer);
      node_.notify();
    }
  }

  void follow() {
    while (true) {
      const Message message = receive(in_serving, me_ - 1);
      if (message.is<Leaving>()) {
        if (!is_last()) node_.send(me_ + 1, {.port = in_serving, .body = Leaving{}});
        return;
      }
      if (message.is<Estimate>()) {
        pass_estimate(message.as<Estimate>().number, message.values->data(),
                      static_cast<int>(message.values->size() / mine_.tape.values[0]));
      } else {
        serve(static_cast<std::size_t>(message.as<Request>().threshold), message.step, message.values);
      }
    }
  }

  // W. This stage of a request, which has come in as `input`, or (null) as a sample of the test set.
  void serve(std::size_t threshold_index, std::int64_t number, const Payload& input) {
    const double threshold = params_.thresholds[threshold_index];
    const std::shared_ptr<const data::Batch> sample = me_ == 0 ? test_sample(number) : nullptr;
    gradient_s_ = parallel_.gradient_seconds();
    samples_ = 1;
    begin(sample ? nn::channels_last(*sample, input_shape(), inputs_) : input->data(), nullptr);
    forward();
    std::span<const float> outputs;
    if (is_last()) outputs = {run_.value(mine_.output), mine_.tape.values[static_cast<std::size_t>(mine_.output)]};
    if (mine_.has_exit() && threshold > 0) {
      work(mine_.exit_share, [&] { ask_exit(&outputs); });
      if (!leaves(uncertainty_of(outputs, params_.uncertainty), threshold)) outputs = {};
    }
    if (outputs.empty()) {
      pass_on({.port = in_serving, .step = number, .body = Request{static_cast<int>(threshold_index)}});
      return;
    }
    const int answer = predicted_class(outputs);
    if (me_ == 0) return give_answer(0, number, answer);
    const auto bytes = static_cast<std::uint64_t>(params_.serving.answer_bytes.value);
    node_.send(0, {.port = answers, .step = number, .wire_bytes = bytes, .body = Exit{answer}});
  }

  void give_answer(int exit, std::int64_t number, int answered) {
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

  std::shared_ptr<const data::Batch> test_sample(std::int64_t number) const {
    const std::size_t count = parallel_.sample_count(SampleSet::test);
    const auto index = static_cast<std::uint32_t>(static_cast<std::size_t>(number) % count);
    return parallel_.samples(SampleSet::test, {&index, 1});
  }

  // Batch normalisation's statistics at the final weights: training samples that go through all stages.
  void pass_estimates() {
    if (!node_.cluster().model->needs_estimates()) return;
    int number = 0;
    for (const auto& numbers : nn::estimation_batches(parallel_.sample_count(SampleSet::training))) {
      const auto batch = parallel_.samples(SampleSet::training, numbers);
      pass_estimate(number++, nn::channels_last(*batch, input_shape(), inputs_), static_cast<int>(numbers.size()));
      node_.receive(answers, service);  // the last stage is done
    }
  }

  void pass_estimate(int number, const float* input, int samples) {
    gradient_s_ = parallel_.gradient_seconds();
    samples_ = samples;
    begin(input, nullptr, number);
    forward();
    if (!is_last()) return pass_on({.port = in_serving, .body = Estimate{number}});
    node_.send(0, {.port = answers});
  }

  // --- one stage ---

  Shape input_shape() const { return node_.cluster().model->layers().front()->input(); }
  int exit_output() const { return mine_.exit.ops.back().output; }
  std::uint64_t draws_before(std::size_t samples) const {
    std::uint64_t draws = 0;
    for (const std::size_t values : mine_.dropouts_before) draws += (samples * values + 1) / 2;
    return draws;
  }

  void begin(const float* input, Stream* dropout, std::optional<int> estimate_number = std::nullopt) {
    run_.begin(samples_, dropout, estimate_number);
    run_.use(0, input);
    weights_ = node_.weights().snapshot();
  }

  void forward() {
    work(mine_.share, [&] { run_.forward(0, mine_.tape.ops.size(), weights_->data()); });
  }

  // The exit's outputs for the batch under way.
  void ask_exit(std::span<const float>* outputs) {
    exit_run_.begin(samples_, nullptr);
    exit_run_.use(0, run_.value(mine_.output));
    exit_run_.forward(0, mine_.exit.ops.size(), exit_weights_.data());
    const auto output = static_cast<std::size_t>(exit_output());
    if (outputs != nullptr) *outputs = {exit_run_.value(exit_output()), mine_.exit.values[output]};
  }

  Message receive(Port port, int source) { return messages_.receive(port, source, "another stage"); }

  // The stage's output, to the next.
  void pass_on(Message message) {
    const float* const values = run_.value(mine_.output);
    const std::size_t count = mine_.sample_bytes() / 4 * static_cast<std::size_t>(samples_);
    message.values = make_payload({values, values + count});
    message.wire_bytes = 4 * count;
    node_.send(me_ + 1, std::move(message));
  }

  // W. `share` of a gradient of a whole batch, of so many samples as are under way.
  void work(double share, std::function<void()> math) {
    parallel_.work(gradient_s_ * share * samples_ / node_.cluster().batch_size, std::move(math));
  }

  Node& node_;
  ModelParallel& parallel_;
  const EarlyExitParams params_;
  const std::vector<Stage> stages_;
  const int me_;
  const Stage& mine_;
  BySource messages_;

  // Of the batch or request under way.
  int samples_ = 0;
  double gradient_s_ = 0;  // what a whole gradient would take here
  Payload weights_;
  nn::TapeRun run_, exit_run_;
  nn::Buffer inputs_;
  std::vector<float> update_;
  std::vector<float> exit_weights_, exit_update_;

  std::vector<Answer> open_, answered_;  // worker 0's: of one threshold
};

}  // namespace

std::unique_ptr<Program> EarlyExitParams::program(Node& node) const {
  return std::make_unique<StageWorker>(node, *this);
}

}  // namespace ddl::parallel
