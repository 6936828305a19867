#include "core/nn/layers/chain.hpp"

#include <algorithm>
#include <utility>

namespace ddl::nn {

Chain::Chain(std::vector<std::unique_ptr<Layer>> layers, const char* kind)
    : Layer(layers.front()->input(), layers.back()->output()), layers_(std::move(layers)), kind_(kind) {
  std::size_t offset = 0;
  for (const auto& layer : layers_) {
    offsets_.push_back(offset);
    offset += layer->parameter_count();
  }
}

double Chain::multiply_adds() const {
  double sum = 0;
  for (const auto& layer : layers_) sum += layer->multiply_adds();
  return sum;
}

std::size_t Chain::whole_parameter_count() const {
  std::size_t sum = 0;
  for (const auto& layer : layers_) sum += layer->whole_parameter_count();
  return sum;
}

std::size_t Chain::tied_values() const {
  std::size_t sum = 0;
  for (const auto& layer : layers_) sum += layer->tied_values();
  return sum;
}

bool Chain::needs_estimates() const {
  return std::ranges::any_of(layers_, [](const auto& layer) { return layer->needs_estimates(); });
}

void Chain::initialize(std::span<float> parameters, Stream& random) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    layers_[l]->initialize(parameters.subspan(offsets_[l], layers_[l]->parameter_count()), random);
  }
}

void Chain::forward(const ForwardCall& call) const {
  const float* input = call.input;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::size_t values = static_cast<std::size_t>(call.batch) * layers_[l]->output().size();
    float* const output = l + 1 == layers_.size() ? call.output : output_of(l, call.kept).room(values);
    layers_[l]->forward(call.within(call.parameters + offsets_[l], input, output, kept_of(l, call.kept)));
    input = output;
  }
}

void Chain::backward(const BackwardCall& call) const {
  float* above = call.output_gradient;
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = *layers_[l];
    const std::size_t values = static_cast<std::size_t>(call.batch) * layer.input().size();
    float* const below = l == 0 ? call.input_gradient : gradient(l, call.kept).room(values);
    const float* const input = l == 0 ? call.input : output_of(l - 1, call.kept).data();
    const float* const output = l + 1 == layers_.size() ? call.output : output_of(l, call.kept).data();
    layer.backward(call.within(call.parameters + offsets_[l], input, output, above, below,
                               call.parameter_gradient + offsets_[l], kept_of(l, call.kept)));
    above = below;
  }
}

}  // namespace ddl::nn
