// A model layer by layer, and sparse models made of whole ones.
#include "core/nn/layer_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/nn/published_models.hpp"
#include "tests/nn/model_samples.hpp"

namespace ddl::nn {
namespace {

Model named(const std::string& name) { return Model({.name = name, .layers = {}}, {3, 32, 32}, 10); }

const LayerRow& row_of(const std::vector<LayerRow>& rows, const std::string& name) {
  const auto found = std::ranges::find(rows, name, &LayerRow::name);
  REQUIRE(found != rows.end());
  return *found;
}

}  // namespace

TEST_CASE("the rows of every model add up to the model and follow one another") {
  for (const NamedModel& entry : named_models()) {
    const std::string name = entry.name;
    CAPTURE(name);
    const Model model({.name = name, .layers = {}}, entry.input, entry.classes);
    const auto rows = layer_table(model);
    const LayerRow total = total_of(rows);
    CHECK(total.non_zeros() == model.parameter_count());
    CHECK(total.whole == model.whole_parameter_count());
    CHECK(total.operations == doctest::Approx(model.forward_multiply_adds()));
    CHECK(total.input == entry.input);
    CHECK(total.output.size() == model.positions() * static_cast<std::size_t>(entry.classes));
    for (std::size_t l = 1; l < rows.size(); ++l) {
      // A shortcut starts at its block's input.
      if (rows[l].name.find("shortcut.conv") == std::string::npos) CHECK(rows[l].input == rows[l - 1].output);
    }
  }
}

TEST_CASE("IDDL's perceptrons have the published numbers of weights, which leave biases out") {
  struct Row {
    const char* name;
    std::size_t first, second, weights, first_sparse, second_sparse, output;
  };
  for (const Row& row :
       {Row{"mlp-3-1", 16, 20, 13064, 448, 80, 200}, Row{"mlp-3-2", 25, 30, 20650, 700, 150, 300},
        Row{"mlp-3-3", 36, 42, 30156, 1008, 252, 420}, Row{"mlp-3-4", 49, 56, 41720, 1372, 392, 560}}) {
    const Shape digits{1, 28, 28};
    const LayerRow dense = total_of(layer_table(Model({.name = row.name, .layers = {}}, digits, 10)));
    CHECK(dense.weights == row.weights);
    CHECK(dense.operations == static_cast<double>(row.weights));
    CHECK(dense.others == row.first + row.second + 10);
    for (const char* ending : {"-bibd", "-random"}) {
      const auto rows = layer_table(Model({.name = std::string(row.name) + ending, .layers = {}}, digits, 10));
      CHECK(row_of(rows, "dense1").weights == row.first_sparse);
      CHECK(row_of(rows, "dense2").weights == row.second_sparse);
      CHECK(row_of(rows, "dense3").weights == row.output);
      CHECK(total_of(rows).others == 10);
      CHECK(total_of(rows).whole_weights() == row.weights);
    }
  }
}

TEST_CASE("the layers of residual blocks have rows of their own, named as their tensors are") {
  const Model model = named("resnet18");
  const auto rows = layer_table(model);
  for (const TensorInfo& tensor : model.tensors()) {
    const std::string layer = tensor.name.substr(0, tensor.name.rfind('.'));
    CHECK(row_of(rows, layer).whole >= tensor.count);
  }
  const LayerRow shortcut = row_of(rows, "residual3.shortcut.conv1");
  CHECK(shortcut.weights == 64 * 128);
  CHECK(shortcut.operations == 64 * 128 * 16 * 16);
}

TEST_CASE("a mask spares the first convolution and the output, and takes biases away") {
  const auto sparse = with_mask({ConvSpec{.filters = 4}, ReluSpec{}, ConvSpec{.filters = 8}, ReluSpec{}, FlattenSpec{},
                                 DenseSpec{.units = 6}, DenseSpec{.units = 3}},
                                Mask::bibd);
  CHECK(std::get<ConvSpec>(sparse[0]).mask == Mask::none);
  CHECK(std::get<ConvSpec>(sparse[2]).mask == Mask::bibd);
  CHECK_FALSE(std::get<ConvSpec>(sparse[2]).bias);
  CHECK(std::get<DenseSpec>(sparse[5]).mask == Mask::bibd);
  CHECK(std::get<DenseSpec>(sparse[6]).mask == Mask::none);
  CHECK(std::get<DenseSpec>(sparse[6]).bias);
}

TEST_CASE(
    "four groups leave a quarter of the weights of the convolutions of residual blocks, and the shortcuts whole") {
  const ModelSpec whole{"resnet18", {}};
  const auto rows = layer_table(named("resnet18"));
  const auto grouped = layer_table(Model({"layers", with_groups(layers_of(whole, 10), 4)}, {3, 32, 32}, 10));
  for (const LayerRow& row : rows) {
    const bool in_body =
        row.kind == "conv" && row.name.starts_with("residual") && row.name.find("shortcut") == std::string::npos;
    CAPTURE(row.name);
    CHECK(row_of(grouped, row.name).weights == row.weights / (in_body ? 4 : 1));
  }
}

TEST_CASE(
    "batch normalisation has a single value per channel behind a dense layer, a global pooling and on one pixel") {
  const auto norm_in = [](std::vector<LayerSpec> layers) {
    layers.emplace_back(FlattenSpec{});
    layers.emplace_back(DenseSpec{.units = 10});
    return norm_of_single_values(Model({.name = "layers", .layers = std::move(layers)}, {3, 8, 8}, 10));
  };
  CHECK(norm_in({FlattenSpec{}, DenseSpec{.units = 4}, BatchNormSpec{}}) == "batch_norm1");
  CHECK(norm_in({BatchNormSpec{}, GlobalAveragePoolSpec{}, BatchNormSpec{}}) == "batch_norm2");
  CHECK(norm_in({ConvSpec{.filters = 4, .kernel = 8, .same = false}, BatchNormSpec{}}) == "batch_norm1");
  CHECK(norm_in({ResidualSpec{.filters = 4, .stride = 8}}) == "residual1.batch_norm1");
  CHECK(norm_in({ConvSpec{.filters = 4}, BatchNormSpec{}, MaxPoolSpec{.size = 4}, BatchNormSpec{}}) == std::nullopt);
  CHECK(norm_in({ConvSpec{.filters = 4, .stride = 8}}) == std::nullopt);
  for (const NamedModel& entry : named_models()) {
    CHECK(norm_of_single_values(Model({.name = entry.name, .layers = {}}, entry.input, 10)) == std::nullopt);
  }
}

TEST_CASE("statistics are estimated from up to 400 samples of the whole set, in batches that count alike") {
  for (const std::size_t all : {1u, 2u, 100u, 101u, 201u, 250u, 399u, 400u, 401u, 60000u}) {
    CAPTURE(all);
    const auto batches = estimation_batches(all);
    std::vector<std::uint32_t> numbers;
    for (const auto& batch : batches) {
      CHECK(batch.size() <= 100);
      CHECK(batch.size() >= batches[0].size() - 1);
      CHECK(batch.size() <= batches[0].size() + 1);
      numbers.insert(numbers.end(), batch.begin(), batch.end());
    }
    CHECK(numbers.size() == std::min<std::size_t>(all, 400));
    CHECK(batches.size() == (numbers.size() + 99) / 100);
    CHECK(std::ranges::adjacent_find(numbers, std::ranges::greater_equal()) == numbers.end());
    CHECK(numbers.back() + (all + 399) / 400 >= all);
  }
}

}  // namespace ddl::nn
