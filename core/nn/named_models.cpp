// The models users name instead of listing layers. "ako-cnn" is the network of TF.AKO (Watcharapichat et al., SoCC
// 2016).
#include <array>

#include "core/nn/model.hpp"

namespace ddl {
namespace {

constexpr std::array<NamedModel, 4> kNamedModels = {
    {{"softmax", "one dense layer: multinomial logistic regression"},
     {"mlp", "dense 32, relu, dense"},
     {"cnn", "conv 8 of 5x5, pool, conv 16 of 3x3, pool, dense 32, dense: small and fast"},
     {"ako-cnn",
      "conv 32 of 5x5, pool, 2 x conv 64 of 3x3, pool, dense 1024, dropout, dense: TF.AKO's, 4.26 M "
      "parameters for CIFAR-10"}}};

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
  throw ModelError(0, "there is no model \"" + spec.name + "\"");
}

}  // namespace ddl
