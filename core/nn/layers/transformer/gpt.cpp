#include "core/nn/layers/transformer/gpt.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "core/nn/layers/affine.hpp"
#include "core/nn/layers/chain.hpp"
#include "core/nn/layers/dense.hpp"
#include "core/nn/layers/elementwise.hpp"
#include "core/nn/layers/residual.hpp"
#include "core/nn/layers/transformer/causal_attention.hpp"
#include "core/nn/layers/transformer/embedding.hpp"
#include "core/nn/layers/transformer/layer_norm.hpp"
#include "core/nn/model.hpp"

namespace ddl::nn {
namespace {

using Layers = std::vector<std::unique_ptr<Layer>>;

// The layer under the name that PyTorch's module has.
template <class L>
std::unique_ptr<Layer> called(const char* name, std::unique_ptr<L> layer) {
  layer->set_torch_name(name);
  return layer;
}

template <class... Parts>
std::unique_ptr<Chain> chain_of(const char* kind, std::unique_ptr<Parts>... parts) {
  Layers layers;
  (layers.push_back(std::move(parts)), ...);
  return std::make_unique<Chain>(std::move(layers), kind);
}

struct GptMaker {
  const GptSpec& spec;
  MathMode mode;

  Shape stream(int times = 1) const { return {spec.width * times, spec.context, 1}; }

  std::unique_ptr<Layer> dense(const char* name, int inputs, int outputs, double deviation = usual_deviation) const {
    DenseSpec dense{.units = spec.width * outputs, .bias = false};
    dense.deviation = deviation;
    return called(name, std::make_unique<Dense>(stream(inputs), dense, false, mode, Dense::Reads::position));
  }

  // x + body(norm(x))
  std::unique_ptr<Layer> added(const char* norm, const char* name, std::unique_ptr<Layer> body) const {
    body->set_torch_name(name);
    auto chain = chain_of("chain", called(norm, std::make_unique<LayerNorm>(stream())), std::move(body));
    return called("", std::make_unique<Residual>(std::move(chain), nullptr, Residual::Ends::with_sum));
  }

  std::unique_ptr<Layer> block(int number) const {
    const double small = usual_deviation / std::sqrt(2.0 * spec.layers);
    auto attention =
        chain_of("attention", dense("c_attn", 1, 3), std::unique_ptr<Layer>(new CausalAttention(stream(3), spec.heads)),
                 dense("c_proj", 1, 1, small));
    auto perceptron = chain_of("perceptron", dense("c_fc", 1, 4), std::unique_ptr<Layer>(new Gelu(stream(4))),
                               dense("c_proj", 4, 1, small));
    const std::string name = "transformer.h." + std::to_string(number);
    return called(name.c_str(), chain_of("block", added("ln_1", "attn", std::move(attention)),
                                         added("ln_2", "mlp", std::move(perceptron))));
  }
};

}  // namespace

Layers gpt_layers(const GptSpec& spec, Shape input, int symbols, MathMode mode) {
  if (spec.width % spec.heads != 0) {
    throw ModelError(0, "a width of " + std::to_string(spec.width) + " does not divide into " +
                            std::to_string(spec.heads) + " heads; expected a multiple");
  }
  if (input != Shape{1, spec.context, 1}) {
    throw ModelError(0, "a gpt reads the symbols of a text, " + std::to_string(spec.context) +
                            " at a time; expected \"data.source\": \"text\"");
  }
  const double width = spec.width, blocks = 12.0 * spec.layers * width * width;
  if (blocks + width * (symbols + spec.context + 2.0 * spec.layers + 1) > 2147483647.0) {
    throw ModelError(0, "too large: the model's parameters would exceed 2^31 - 1");
  }
  const GptMaker maker{spec, mode};
  Layers layers;
  layers.push_back(called("transformer", std::make_unique<Embedding>(spec.context, symbols, spec.width)));
  for (int number = 0; number < spec.layers; ++number) layers.push_back(maker.block(number));
  layers.push_back(
      called("transformer", chain_of("head", called("ln_f", std::make_unique<LayerNorm>(maker.stream())),
                                     std::unique_ptr<Layer>(new TiedDense(maker.stream(), symbols, mode)))));
  return layers;
}

}  // namespace ddl::nn
