// The models users name instead of listing layers. "ako-cnn" is the network of TF.AKO (Watcharapichat et al., SoCC
// 2016).
#include <array>
#include <optional>

#include "core/nn/model.hpp"

namespace ddl {
namespace {

constexpr std::array<NamedModel, 16> kNamedModels = {
    {{"softmax", "one dense layer: multinomial logistic regression"},
     {"mlp", "dense 32, relu, dense"},
     {"cnn", "conv 8 of 5x5, pool, conv 16 of 3x3, pool, dense 32, dense: small and fast"},
     {"ako-cnn",
      "conv 32 of 5x5, pool, 2 x conv 64 of 3x3, pool, dense 1024, dropout, dense: TF.AKO's, 4.26 M "
      "parameters for CIFAR-10"},
     {"mlp-3-1", "dense 16, 20: IDDL's MLP-3-1"},
     {"mlp-3-2", "dense 25, 30: IDDL's MLP-3-2"},
     {"mlp-3-3", "dense 36, 42: IDDL's MLP-3-3"},
     {"mlp-3-4", "dense 49, 56: IDDL's MLP-3-4"},
     {"mlp-3-1-bibd", "MLP-3-1 with hidden layers after block designs"},
     {"mlp-3-2-bibd", "MLP-3-2 with hidden layers after block designs"},
     {"mlp-3-3-bibd", "MLP-3-3 with hidden layers after block designs"},
     {"mlp-3-4-bibd", "MLP-3-4 with hidden layers after block designs"},
     {"mlp-3-1-random", "MLP-3-1 with as many weights at random places"},
     {"mlp-3-2-random", "MLP-3-2 with as many weights at random places"},
     {"mlp-3-3-random", "MLP-3-3 with as many weights at random places"},
     {"mlp-3-4-random", "MLP-3-4 with as many weights at random places"}}};

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

// The perceptrons of IDDL; nothing if there is none of this name. Masked layers have no bias; the last is whole.
std::optional<std::vector<LayerSpec>> iddl_perceptron(std::string_view name, int classes) {
  struct Row {
    std::string_view name;
    int first, second;
  };
  constexpr Row kRows[] = {{"mlp-3-1", 16, 20}, {"mlp-3-2", 25, 30}, {"mlp-3-3", 36, 42}, {"mlp-3-4", 49, 56}};
  const auto [base, mask] = masked_name(name);
  for (const Row& row : kRows) {
    if (row.name != base) continue;
    const auto hidden = [mask = mask](int units) {
      return DenseSpec{.units = units, .mask = mask, .bias = mask == Mask::none};
    };
    return std::vector<LayerSpec>{FlattenSpec{},      hidden(row.first), ReluSpec{},
                                  hidden(row.second), ReluSpec{},        DenseSpec{.units = classes}};
  }
  return std::nullopt;
}

DenseSpec output(int classes) { return {.units = classes, .init = Init::zero}; }

std::vector<LayerSpec> small_cnn(int classes) {
  return {ConvSpec{.filters = 8, .kernel = 5},
          ReluSpec{},
          MaxPoolSpec{},
          ConvSpec{.filters = 16, .kernel = 3},
          ReluSpec{},
          MaxPoolSpec{},
          FlattenSpec{},
          DenseSpec{.units = 32},
          ReluSpec{},
          output(classes)};
}

std::vector<LayerSpec> ako_cnn(int classes) {
  const Init init = Init::truncated_normal;
  return {ConvSpec{.filters = 32, .kernel = 5, .init = init},
          ReluSpec{},
          MaxPoolSpec{},
          ConvSpec{.filters = 64, .kernel = 3, .init = init},
          ReluSpec{},
          ConvSpec{.filters = 64, .kernel = 3, .init = init},
          ReluSpec{},
          MaxPoolSpec{},
          FlattenSpec{},
          DenseSpec{.units = 1024, .init = init},
          ReluSpec{},
          DropoutSpec{.rate = 0.5},
          DenseSpec{.units = classes, .init = init}};
}

}  // namespace

std::span<const NamedModel> named_models() { return kNamedModels; }

std::vector<LayerSpec> layers_of(const ModelSpec& spec, int classes) {
  if (spec.name == "layers") return spec.layers;
  if (spec.name == "softmax") return {FlattenSpec{}, output(classes)};
  if (spec.name == "mlp") return {FlattenSpec{}, DenseSpec{.units = 32}, ReluSpec{}, output(classes)};
  if (spec.name == "cnn") return small_cnn(classes);
  if (spec.name == "ako-cnn") return ako_cnn(classes);
  if (auto perceptron = iddl_perceptron(spec.name, classes)) return std::move(*perceptron);
  throw ModelError(0, "there is no model \"" + spec.name + "\"");
}

}  // namespace ddl
