#include "core/nn/layers/transformer/embedding.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "core/nn/kernels/blas.hpp"
#include "core/nn/layers/affine.hpp"

namespace ddl::nn {

Embedding::Embedding(int context, int symbols, int channels)
    : Layer({1, context, 1}, {channels, context, 1}),
      symbols_(unsigned_of(symbols)),
      channels_(unsigned_of(channels)) {}

std::vector<LayerTensor> Embedding::tensors() const {
  const std::size_t context = input().size();
  return {{"symbols.weight", symbols_ * channels_, symbols_, channels_},
          {"positions.weight", context * channels_, context, channels_}};
}

std::vector<TorchTensor> Embedding::torch_tensors(Shape) const {
  std::vector<TorchTensor> tensors = {torch_vector("wte.weight", 0, symbols_ * channels_),
                                      torch_vector("wpe.weight", symbols_ * channels_, input().size() * channels_)};
  tensors[0].shape = {symbols_, channels_};
  tensors[1].shape = {input().size(), channels_};
  return tensors;
}

void Embedding::initialize(std::span<float> parameters, Stream& random) const {
  for (float& value : parameters) value = static_cast<float>(usual_deviation * random.normal());
}

void Embedding::forward(const ForwardCall& call) const {
  const float* const of_positions = call.parameters + symbols_ * channels_;
  float* to = call.output;
  for (std::size_t i = 0; i < unsigned_of(call.batch) * input().size(); ++i, to += channels_) {
    const auto symbol = static_cast<std::size_t>(call.input[i]);
    check(symbol < symbols_, "a symbol of the text");
    const float* const own = call.parameters + symbol * channels_;
    const float* const place = of_positions + i % input().size() * channels_;
    for (std::size_t c = 0; c < channels_; ++c) to[c] = own[c] + place[c];
  }
}

void Embedding::backward(const BackwardCall& call) const {
  std::fill_n(call.parameter_gradient, (symbols_ + input().size()) * channels_, 0.0f);
  const float* from = call.output_gradient;
  for (std::size_t i = 0; i < unsigned_of(call.batch) * input().size(); ++i, from += channels_) {
    float* const own = call.parameter_gradient + static_cast<std::size_t>(call.input[i]) * channels_;
    float* const place = call.parameter_gradient + (symbols_ + i % input().size()) * channels_;
    for (std::size_t c = 0; c < channels_; ++c) own[c] += from[c];
    for (std::size_t c = 0; c < channels_; ++c) place[c] += from[c];
  }
}

void TiedDense::forward(const ForwardCall& call) const {
  multiply(mode_,
           {.b = Op::transposed,
            .rows = call.batch * input().height,
            .columns = output().channels,
            .inner = input().channels},
           call.input, call.tied, call.output, call.scratch);
}

void TiedDense::backward(const BackwardCall& call) const {
  const int rows = call.batch * input().height, channels = input().channels, symbols = output().channels;
  multiply(mode_, {.a = Op::transposed, .rows = symbols, .columns = channels, .inner = rows}, call.output_gradient,
           call.input, call.tied_gradient, call.scratch);
  if (call.input_gradient == nullptr) return;
  multiply(mode_, {.rows = rows, .columns = channels, .inner = symbols}, call.output_gradient, call.tied,
           call.input_gradient, call.scratch);
}

}  // namespace ddl::nn
