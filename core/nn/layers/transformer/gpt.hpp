// GPT-2 (Radford et al., 2019) as small models of texts have it (github.com/karpathy/nanoGPT): no dropout and no
// biases, norms before what they serve, the exact GELU, and a head that is tied to the symbols' vectors.
#pragma once

#include <memory>
#include <vector>

#include "core/nn/layer.hpp"
#include "core/nn/math_mode.hpp"
#include "core/nn/model_spec.hpp"

namespace ddl::nn {

// Embedding; a layer for each block; final norm and head. A sample is a window of symbols, `input`, of which the model
// predicts each next one. Weights start from a normal distribution of deviation 0.02, divided by sqrt(2 layers) where
// a product is added to the residual stream. Throws ModelError.
std::vector<std::unique_ptr<Layer>> gpt_layers(const GptSpec& spec, Shape input, int symbols, MathMode mode);

}  // namespace ddl::nn
