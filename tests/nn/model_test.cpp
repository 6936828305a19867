// Models: named networks, shapes, errors, evaluation.
#include "core/nn/model.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "core/base/check.hpp"
#include "core/nn/layer.hpp"
#include "tests/nn/model_samples.hpp"

namespace ddl::nn {
namespace {

using Floats = std::vector<float>;

std::size_t failing_layer(std::vector<LayerSpec> list, Shape shape, const char* words) {
  try {
    const Model model(layers(std::move(list)), shape, 10);
  } catch (const ModelError& error) {
    CAPTURE(error.what());
    CHECK(std::string(error.what()).find(words) != std::string::npos);
    return error.layer;
  }
  FAIL("no error");
  return 0;
}

// `count` samples of one grey pixel, of value 100 * label.
data::Dataset pixel_per_label(std::size_t count, int classes) {
  data::Dataset data{.shape = {1, 1, 1}, .classes = classes, .pixels = {}, .labels = {}, .mean = {0}, .scale = {0.01f}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::uint8_t>(i % static_cast<std::size_t>(classes));
    data.labels.push_back(label);
    data.pixels.push_back(static_cast<std::uint8_t>(100 * label));
  }
  return data;
}

}  // namespace

TEST_CASE("ako-cnn has the tensors and sizes of TF.AKO's network") {
  const Model model({.name = "ako-cnn", .layers = {}}, {3, 32, 32}, 10);
  const std::vector<std::pair<std::string, std::size_t>> expected = {
      {"conv1.weight", 2400},   {"conv1.bias", 32}, {"conv2.weight", 18432},    {"conv2.bias", 64},
      {"conv3.weight", 36864},  {"conv3.bias", 64}, {"dense1.weight", 4194304}, {"dense1.bias", 1024},
      {"dense2.weight", 10240}, {"dense2.bias", 10}};
  REQUIRE(model.tensors().size() == expected.size());
  std::size_t offset = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(model.tensors()[i].name == expected[i].first);
    CHECK(model.tensors()[i].count == expected[i].second);
    CHECK(model.tensors()[i].offset == offset);
    offset += expected[i].second;
  }
  CHECK(model.parameter_count() == 4263434);
  CHECK(model.tensors()[6].rows == 4096);
  // 1024*75*32 + 256*288*64 + 256*576*64 + 4096*1024 + 1024*10
  CHECK(model.forward_multiply_adds() == 20817920);

  const Floats parameters = initial_parameters(model);
  CHECK(parameters[2400] == 0.1f);
  CHECK(parameters.back() == 0.1f);
  CHECK(*std::max_element(parameters.begin(), parameters.end()) <= 0.2f);
}

TEST_CASE("every named model but those of texts fits the images of every data set") {
  for (const NamedModel& named : named_models()) {
    INFO(std::string(named.name));
    if (gpt_of({.name = named.name, .layers = {}})) continue;
    for (const Shape shape : {Shape{1, 12, 12}, Shape{1, 28, 28}, Shape{3, 32, 32}}) {
      if (named.name == std::string("vgg19") && shape.height < 32) {  // five times halved
        CHECK_THROWS_AS(Model({.name = named.name, .layers = {}}, shape, 10), ModelError);
        continue;
      }
      const Model model({.name = named.name, .layers = {}}, shape, 10);
      CHECK(model.layers().back()->output().size() == 10);
      if (model.whole_parameter_count() > 5'000'000) continue;  // learning is the same in smaller ones
      const Floats parameters = initial_parameters(model);
      const LossAndGradient result = gradient_of(model, parameters, random_batch(shape, 2, 10, 1));
      CHECK(std::isfinite(result.loss));
      CHECK(*std::max_element(result.gradient.begin(), result.gradient.end()) < 1e8f);
    }
  }
  CHECK(Model({.name = "mlp", .layers = {}}, {1, 28, 28}, 10).parameter_count() == 784 * 32 + 32 + 320 + 10);
}

TEST_CASE("a relu after a dense or conv layer is that layer's own, elsewhere it is a layer") {
  const Model model(layers({ReluSpec{}, DenseSpec{.units = 4}, ReluSpec{}, ReluSpec{}, DenseSpec{.units = 10}}),
                    {1, 1, 3}, 10);
  std::vector<std::string> kinds;
  for (const auto& layer : model.layers()) kinds.push_back(layer->kind());
  CHECK(kinds == std::vector<std::string>{"relu", "dense", "relu", "dense"});
}

