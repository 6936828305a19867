#include "core/split/tape.hpp"

#include <algorithm>
#include <utility>

#include "core/base/check.hpp"
#include "core/nn/softmax_cross_entropy.hpp"

namespace ddl::split {

int Tape::add_value(std::size_t floats) {
  values.push_back(floats);
  return static_cast<int>(values.size()) - 1;
}

int Tape::apply(const nn::Layer& layer, int input) {
  check(layer.input().size() == values[static_cast<std::size_t>(input)], "a layer that reads this value");
  const int output = add_value(layer.output().size());
  ops.push_back({&layer, input, -1, output, parameter_count});
  parameter_count += layer.parameter_count();
  return output;
}

int Tape::apply(std::unique_ptr<nn::Layer> layer, int input) {
  layers.push_back(std::move(layer));
  return apply(*layers.back(), input);
}

int Tape::add(int a, int b) {
  check(values[static_cast<std::size_t>(a)] == values[static_cast<std::size_t>(b)], "a sum of values of one length");
  const int output = add_value(values[static_cast<std::size_t>(a)]);
  ops.push_back({nullptr, a, b, output, parameter_count});
  return output;
}

double Tape::multiply_adds(std::size_t first, std::size_t last) const {
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += ops[i].layer != nullptr ? ops[i].layer->multiply_adds() : 0;
  return sum;
}

TapeRun::TapeRun(const Tape& tape)
    : tape_(tape),
      values_(tape.values.size()),
      outputs_(tape.values.size()),
      gradients_(tape.values.size()),
      has_gradient_(tape.values.size()),
      kept_(tape.ops.size()) {}

void TapeRun::begin(int batch, Stream* random, std::optional<int> estimate) {
  batch_ = batch;
  random_ = random;
  estimate_ = estimate;
  std::ranges::fill(values_, nullptr);
  std::ranges::fill(has_gradient_, 0);
}

float* TapeRun::room(int value) {
  float* const floats_of_value = outputs_[at(value)].room(floats(value));
  values_[at(value)] = floats_of_value;
  return floats_of_value;
}

void TapeRun::forward(std::size_t first, std::size_t last, const float* parameters) {
  for (std::size_t i = first; i < last; ++i) {
    const TapeOp& op = tape_.ops[i];
    const float* const input = value(op.input);
    check(input != nullptr, "a value before its use");
    float* const output = room(op.output);
    if (op.layer != nullptr) {
      op.layer->forward({.batch = batch_,
                         .training = random_ != nullptr,
                         .parameters = parameters + op.parameters,
                         .input = input,
                         .output = output,
                         .kept = kept_[i],
                         .scratch = scratch_,
                         .random = random_,
                         .estimate = estimate_});
      continue;
    }
    const float* const addend = value(op.addend);
    for (std::size_t k = 0; k < floats(op.output); ++k) {
      const float sum = input[k] + addend[k];
      output[k] = sum > 0 ? sum : 0;
    }
  }
}

void TapeRun::backward(std::size_t first, std::size_t last, const float* parameters, float* parameter_gradient) {
  for (std::size_t i = last; i-- > first;) {
    const TapeOp& op = tape_.ops[i];
    check(has_gradient_[at(op.output)] != 0, "a gradient by every output");
    float* const above = gradients_[at(op.output)].data();
    if (op.layer == nullptr) {
      const float* const sum = value(op.output);
      for (std::size_t k = 0; k < floats(op.output); ++k) above[k] = sum[k] > 0 ? above[k] : 0;
      add_gradient(op.input, above);
      add_gradient(op.addend, above);
      continue;
    }
    const bool wanted = op.input != 0 || tape_.input_gradient, more = has_gradient_[at(op.input)] != 0;
    float* below = nullptr;
    if (wanted) below = more ? spare_.room(floats(op.input)) : gradient(op.input);
    op.layer->backward({.batch = batch_,
                        .parameters = parameters + op.parameters,
                        .input = value(op.input),
                        .output = value(op.output),
                        .output_gradient = above,
                        .input_gradient = below,
                        .parameter_gradient = parameter_gradient + op.parameters,
                        .kept = kept_[i],
                        .scratch = scratch_});
    if (wanted && more) add_gradient(op.input, below);
  }
}

float* TapeRun::gradient(int value) {
  if (has_gradient_[at(value)] != 0) return gradients_[at(value)].data();
  has_gradient_[at(value)] = 1;
  return gradients_[at(value)].room(floats(value));
}

void TapeRun::add_gradient(int value, const float* from) {
  const bool more = has_gradient_[at(value)] != 0;
  float* const to = gradient(value);
  if (!more) {
    std::copy_n(from, floats(value), to);
    return;
  }
  for (std::size_t k = 0; k < floats(value); ++k) to[k] += from[k];
}

double cross_entropy(TapeRun& run, int outputs, std::span<const std::uint8_t> labels) {
  const auto classes = static_cast<int>(run.floats_of_sample(outputs));
  const nn::LossSum sum = nn::softmax_cross_entropy(run.value(outputs), labels, classes, run.gradient(outputs));
  return sum.loss / static_cast<double>(labels.size());
}

}  // namespace ddl::split
