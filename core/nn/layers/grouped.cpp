#include "core/nn/layers/grouped.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/check.hpp"

namespace ddl::nn {
namespace {

// One group's channels of every pixel of a batch.
struct Share {
  std::size_t pixels, channels, first, count;

  float* take(const float* values, Buffer& buffer) const {
    float* const share = buffer.room(pixels * count);
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
      std::copy_n(values + pixel * channels + first, count, share + pixel * count);
    }
    return share;
  }
  void give(const float* share, float* values) const {
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
      std::copy_n(share + pixel * count, count, values + pixel * channels + first);
    }
  }
};

Share share_of(Shape whole, Shape part, std::size_t group, int batch) {
  const auto channels = static_cast<std::size_t>(whole.channels), count = static_cast<std::size_t>(part.channels);
  return {static_cast<std::size_t>(batch) * whole.size() / channels, channels, group * count, count};
}

Shape times(Shape shape, std::size_t count) {
  return {shape.channels * static_cast<int>(count), shape.height, shape.width};
}

}  // namespace

Grouped::Grouped(std::vector<std::unique_ptr<Layer>> groups)
    : Layer(times(groups.front()->input(), groups.size()), times(groups.front()->output(), groups.size())),
      groups_(std::move(groups)) {
  std::size_t offset = 0;
  for (const auto& group : groups_) {
    offsets_.push_back(offset);
    offset += group->parameter_count();
  }
}

std::vector<LayerTensor> Grouped::tensors() const {
  std::vector<LayerTensor> all;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::string name = "group" + std::to_string(g + 1) + ".";
    for (const LayerTensor& tensor : groups_[g]->tensors())
      all.push_back({name + tensor.name, tensor.count, tensor.rows, tensor.columns});
  }
  return all;
}

// One tensor for all groups, with their outputs one after another: PyTorch's convolution with `groups`.
std::vector<TorchTensor> Grouped::torch_tensors(Shape input) const {
  const Shape part = with_channels(input, unsigned_of(input.channels) / groups_.size());
  std::vector<TorchTensor> all;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::vector<TorchTensor> own = groups_[g]->torch_tensors(part);
    if (g == 0) all.resize(own.size());
    for (std::size_t t = 0; t < own.size(); ++t) {
      if (g == 0) all[t] = {own[t].name, own[t].shape, {}};
      if (g > 0) all[t].shape.front() += own[t].shape.front();
      for (const std::uint32_t source : own[t].sources) {
        all[t].sources.push_back(source == TorchTensor::nothing ? source
                                                                : static_cast<std::uint32_t>(source + offsets_[g]));
      }
    }
  }
  return all;
}

double Grouped::multiply_adds() const {
  double sum = 0;
  for (const auto& group : groups_) sum += group->multiply_adds();
  return sum;
}

std::size_t Grouped::whole_parameter_count() const {
  std::size_t sum = 0;
  for (const auto& group : groups_) sum += group->whole_parameter_count();
  return sum;
}

LayerShare Grouped::share(std::span<const std::uint32_t> channels) const {
  const auto each = static_cast<std::uint32_t>(groups_.front()->output().channels);
  check(!channels.empty() && channels.size() % each == 0, "whole groups");
  std::vector<std::uint32_t> all(each);
  std::iota(all.begin(), all.end(), 0u);
  std::vector<std::unique_ptr<Layer>> groups;
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < channels.size(); i += each) {
    const std::size_t g = channels[i] / each;
    LayerShare group = groups_[g]->share(all);
    for (const std::uint32_t place : group.parameters) {
      places.push_back(static_cast<std::uint32_t>(offsets_[g] + place));
    }
    groups.push_back(std::move(group.layer));
  }
  if (groups.size() == 1) return {std::move(groups.front()), std::move(places)};
  return {std::make_unique<Grouped>(std::move(groups)), std::move(places)};
}

void Grouped::initialize(std::span<float> parameters, Stream& random) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g]->initialize(parameters.subspan(offsets_[g], groups_[g]->parameter_count()), random);
  }
}

void Grouped::forward(const ForwardCall& call) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Layer& group = *groups_[g];
    const Share in = share_of(input(), group.input(), g, call.batch);
    const Share out = share_of(output(), group.output(), g, call.batch);
    float* const result = call.kept.part(1).room(out.pixels * out.count);
    group.forward(call.within(call.parameters + offsets_[g], in.take(call.input, call.kept.part(0)), result,
                              call.kept.part(4 + g)));
    out.give(result, call.output);
  }
}

void Grouped::backward(const BackwardCall& call) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Layer& group = *groups_[g];
    const Share in = share_of(input(), group.input(), g, call.batch);
    const Share out = share_of(output(), group.output(), g, call.batch);
    float* const below = call.input_gradient == nullptr ? nullptr : call.kept.part(3).room(in.pixels * in.count);
    group.backward({.batch = call.batch,
                    .parameters = call.parameters + offsets_[g],
                    .input = in.take(call.input, call.kept.part(0)),
                    .output = out.take(call.output, call.kept.part(1)),
                    .output_gradient = out.take(call.output_gradient, call.kept.part(2)),
                    .input_gradient = below,
                    .parameter_gradient = call.parameter_gradient + offsets_[g],
                    .kept = call.kept.part(4 + g),
                    .scratch = call.scratch});
    if (below != nullptr) in.give(below, call.input_gradient);
  }
}

}  // namespace ddl::nn
