// Gradients of whole models.
#include <doctest/doctest.h>

#include <thread>

#include "tests/nn/model_samples.hpp"

namespace ddl::nn {
namespace {

using Floats = std::vector<float>;

void check_along_each_tensor(const std::string& what, const ModelSpec& spec, Shape input, int classes,
                             std::size_t samples, double step, double tolerance) {
  CAPTURE(what);
  const Model model(spec, input, classes);
  check_along_each_tensor(model, moved_parameters(model), random_batch(input, samples, classes, 3), step, tolerance);
}

}  // namespace

TEST_CASE("the gradients of models agree with the slope of the loss along each tensor") {
  const auto named = [](const char* name) { return ModelSpec{.name = name, .layers = {}}; };
  check_along_each_tensor("softmax", named("softmax"), {1, 12, 12}, 10, 16, 3e-3, 0.02);
  check_along_each_tensor("mlp", named("mlp"), {1, 12, 12}, 10, 16, 3e-3, 0.02);
  check_along_each_tensor("cnn", named("cnn"), {1, 12, 12}, 10, 16, 3e-3, 0.02);
  check_along_each_tensor("ako-cnn, on a small image, so that its large layer stays small", named("ako-cnn"), {3, 8, 8},
                          10, 8, 1e-3, 0.02);
  check_along_each_tensor("a smooth model",
                          layers({ConvSpec{.filters = 3, .kernel = 3}, TanhSpec{}, DropoutSpec{.rate = 0.25},
                                  ConvSpec{.filters = 2, .kernel = 2, .same = false}, TanhSpec{}, FlattenSpec{},
                                  DenseSpec{.units = 5}, TanhSpec{}, DenseSpec{.units = 4}}),
                          {2, 5, 5}, 4, 3, 1e-2, 1e-3);
  check_along_each_tensor("layers before the first that learns need no gradient",
                          layers({MaxPoolSpec{.size = 2}, TanhSpec{}, DenseSpec{.units = 3}}), {1, 4, 4}, 3, 8, 1e-2,
                          0.01);
}

TEST_CASE("the gradient of a batch is the mean of the gradients of its samples") {
  const Shape shape{1, 12, 12};
  const Model model({.name = "cnn", .layers = {}}, shape, 10);
  const Floats parameters = moved_parameters(model);
  const data::Batch both = random_batch(shape, 2, 10, 5);
  const auto middle = both.inputs.begin() + static_cast<std::ptrdiff_t>(shape.size());
  const data::Batch first{{both.inputs.begin(), middle}, {both.labels[0]}},
      second{{middle, both.inputs.end()}, {both.labels[1]}};
  const LossAndGradient whole = gradient_of(model, parameters, both);
  const LossAndGradient one = gradient_of(model, parameters, first), other = gradient_of(model, parameters, second);
  CHECK(whole.loss == doctest::Approx((one.loss + other.loss) / 2).epsilon(1e-6));
  Floats mean = one.gradient;
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = (mean[i] + other.gradient[i]) / 2;
  CHECK(largest_difference(whole.gradient, mean) < 1e-5);
}

TEST_CASE("two threads with their own workspaces and a used workspace give the same bits") {
  const Shape shape{3, 16, 16};
  const Model model({.name = "cnn", .layers = {}}, shape, 10), other({.name = "mlp", .layers = {}}, shape, 10);
  const Floats parameters = moved_parameters(model);
  const data::Batch batch = random_batch(shape, 33, 10, 5);
  const LossAndGradient expected = gradient_of(model, parameters, batch);
  std::vector<std::vector<LossAndGradient>> found(2);
  std::vector<std::thread> threads;
  for (auto& results : found) {
    threads.emplace_back([&] {
      const auto workspace = make_workspace();
      for (int i = 0; i < 5; ++i) {
        Stream random(1);
        results.emplace_back().gradient.resize(parameters.size());
        results.back().loss = model.gradient(parameters, batch, random, results.back().gradient, *workspace).loss;
        Floats unused(other.parameter_count());
        other.gradient(initial_parameters(other), random_batch(shape, 7, 10, 9), random, unused, *workspace);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& results : found) {
    for (const LossAndGradient& result : results) {
      CHECK(result.loss == expected.loss);
      CHECK(result.gradient == expected.gradient);
    }
  }
}

TEST_CASE("a model's dropout follows its stream") {
  const Shape shape{1, 4, 4};
  const Model model(layers({DenseSpec{.units = 64}, ReluSpec{}, DropoutSpec{}, DenseSpec{.units = 3}}), shape, 3);
  const Floats parameters = moved_parameters(model);
  const data::Batch batch = random_batch(shape, 8, 3, 2);
  CHECK(gradient_of(model, parameters, batch, 1).gradient == gradient_of(model, parameters, batch, 1).gradient);
  CHECK(gradient_of(model, parameters, batch, 1).loss != gradient_of(model, parameters, batch, 2).loss);
}

}  // namespace ddl::nn
