#include "core/split/exits/stage_pass.hpp"

#include <utility>

#include "core/nn/layer.hpp"
#include "core/nn/model.hpp"
#include "core/node/vectors.hpp"

namespace ddl::split {

StagePass::StagePass(Node& node, const Stage& stage)
    : node_(node),
      parallel_(*node.model_parallel()),
      stage_(stage),
      messages_(node),
      run_(stage.tape),
      exit_run_(stage.exit),
      exit_weights_(initial_exit(stage, node.id(), node.cluster().seed)),
      exit_update_(exit_weights_.size()) {}

void StagePass::begin(int samples, const float* input, Stream* dropout, std::optional<int> estimate) {
  samples_ = samples;
  run_.begin(samples_, dropout, estimate);
  run_.use(0, input);
  weights_ = node_.weights().snapshot();
}

const float* StagePass::input_of(const data::Batch& batch) {
  return nn::channels_last(batch, parallel_.model()->layers().front()->input(), inputs_);
}

void StagePass::forward() {
  work(stage_.share, [&] { run_.forward(0, stage_.tape.ops.size(), weights_->data()); });
}

void StagePass::pass_on(Message message) {
  const float* const values = run_.value(stage_.output);
  const std::size_t count = stage_.sample_bytes() / 4 * static_cast<std::size_t>(samples_);
  message.values = make_payload({values, values + count});
  message.wire_bytes = 4 * count;
  node_.send(node_.id() + 1, std::move(message));
}

void StagePass::work(double share, std::function<void()> math) {
  parallel_.work(gradient_s_ * share * samples_ / node_.cluster().batch_size, std::move(math));
}

std::span<const float> StagePass::ask_exit() {
  exit_run_.begin(samples_, nullptr);
  exit_run_.use(0, run_.value(stage_.output));
  exit_run_.forward(0, stage_.exit.ops.size(), exit_weights_.data());
  return {exit_run_.value(exit_output()), stage_.exit.values[static_cast<std::size_t>(exit_output())]};
}

std::span<const float> StagePass::outputs() const {
  return {run_.value(stage_.output), stage_.tape.values[static_cast<std::size_t>(stage_.output)]};
}

double StagePass::backward_from_labels(std::span<const std::uint8_t> labels) {
  const double loss = cross_entropy(run_, stage_.output, labels);
  backward();
  return loss;
}

void StagePass::backward_from(const float* gradient_of_output) {
  run_.add_gradient(stage_.output, gradient_of_output);
  backward();
}

void StagePass::backward() {
  update_.resize(stage_.parameters.size());
  run_.backward(0, stage_.tape.ops.size(), weights_->data(), update_.data());
}

Payload StagePass::input_gradient() {
  const float* const values = run_.gradient(0);
  return make_payload({values, values + stage_.tape.values[0] * static_cast<std::size_t>(samples_)});
}

void StagePass::apply() {
  weights_ = nullptr;
  node_.apply({.gradient = update_});
}

void StagePass::train_exit(std::span<const std::uint8_t> labels, float learning_rate) {
  work(3 * stage_.exit_share, [&] {
    ask_exit();
    cross_entropy(exit_run_, exit_output(), labels);
    exit_run_.backward(0, stage_.exit.ops.size(), exit_weights_.data(), exit_update_.data());
    add_scaled(exit_weights_, exit_update_, -learning_rate);
  });
}

}  // namespace ddl::split