TEST_CASE("data sets keep colour planes apart and weights see the colours of a pixel together") {
  // A 1x1 convolution: output = 10 red + 100 green; two pixels, two classes.
  const Model model(layers({ConvSpec{.filters = 1, .kernel = 1}}), {2, 1, 2}, 2);
  data::Batch batch;
  batch.inputs = {0.01f, 0.02f, 0.03f, 0.04f};  // red, red, green, green
  batch.labels = {0};
  const double outputs[] = {0.1 + 3, 0.2 + 4};
  const double expected = std::log(std::exp(outputs[0]) + std::exp(outputs[1])) - outputs[0];
  CHECK(gradient_of(model, {10, 100, 0}, batch).loss == doctest::Approx(expected).epsilon(1e-6));
}

TEST_CASE("a layer that cannot follow is named by its index and what is wrong") {
  const DenseSpec out{.units = 10};
  CHECK(failing_layer({}, {1, 4, 4}, "empty") == 0);
  CHECK(failing_layer({ReluSpec{}, ConvSpec{.filters = 2, .kernel = 5, .same = false}, out}, {1, 4, 9},
                      "kernel of 5x5 does not fit into an image of 1x4x9") == 1);
  CHECK(failing_layer({MaxPoolSpec{}, MaxPoolSpec{}, MaxPoolSpec{}, out}, {1, 4, 4}, "window of 2x2") == 2);
  CHECK(failing_layer({FlattenSpec{}, MaxPoolSpec{}, out}, {1, 4, 4}, "16x1x1") == 1);
  CHECK(failing_layer({DenseSpec{.units = 9}, ReluSpec{}}, {1, 4, 4}, "gives 9 values") == 1);
  CHECK(failing_layer({FlattenSpec{}}, {10, 1, 1}, "something to learn") == 0);
  CHECK(failing_layer({DenseSpec{.units = 0}}, {1, 4, 4}, "units must be at least 1") == 0);
  CHECK(failing_layer({ConvSpec{.filters = 1, .kernel = -1}}, {1, 4, 4}, "kernel must be at least 1") == 0);
  CHECK(failing_layer({DropoutSpec{.rate = 1}, out}, {1, 4, 4}, "below 1") == 0);
}

TEST_CASE("sizes beyond 32 bits are refused before any memory is taken") {
  const DenseSpec out{.units = 10};
  const LayerSpec wide = DenseSpec{.units = 1000000};
  CHECK(failing_layer({wide, wide, out}, {1, 4, 4}, "2^31") == 1);
  CHECK(failing_layer({DenseSpec{.units = 2000000000}, out}, {1, 4, 4}, "2^31") == 0);
  CHECK(failing_layer({ConvSpec{.filters = 65536, .kernel = 1024}, out}, {3, 32, 32}, "2^31") == 0);
  CHECK(failing_layer({ConvSpec{.filters = 65536, .kernel = 1}, out}, {1, 1000, 1000}, "2^31") == 0);
  CHECK(failing_layer({ConvSpec{.filters = 1, .kernel = 100}, out}, {1, 1000, 1000}, "2^31") == 0);
  const LayerSpec large = DenseSpec{.units = 30000};
  CHECK(failing_layer({large, large, large, large, out}, {1, 4, 4}, "model's parameters") == 3);
  CHECK(failing_layer({out}, {100000, 100000, 100000}, "cannot be read") == 0);
}

TEST_CASE("an unknown name and a model without math are errors") {
  CHECK_THROWS_AS(layers_of({.name = "perceptron", .layers = {}}, 10), ModelError);
  CHECK_THROWS_AS(layers_of({.name = "none", .layers = {}}, 10), ModelError);
}

