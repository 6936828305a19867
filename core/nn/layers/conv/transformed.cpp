#include <algorithm>

#include "core/nn/kernels/zero_terms.hpp"
#include "core/nn/layers/affine.hpp"
#include "core/nn/layers/conv/method.hpp"

namespace ddl::nn {
namespace {

class TransformedConvolution final : public ConvMethod {
 public:
  explicit TransformedConvolution(const ConvGeometry& geometry)
      : g_(geometry), there_(g_.from, g_.to, g_.above), back_(g_.to, g_.from, g_.kernel - 1 - g_.above) {}

  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  // Parts of scratch memory begin at cache lines, because vectors are read from them.
  static std::size_t rounded(std::size_t floats) { return (floats + 15) / 16 * 16; }

  Sliding windows() const { return {g_.from, g_.to, g_.above}; }
  Sliding turned_windows() const { return {g_.to, g_.from, g_.kernel - 1 - g_.above}; }

  const ConvGeometry g_;
  const Winograd there_, back_;  // for the forward pass, and from the output's gradient to the input's
};

void TransformedConvolution::forward(const ForwardCall& call) const {
  const Winograd& w = there_;
  float* const weights = call.scratch.room(w.weight_floats() + w.input_floats() + w.product_floats() + Buffer::kSlack);
  float* const inputs = weights + w.weight_floats();
  float* const products = inputs + w.input_floats();
  w.transform_weights(call.parameters, false, weights);
  const float* const bias = g_.bias_of(call.parameters);
  const auto batch = static_cast<std::size_t>(call.batch);
  for (std::size_t first = 0; first < batch; first += w.images_at_a_time()) {
    const std::size_t count = std::min(w.images_at_a_time(), batch - first);
    w.transform_inputs(call.input + first * g_.from.size(), count, inputs);
    w.multiply(inputs, weights, count, products);
    float* const outputs = call.output + first * g_.to.size();
    w.finish(products, count, bias, g_.relu, outputs);
    set_empty_windows(windows(), call.input + first * g_.from.size(), count, bias, g_.relu, outputs);
  }
}

void TransformedConvolution::backward(const BackwardCall& call) const {
  const Winograd &w = there_, &turned = back_;
  const std::size_t filters = g_.to.values;
  // Parts in order of use; inputs and products are used in both directions.
  const std::size_t inputs_size = std::max(w.input_floats(), turned.input_floats());
  const std::size_t products_size = std::max(w.product_floats(), turned.product_floats());
  float* const sums =
      call.scratch.room(2 * rounded(filters) + 2 * w.weight_floats() + inputs_size + products_size + Buffer::kSlack);
  float* const unused = sums + rounded(filters);
  float* const weight_gradient = unused + rounded(filters);
  float* const turned_weights = weight_gradient + w.weight_floats();
  float* const inputs = turned_weights + w.weight_floats();
  float* const products = inputs + inputs_size;
  float* const bias_gradient = g_.bias ? call.parameter_gradient + g_.weights() : unused;
  std::fill(bias_gradient, bias_gradient + filters, 0.0f);
  UnmetWeights unmet(windows());
  if (call.input_gradient != nullptr) turned.transform_weights(call.parameters, true, turned_weights);
  const auto batch = static_cast<std::size_t>(call.batch);
  const std::size_t pixels = g_.to.height * g_.to.width;
  for (std::size_t first = 0; first < batch; first += w.images_at_a_time()) {
    const std::size_t count = std::min(w.images_at_a_time(), batch - first);
    float* const gradient = call.output_gradient + first * g_.to.size();
    bias_backward(call.output + first * g_.to.size(), count * pixels, filters, g_.relu, gradient, bias_gradient, sums);
    w.transform_inputs(call.input + first * g_.from.size(), count, inputs);
    w.transform_gradients(gradient, count, products);
    w.add_weight_gradient(inputs, products, count, first == 0, weight_gradient);
    unmet.look(call.input + first * g_.from.size(), gradient, count);
    if (call.input_gradient == nullptr) continue;
    for (std::size_t i = 0; i < count; i += turned.images_at_a_time()) {
      const std::size_t some = std::min(turned.images_at_a_time(), count - i);
      turned.transform_inputs(gradient + i * g_.to.size(), some, inputs);
      turned.multiply(inputs, turned_weights, some, products);
      float* const result = call.input_gradient + (first + i) * g_.from.size();
      turned.finish(products, some, nullptr, false, result);
      set_empty_windows(turned_windows(), gradient + i * g_.to.size(), some, nullptr, false, result);
    }
  }
  w.finish_weight_gradient(weight_gradient, call.parameter_gradient);
  unmet.clear(call.parameter_gradient);
}

}  // namespace

std::unique_ptr<const ConvMethod> transformed_convolution(const ConvGeometry& geometry) {
  return std::make_unique<const TransformedConvolution>(geometry);
}

}  // namespace ddl::nn
