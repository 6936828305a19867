#include "core/nn/dense.hpp"

#include <algorithm>

#include "core/nn/affine.hpp"
#include "core/nn/gemm.hpp"

namespace ddl {

Dense::Dense(Shape input, const DenseSpec& spec, bool relu)
    : Layer(input, {spec.units, 1, 1}),
      inputs_(input.size()),
      units_(static_cast<std::size_t>(spec.units)),
      init_(spec.init),
      relu_(relu) {}

std::vector<LayerTensor> Dense::tensors() const {
  return {{"weight", inputs_ * units_, inputs_}, {"bias", units_, units_}};
}

double Dense::multiply_adds() const { return static_cast<double>(inputs_) * static_cast<double>(units_); }

void Dense::initialize(std::span<float> parameters, Stream& random) const {
  initialize_affine(init_, inputs_, units_, parameters, random);
}

void Dense::forward(const ForwardCall& call) const {
  const int inputs = static_cast<int>(inputs_), units = static_cast<int>(units_);
  gemm({.rows = call.batch, .columns = units, .inner = inputs}, 1, call.input, call.parameters, 0, call.output);
  add_bias(call.parameters + inputs_ * units_, static_cast<std::size_t>(call.batch), units_, relu_, call.output);
}

void Dense::backward(const BackwardCall& call) const {
  const int inputs = static_cast<int>(inputs_), units = static_cast<int>(units_);
  float* const bias_gradient = call.parameter_gradient + inputs_ * units_;
  std::fill(bias_gradient, bias_gradient + units_, 0.0f);
  bias_backward(call.output, static_cast<std::size_t>(call.batch), units_, relu_, call.output_gradient, bias_gradient,
                call.scratch.room(units_));
  gemm({.a = Op::transposed, .rows = inputs, .columns = units, .inner = call.batch}, 1, call.input,
       call.output_gradient, 0, call.parameter_gradient);
  if (call.input_gradient != nullptr) {
    gemm({.b = Op::transposed, .rows = call.batch, .columns = inputs, .inner = units}, 1, call.output_gradient,
         call.parameters, 0, call.input_gradient);
  }
}

}  // namespace ddl
