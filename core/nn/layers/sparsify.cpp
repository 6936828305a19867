#include "core/nn/layers/sparsify.hpp"

#include <utility>

namespace ddl::nn {
namespace {

bool has_weights(const LayerSpec& layer) {
  return std::holds_alternative<DenseSpec>(layer) || std::holds_alternative<ConvSpec>(layer) ||
         std::holds_alternative<ResidualSpec>(layer);
}

// Calls change(spec) for every layer in between.
template <class Change>
std::vector<LayerSpec> changed(std::vector<LayerSpec> layers, Change change) {
  std::vector<LayerSpec*> with_weights;
  for (LayerSpec& layer : layers) {
    if (has_weights(layer)) with_weights.push_back(&layer);
  }
  for (std::size_t i = 0; i < with_weights.size(); ++i) {
    const bool is_stem = i == 0 && std::holds_alternative<ConvSpec>(*with_weights[i]);
    const bool is_output = i + 1 == with_weights.size() && !std::holds_alternative<ResidualSpec>(*with_weights[i]);
    if (!is_stem && !is_output) std::visit(change, *with_weights[i]);
  }
  return layers;
}

}  // namespace

std::vector<LayerSpec> with_mask(std::vector<LayerSpec> layers, Mask mask) {
  return changed(std::move(layers), [mask](auto& spec) {
    if constexpr (requires { spec.mask; }) spec.mask = mask;
    if constexpr (requires { spec.bias; }) spec.bias = spec.bias && mask == Mask::none;
  });
}

std::vector<LayerSpec> with_groups(std::vector<LayerSpec> layers, int groups) {
  return changed(std::move(layers), [groups](auto& spec) {
    if constexpr (requires { spec.groups; }) spec.groups = groups;
  });
}

}  // namespace ddl::nn
