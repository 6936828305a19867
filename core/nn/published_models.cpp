#include "core/nn/published_models.hpp"

#include <array>
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

// "mlp-3-1" and Mask::bibd of "mlp-3-1-bibd".
struct MaskedName {
  std::string_view base;
  Mask mask = Mask::none;
};

MaskedName masked_name(std::string_view name) {
  for (const Mask mask : {Mask::bibd, Mask::random}) {
    const std::string_view ending = mask == Mask::bibd ? "-bibd" : "-random";
    if (name.ends_with(ending)) return {name.substr(0, name.size() - ending.size()), mask};
  }
  return {name};
}

// As in IDDL, whole layers start from PyTorch's initial weights and masked ones from He's.
std::vector<LayerSpec> perceptron(int first, int second, Mask mask, int classes) {
  const auto hidden = [mask](int units) {
    return DenseSpec{.units = units, .init = mask == Mask::none ? Init::uniform : Init::he};
  };
  return {FlattenSpec{},  hidden(first), ReluSpec{},
          hidden(second), ReluSpec{},    DenseSpec{.units = classes, .init = Init::uniform}};
}

struct ResidualNetwork {
  int stem = 64;            // filters of the first layer and stage; each stage has twice those of the one before
  std::vector<int> stages;  // blocks
  ResidualSpec block;
};

std::vector<LayerSpec> residual_network(const ResidualNetwork& network, int classes) {
  std::vector<LayerSpec> layers = {ConvSpec{.filters = network.stem, .init = Init::he_out, .bias = false},
                                   BatchNormSpec{}, ReluSpec{}};
  ResidualSpec block = network.block;
  block.filters = network.stem;
  for (std::size_t stage = 0; stage < network.stages.size(); ++stage, block.filters *= 2) {
    for (int i = 0; i < network.stages[stage]; ++i) {
      block.stride = stage > 0 && i == 0 ? 2 : 1;
      layers.push_back(block);
    }
  }
  layers.insert(layers.end(), {GlobalAveragePoolSpec{}, FlattenSpec{}, DenseSpec{.units = classes}});
  return layers;
}

std::vector<LayerSpec> vgg19(int classes) {
  std::vector<LayerSpec> layers;
  constexpr std::array<std::array<int, 2>, 5> kStages = {{{2, 64}, {2, 128}, {4, 256}, {4, 512}, {4, 512}}};
  for (const auto& [count, filters] : kStages) {
    for (int i = 0; i < count; ++i) {
      layers.push_back(ConvSpec{.filters = filters});
      layers.push_back(ReluSpec{});
    }
    layers.push_back(MaxPoolSpec{});
  }
  layers.insert(layers.end(), {FlattenSpec{}, DenseSpec{.units = classes}});
  return layers;
}

std::vector<LayerSpec> whole_model(std::string_view name, Mask mask, int classes) {
  if (name == "mlp-3-1") return perceptron(16, 20, mask, classes);
  if (name == "mlp-3-2") return perceptron(25, 30, mask, classes);
  if (name == "mlp-3-3") return perceptron(36, 42, mask, classes);
  if (name == "mlp-3-4") return perceptron(49, 56, mask, classes);
  if (name == "resnet18") return residual_network({64, {2, 2, 2, 2}, {}}, classes);
  if (name == "resnet34") return residual_network({64, {3, 4, 6, 3}, {}}, classes);
  if (name == "resnet50") return residual_network({64, {3, 4, 6, 3}, {.bottleneck = true}}, classes);
  return {};
}

}  // namespace

std::vector<LayerSpec> published_model(std::string_view name, int classes) {
  if (name == "resnet20") return residual_network({16, {3, 3, 3}, {.shortcut = Shortcut::pad}}, classes);
  if (name == "vgg19") return vgg19(classes);
  const auto [base, mask] = masked_name(name);
  return with_mask(whole_model(base, mask, classes), mask);
}

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
