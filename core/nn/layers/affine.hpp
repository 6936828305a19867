// Shared by dense and convolutional layers: initial weights, and the backward pass through a bias and ReLU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/rng.hpp"
#include "core/nn/model_spec.hpp"
#include "core/nn/torch_tensor.hpp"

namespace ddl::nn {

// `in` x `outputs` weights; each input reaches `out` outputs.
struct Fan {
  std::size_t in = 0, out = 0, outputs = 0;
};

// Deviation of the normal distribution that weights of language models start from (Radford et al., GPT-2, 2019).
inline constexpr double usual_deviation = 0.02;

// Weights followed by a bias for each output, if `parameters` has room for them: He et al., ICCV 2015, by inputs or by
// outputs; PyTorch's uniform; TensorFlow's truncated normal with deviation 0.1 and biases 0.1, as in TF.AKO; or all
// zero.
void initialize_affine(Init init, Fan fan, std::span<float> parameters, Stream& random);

// Positions of the weights and biases of some outputs among those of all: weights rows x outputs, then the biases.
std::vector<std::uint32_t> affine_part(std::size_t rows, std::size_t outputs, bool bias,
                                       std::span<const std::uint32_t> chosen);

// `count` values after `first` others, in PyTorch's form.
TorchTensor torch_vector(const char* name, std::size_t first, std::size_t count);

// Backward pass through a bias and an optional ReLU: sets gradients to zero where ReLU gave zero, and adds their sums
// over rows to bias_gradient. `sums` is scratch for `outputs` values.
void bias_backward(const float* values, std::size_t rows, std::size_t outputs, bool relu, float* gradient,
                   float* bias_gradient, float* sums);

}  // namespace ddl::nn