TEST_CASE("evaluation counts right answers and averages the loss over exactly the samples asked for") {
  // One input x, outputs (0, w x + b) with w = 1, b = -0.5: label 1 (x = 1) is right, label 0 (x = 0) is right; with
  // three classes the third gets -9 and is never right.
  const data::Dataset data = pixel_per_label(251, 3);
  const Model model(layers({DenseSpec{.units = 3}}), {1, 1, 1}, 3);
  const Floats parameters = {0, 1, 0, 0, -0.5f, -9};
  Workspace workspace;
  const double low = std::log(1 + std::exp(-0.5) + std::exp(-9.0));          // x = 0
  const double middle = std::log(1 + std::exp(0.5) + std::exp(-9.0)) - 0.5;  // x = 1
  const double high = std::log(1 + std::exp(1.5) + std::exp(-9.0)) + 9;      // x = 2
  for (const std::size_t samples : {1, 2, 99, 100, 101, 250, 251}) {
    const std::size_t zeros = (samples + 2) / 3, ones = (samples + 1) / 3, twos = samples / 3;
    const auto count = static_cast<double>(samples);
    const Score score = model.evaluate(parameters, data, samples, workspace);
    CHECK(score.accuracy == doctest::Approx(static_cast<double>(zeros + ones) / count).epsilon(1e-12));
    const double loss =
        low * static_cast<double>(zeros) + middle * static_cast<double>(ones) + high * static_cast<double>(twos);
    CHECK(score.loss == doctest::Approx(loss / count).epsilon(1e-6));
  }
  CHECK_THROWS_AS(model.evaluate(parameters, data, 252, workspace), InternalError);
  CHECK_THROWS_AS(model.evaluate(parameters, data, 0, workspace), InternalError);
}

TEST_CASE("evaluation uses no dropout") {
  const data::Dataset data = pixel_per_label(50, 2);
  const Model with(layers({DropoutSpec{.rate = 0.9}, DenseSpec{.units = 2}}), {1, 1, 1}, 2);
  const Model without(layers({DenseSpec{.units = 2}}), {1, 1, 1}, 2);
  const Floats parameters = {1, 2, 3, 4};
  Workspace workspace;
  CHECK(with.evaluate(parameters, data, 50, workspace).loss == without.evaluate(parameters, data, 50, workspace).loss);
}

TEST_CASE("spans of a wrong length are errors of the program") {
  const Shape shape{1, 2, 2};
  const Model model({.name = "softmax", .layers = {}}, shape, 3);
  Workspace workspace;
  Stream random(1);
  Floats parameters(15), longer(16);
  const data::Batch batch = random_batch(shape, 2, 3, 1), other = random_batch({1, 2, 3}, 2, 3, 1);
  CHECK_NOTHROW(model.gradient(parameters, batch, random, parameters, workspace));
  CHECK_THROWS_AS(model.gradient(longer, batch, random, parameters, workspace), InternalError);
  CHECK_THROWS_AS(model.gradient(parameters, batch, random, longer, workspace), InternalError);
  CHECK_THROWS_AS(model.gradient(parameters, other, random, parameters, workspace), InternalError);
  CHECK_THROWS_AS(model.initialize(longer, random), InternalError);
}

TEST_CASE("a named model but TF.AKO's starts from uniform predictions") {
  const Shape shape{1, 12, 12};
  for (const char* name : {"softmax", "mlp", "cnn"}) {
    INFO(std::string(name));
    const Model model({.name = name, .layers = {}}, shape, 10);
    const data::Batch batch = random_batch(shape, 8, 10, 1);
    CHECK(gradient_of(model, initial_parameters(model), batch).loss == doctest::Approx(std::log(10.0)).epsilon(1e-12));
  }
}

TEST_CASE("a minibatch's accuracy is the share of its samples whose first largest output is the label") {
  // One input, two classes, outputs 2x and 1 - x: class 1 below x = 1/3, class 0 from there on.
  const Model model(layers({DenseSpec{.units = 2}}), {1, 1, 1}, 2);
  const Floats parameters = {2, -1, 0, 1};
  const data::Batch batch{{-1, 0, 0.5f, 1}, {1, 0, 0, 1}};  // right, wrong, right, wrong
  Floats gradient(4);
  Stream random(1);
  Workspace workspace;
  CHECK(model.gradient(parameters, batch, random, gradient, workspace).accuracy == 0.5);
  // Equal outputs are of class 0.
  CHECK(model.gradient(Floats(4), batch, random, gradient, workspace).accuracy == 0.5);
  const data::Batch other{{-1, 0, 0.5f, 1}, {1, 1, 0, 1}};
  CHECK(model.gradient(parameters, other, random, gradient, workspace).accuracy == 0.75);
  CHECK(model.gradient(Floats(4), other, random, gradient, workspace).accuracy == 0.25);
}

}  // namespace ddl::nn
