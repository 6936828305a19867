#include "core/nn/layers/masked.hpp"

#include <algorithm>
#include <utility>

#include "core/base/check.hpp"

namespace ddl::nn {

Masked::Masked(std::unique_ptr<Layer> whole, std::vector<std::uint32_t> positions)
    : Layer(whole->input(), whole->output()),
      whole_(std::move(whole)),
      positions_(std::move(positions)),
      weights_(whole_->tensors().front().count),
      others_(whole_->parameter_count() - weights_) {
  check(positions_.empty() || positions_.back() < weights_, "positions within the weights");
}

std::vector<LayerTensor> Masked::tensors() const {
  std::vector<LayerTensor> tensors = whole_->tensors();
  tensors.front().count = tensors.front().rows = positions_.size();
  tensors.front().columns = 1;  // no rectangle
  return tensors;
}

// The whole tensor, with zeros for missing weights.
std::vector<TorchTensor> Masked::torch_tensors(Shape input) const {
  std::vector<TorchTensor> tensors = whole_->torch_tensors(input);
  for (TorchTensor& tensor : tensors) {
    for (std::uint32_t& source : tensor.sources) {
      if (source >= weights_) {
        source = static_cast<std::uint32_t>(source - weights_ + positions_.size());
        continue;
      }
      const auto found = std::ranges::lower_bound(positions_, source);
      const bool exists = found != positions_.end() && *found == source;
      source = exists ? static_cast<std::uint32_t>(found - positions_.begin()) : TorchTensor::nothing;
    }
  }
  return tensors;
}

double Masked::multiply_adds() const {
  return whole_->multiply_adds() * static_cast<double>(positions_.size()) / static_cast<double>(weights_);
}

LayerShare Masked::share(std::span<const std::uint32_t> channels) const {
  LayerShare whole = whole_->share(channels);
  const std::size_t weights = whole.layer->tensors().front().count;
  std::vector<std::uint32_t> own, places;  // existing weights: in the part's tensor, in our parameters
  for (std::size_t i = 0; i < weights; ++i) {
    const auto found = std::ranges::lower_bound(positions_, whole.parameters[i]);
    if (found == positions_.end() || *found != whole.parameters[i]) continue;
    own.push_back(static_cast<std::uint32_t>(i));
    places.push_back(static_cast<std::uint32_t>(found - positions_.begin()));
  }
  for (std::size_t i = weights; i < whole.parameters.size(); ++i) {
    places.push_back(static_cast<std::uint32_t>(whole.parameters[i] - weights_ + positions_.size()));
  }
  return {std::make_unique<Masked>(std::move(whole.layer), std::move(own)), std::move(places)};
}

void Masked::initialize(std::span<float> parameters, Stream& random) const {
  std::vector<float> whole(weights_ + others_);
  whole_->initialize(whole, random);
  std::size_t to = 0;
  for (const std::uint32_t position : positions_) parameters[to++] = whole[position];
  std::copy(whole.begin() + static_cast<std::ptrdiff_t>(weights_), whole.end(), parameters.begin() + to);
}

void Masked::forward(const ForwardCall& call) const {
  float* const whole = call.kept.room(weights_ + others_);
  std::fill(whole, whole + weights_, 0.0f);
  const float* from = call.parameters;
  for (const std::uint32_t position : positions_) whole[position] = *from++;
  std::copy(from, from + others_, whole + weights_);
  whole_->forward(call.within(whole, call.input, call.output, call.kept.part(0)));
}

void Masked::backward(const BackwardCall& call) const {
  Buffer& inner_kept = call.kept.part(0);
  float* const gradient = call.kept.part(1).room(weights_ + others_);
  BackwardCall inner{call.batch,          call.kept.data(), call.input, call.output, call.output_gradient,
                     call.input_gradient, gradient,         inner_kept, call.scratch};
  whole_->backward(inner);
  float* to = call.parameter_gradient;
  for (const std::uint32_t position : positions_) *to++ = gradient[position];
  std::copy(gradient + weights_, gradient + weights_ + others_, to);
}

}  // namespace ddl::nn
