#include "core/nn/layers/dense.hpp"

#include <algorithm>

#include "core/nn/kernels/blas.hpp"
#include "core/nn/layers/affine.hpp"

namespace ddl::nn {
Dense::Dense(Shape input, const DenseSpec& spec, bool relu, MathMode mode, Reads reads)
    : Layer(input, reads == Reads::sample ? Shape{spec.units, 1, 1} : with_channels(input, unsigned_of(spec.units))),
      positions_(reads == Reads::sample ? 1 : input.size() / unsigned_of(input.channels)),
      inputs_(input.size() / positions_),
      units_(static_cast<std::size_t>(spec.units)),
      bias_(spec.bias),
      init_(spec.init),
      deviation_(spec.deviation),
      relu_(relu),
      mode_(mode) {}

std::vector<LayerTensor> Dense::tensors() const {
  std::vector<LayerTensor> tensors = {{"weight", inputs_ * units_, inputs_, units_}};
  if (bias_) tensors.push_back({"bias", units_, units_});
  return tensors;
}

std::vector<TorchTensor> Dense::torch_tensors(Shape input) const {
  if (positions_ > 1) input = {static_cast<int>(inputs_), 1, 1};
  TorchTensor weight{"weight", {units_, inputs_}, {}};
  weight.sources.reserve(inputs_ * units_);
  for (std::size_t unit = 0; unit < units_; ++unit) {
    for (std::size_t value = 0; value < inputs_; ++value) {
      weight.sources.push_back(static_cast<std::uint32_t>(place_of_value(input, value) * units_ + unit));
    }
  }
  std::vector<TorchTensor> tensors = {std::move(weight)};
  if (bias_) tensors.push_back(torch_vector("bias", inputs_ * units_, units_));
  return tensors;
}

double Dense::multiply_adds() const { return static_cast<double>(inputs_ * units_) * static_cast<double>(positions_); }

LayerShare Dense::share(std::span<const std::uint32_t> units) const {
  const DenseSpec spec{.units = static_cast<int>(units.size()), .init = init_, .bias = bias_};
  return {std::make_unique<Dense>(input(), spec, relu_, mode_), affine_part(inputs_, units_, bias_, units)};
}

void Dense::initialize(std::span<float> parameters, Stream& random) const {
  if (deviation_ == 0) return initialize_affine(init_, {inputs_, units_, units_}, parameters, random);
  for (float& value : parameters.first(inputs_ * units_)) value = static_cast<float>(deviation_ * random.normal());
  std::ranges::fill(parameters.subspan(inputs_ * units_), 0.0f);
}

void Dense::forward(const ForwardCall& call) const {
  const int inputs = static_cast<int>(inputs_), units = static_cast<int>(units_);
  multiply(mode_, {.rows = call.batch * static_cast<int>(positions_), .columns = units, .inner = inputs}, call.input,
           call.parameters, call.output, call.scratch,
           {.bias = bias_ ? call.parameters + inputs_ * units_ : nullptr, .relu = relu_});
}

void Dense::backward(const BackwardCall& call) const {
  const int inputs = static_cast<int>(inputs_), units = static_cast<int>(units_);
  const int rows = call.batch * static_cast<int>(positions_);
  if (bias_ || relu_) {
    float* const sums = call.scratch.room(2 * units_);
    float* const bias_gradient = bias_ ? call.parameter_gradient + inputs_ * units_ : sums + units_;
    std::fill(bias_gradient, bias_gradient + units_, 0.0f);
    bias_backward(call.output, unsigned_of(rows), units_, relu_, call.output_gradient, bias_gradient, sums);
  }
  multiply(mode_, {.a = Op::transposed, .rows = inputs, .columns = units, .inner = rows}, call.input,
           call.output_gradient, call.parameter_gradient, call.scratch);
  if (call.input_gradient != nullptr) {
    multiply(mode_, {.b = Op::transposed, .rows = rows, .columns = inputs, .inner = units}, call.output_gradient,
             call.parameters, call.input_gradient, call.scratch);
  }
}

}  // namespace ddl::nn
