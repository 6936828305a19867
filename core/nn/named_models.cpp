// The models that users name instead of listing layers; see also published_models.hpp. "ako-cnn" is the network of
// TF.AKO (Watcharapichat et al., SoCC 2016).
#include "core/nn/model.hpp"
#include "core/nn/published_models.hpp"

namespace ddl::nn {
namespace {

constexpr Shape kDigits{1, 28, 28}, kPhotos{3, 32, 32};
constexpr int kSymbols = 65;  // Tiny Shakespeare has so many

constexpr NamedModel kNamedModels[] = {
    {"softmax", "one dense layer: multinomial logistic regression", kDigits},
    {"mlp", "dense 32, relu, dense", kDigits},
    {"cnn", "conv 8 of 5x5, pool, conv 16 of 3x3, pool, dense 32, dense: small and fast", kDigits},
    {"ako-cnn", "conv 32 of 5x5, pool, 2 x conv 64 of 3x3, pool, dense 1024, dropout, dense: TF.AKO's", kPhotos},
    {"mlp-3-1", "dense 16, 20, output: IDDL's MLP-3-1", kDigits},
    {"mlp-3-1-bibd", "its hidden layers after block designs", kDigits},
    {"mlp-3-1-random", "as many weights at random places", kDigits},
    {"mlp-3-2", "dense 25, 30, output: IDDL's MLP-3-2", kDigits},
    {"mlp-3-2-bibd", "its hidden layers after block designs", kDigits},
    {"mlp-3-2-random", "as many weights at random places", kDigits},
    {"mlp-3-3", "dense 36, 42, output: IDDL's MLP-3-3", kDigits},
    {"mlp-3-3-bibd", "its hidden layers after block designs", kDigits},
    {"mlp-3-3-random", "as many weights at random places", kDigits},
    {"mlp-3-4", "dense 49, 56, output: IDDL's MLP-3-4", kDigits},
    {"mlp-3-4-bibd", "its hidden layers after block designs", kDigits},
    {"mlp-3-4-random", "as many weights at random places", kDigits},
    {"resnet20", "residual, three stages of 16, 32, 64 filters: He et al.'s for CIFAR-10", kPhotos},
    {"resnet18", "residual, four stages from 64 filters on", kPhotos},
    {"resnet18-bibd", "its blocks after block designs, as in IDDL", kPhotos},
    {"resnet18-random", "as many weights at random places", kPhotos},
    {"resnet34", "residual, four stages from 64 filters on", kPhotos},
    {"resnet34-bibd", "its blocks after block designs, as in IDDL", kPhotos},
    {"resnet34-random", "as many weights at random places", kPhotos},
    {"resnet50", "residual with bottlenecks, four stages from 64 filters on", kPhotos},
    {"resnet50-bibd", "its blocks after block designs, as in IDDL", kPhotos},
    {"resnet50-random", "as many weights at random places", kPhotos},
    {"vgg19", "16 conv of 3x3 in five stages from 64 to 512 filters, one dense; images of at least 32x32", kPhotos},
    {"gpt-4-128-64",
     "language model: 4 blocks, 4 heads, width 128, context 64: nanoGPT's for CPUs",
     {1, 64, 1},
     kSymbols},
    {"gpt-2-64-32", "language model: 2 blocks, 2 heads, width 64, context 32: for many runs", {1, 32, 1}, kSymbols}};

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

std::optional<GptSpec> gpt_of(const ModelSpec& spec) {
  if (spec.name == GptSpec::name) return spec.sizes;
  if (spec.name == "gpt-4-128-64") return GptSpec{.layers = 4, .heads = 4, .width = 128, .context = 64};
  if (spec.name == "gpt-2-64-32") return GptSpec{.layers = 2, .heads = 2, .width = 64, .context = 32};
  return std::nullopt;
}

std::vector<LayerSpec> layers_of(const ModelSpec& spec, int classes) {
  if (spec.name == "layers") return spec.layers;
  if (spec.name == "softmax") return {FlattenSpec{}, output(classes)};
  if (spec.name == "mlp") return {FlattenSpec{}, DenseSpec{.units = 32}, ReluSpec{}, output(classes)};
  if (spec.name == "cnn") return small_cnn(classes);
  if (spec.name == "ako-cnn") return ako_cnn(classes);
  if (auto layers = published_model(spec.name, classes); !layers.empty()) return layers;
  if (gpt_of(spec)) throw ModelError(0, "a language model has no list of layers");
  throw ModelError(0, "there is no model \"" + spec.name + "\"");
}

}  // namespace ddl::nn
