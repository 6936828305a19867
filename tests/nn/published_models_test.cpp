// Networks of the literature: their published numbers of parameters and operations, and that they learn.
#include <doctest/doctest.h>

#include "core/data/data_spec.hpp"
#include "tests/nn/gradient_check.hpp"
#include "tests/nn/model_samples.hpp"

namespace ddl::nn::published_models_test {
namespace {

constexpr Shape kPhoto{3, 32, 32};

Model named(const std::string& name) { return Model({.name = name, .layers = {}}, kPhoto, 10); }

}  // namespace

TEST_CASE("residual networks for CIFAR-10 have IDDL's published parameters and operations") {
  struct Row {
    const char* name;
    std::size_t dense, sparse;
    double dense_m, sparse_m;
  };
  for (const Row& row :
       {Row{"resnet18", 11173962, 769656, 556.65, 54.71}, Row{"resnet34", 21282122, 1335512, 1161.45, 99.70},
        Row{"resnet50", 23520842, 3820994, 1304.69, 205.03}}) {
    const std::string name = row.name;
    CAPTURE(name);
    const Model dense = named(name);
    CHECK(dense.parameter_count() == row.dense);
    CHECK(dense.whole_parameter_count() == row.dense);
    CHECK(std::round(dense.forward_multiply_adds() / 1e4) == std::round(row.dense_m * 100));
    for (const char* ending : {"-bibd", "-random"}) {
      const Model sparse = named(name + ending);
      CHECK(sparse.parameter_count() == row.sparse);
      CHECK(sparse.whole_parameter_count() == row.dense);
      CHECK(std::round(sparse.forward_multiply_adds() / 1e4) == std::round(row.sparse_m * 100));
    }
  }
}

TEST_CASE("ResNet-20 and VGG-19 have the parameters their layers add up to") {
  // Stem, six convolutions of each stage, scale and shift of each, and the dense layer; shortcuts have none.
  CHECK(named("resnet20").parameter_count() ==
        9 * (3 * 16 + 6 * 16 * 16 + 16 * 32 + 5 * 32 * 32 + 32 * 64 + 5 * 64 * 64) + 2 * (7 * 16 + 6 * 32 + 6 * 64) +
            64 * 10 + 10);
  CHECK(named("vgg19").parameter_count() == 20029514);
}

TEST_CASE("random masks of layers of one shape differ") {
  const Model model(layers({FlattenSpec{}, DenseSpec{.units = 16, .mask = Mask::random, .bias = false},
                            DenseSpec{.units = 16, .mask = Mask::random, .bias = false}, DenseSpec{.units = 2}}),
                    {1, 4, 4}, 2);
  // With weights of one, an output is the sum of its inputs: the gradient by the input shows the connections.
  std::vector<std::vector<float>> seen;
  for (std::size_t l = 1; l < 3; ++l) {
    const Layer& layer = *model.layers()[l];
    const std::vector<float> ones(layer.parameter_count(), 1.0f);
    std::vector<float> outputs;
    for (std::size_t i = 0; i < 16; ++i) {
      std::vector<float> x(16, 0.0f);
      x[i] = 1;
      Buffer kept;
      const auto y = run_forward(layer, 1, ones, x, kept);
      outputs.insert(outputs.end(), y.begin(), y.end());
    }
    seen.push_back(outputs);
  }
  CHECK(seen[0] != seen[1]);
}

TEST_CASE("ResNet-20 learns generated photographs in a few steps") {
  const Model model = named("resnet20");
  std::vector<float> parameters = initial_parameters(model);
  // Ten classes, each a picture of its own, in noise.
  const std::vector<float> pictures = normal_values(10 * kPhoto.size(), 1),
                           noise = normal_values(60 * kPhoto.size(), 2);
  data::Batch batch;
  for (std::size_t i = 0; i < 20; ++i) {
    batch.labels.push_back(static_cast<std::uint8_t>(i % 10));
    for (std::size_t j = 0; j < kPhoto.size(); ++j) {
      batch.inputs.push_back(pictures[i % 10 * kPhoto.size() + j] + 0.5f * noise[i * kPhoto.size() + j]);
    }
  }
  std::vector<float> gradient(parameters.size());
  Workspace workspace;
  Stream random(1);
  double first = 0, last = 0;
  for (int step = 0; step < 12; ++step) {
    last = model.gradient(parameters, batch, random, gradient, workspace).loss;
    if (step == 0) first = last;
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= 0.05f * gradient[i];
  }
  CHECK(std::isfinite(last));
  CHECK(last < 0.5 * first);
}

}  // namespace ddl::nn::published_models_test
