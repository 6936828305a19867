#include "core/nn/layers/dense.hpp"

#include <algorithm>

#include "core/nn/kernels/blas.hpp"
#include "core/nn/layers/affine.hpp"

namespace ddl::nn {
Dense::Dense(Shape input, const DenseSpec& spec, bool relu, MathMode mode)
    : Layer(input, {spec.units, 1, 1}),
      inputs_(input.size()),
      units_(static_cast<std::size_t>(spec.units)),
      bias_(spec.bias),
      init_(spec.init),
      relu_(relu),
      mode_(mode) {}

std::vector<LayerTensor> Dense::tensors() const {
  std::vector<LayerTensor> tensors = {{"weight", inputs_ * units_, inputs_}};
  if (bias_) tensors.push_back({"bias", units_, units_});
  return tensors;
}

std::vector<TorchTensor> Dense::torch_tensors(Shape input) const {
  TorchTensor weight{"weight", {units_, inputs_}, {}};
  weight.sources.reserve(inputs_ * units_);
  for (std::size_t unit = 0; unit < units_; ++unit) {
    for (std::size_t value = 0; value < inputs_; ++value) {
      weight.sources.push_back(static_cast<std::uint32_t>(place_of_value(input, value) * units_ + unit));
    }
  }
  std::vector<TorchTensor> tensors = {std::move(weight)};
  if (bias_) tensors.push_back(torch_bias(inputs_ * units_, units_));
  return tensors;
}

double Dense::multiply_adds() const { return static_cast<double>(inputs_) * static_cast<double>(units_); }

LayerShare Dense::share(std::span<const std::uint32_t> units) const {
  const DenseSpec spec{.units = static_cast<int>(units.size()), .init = init_, .bias = bias_};
  return {std::make_unique<Dense>(input(), spec, relu_, mode_), affine_part(inputs_, units_, bias_, units)};
}

void Dense::initialize(std::span<float> parameters, Stream& random) const {
  initialize_affine(init_, {inputs_, units_, units_}, parameters, random);
}

void Dense::multiply(const Product& product, const float* a, const float* b, float* c, Buffer& scratch,
                     const Finish& finish) const {
  if (mode_ == MathMode::native) {
    blas_gemm(product, a, b, c, finish);
  } else {
    gemm(product, a, b, c, scratch, finish);
  }
}

void Dense::forward(const ForwardCall& call) const {
  const int inputs = static_cast<int>(inputs_), units = static_cast<int>(units_);
  multiply({.rows = call.batch, .columns = units, .inner = inputs}, call.input, call.parameters, call.output,
           call.scratch, {.bias = bias_ ? call.parameters + inputs_ * units_ : nullptr, .relu = relu_});
}

void Dense::backward(const BackwardCall& call) const {
  const int inputs = static_cast<int>(inputs_), units = static_cast<int>(units_);
  float* const sums = call.scratch.room(2 * units_);
  float* const bias_gradient = bias_ ? call.parameter_gradient + inputs_ * units_ : sums + units_;
  std::fill(bias_gradient, bias_gradient + units_, 0.0f);
  bias_backward(call.output, static_cast<std::size_t>(call.batch), units_, relu_, call.output_gradient, bias_gradient,
                sums);
  multiply({.a = Op::transposed, .rows = inputs, .columns = units, .inner = call.batch}, call.input,
           call.output_gradient, call.parameter_gradient, call.scratch);
  if (call.input_gradient != nullptr) {
    multiply({.b = Op::transposed, .rows = call.batch, .columns = inputs, .inner = units}, call.output_gradient,
             call.parameters, call.input_gradient, call.scratch);
  }
}

}  // namespace ddl::nn
