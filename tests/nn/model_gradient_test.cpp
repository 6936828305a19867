// Gradients of whole models.
#include <doctest/doctest.h>

#include <thread>

#include "tests/nn/model_samples.hpp"

namespace ddl::nn {
namespace {

using Floats = std::vector<float>;

// Along each tensor's own gradient g the loss must rise by |g| per unit of length.
void check_along_each_tensor(const Model& model, const Floats& parameters, const data::Batch& batch, double step,
                             double tolerance) {
  const LossAndGradient at = gradient_of(model, parameters, batch);
  for (const TensorInfo& tensor : model.tensors()) {
    CAPTURE(tensor.name);
    double square = 0;
    for (std::size_t i = tensor.offset; i < tensor.offset + tensor.count; ++i) {
      square += static_cast<double>(at.gradient[i]) * at.gradient[i];
    }
    const double length = std::sqrt(square);
    REQUIRE(length > 1e-4);
    const auto loss_at = [&](double distance) {
      Floats moved = parameters;
      for (std::size_t i = tensor.offset; i < tensor.offset + tensor.count; ++i) {
        moved[i] += static_cast<float>(distance / length * at.gradient[i]);
      }
      return gradient_of(model, moved, batch).loss;
    };
    const double slope = (loss_at(step) - loss_at(-step)) / (2 * step);
    CHECK(slope == doctest::Approx(length).epsilon(tolerance));
  }
}

}  // namespace

TEST_CASE("every coordinate of a smooth model's gradient agrees with central differences") {
  const Shape shape{2, 5, 5};
  const Model model(layers({ConvSpec{.filters = 3, .kernel = 3}, TanhSpec{}, DropoutSpec{.rate = 0.25},
                            ConvSpec{.filters = 2, .kernel = 2, .same = false}, TanhSpec{}, FlattenSpec{},
                            DenseSpec{.units = 5}, TanhSpec{}, DenseSpec{.units = 4}}),
                    shape, 4);
  const data::Batch batch = random_batch(shape, 3, 4, 7);
  Floats parameters = moved_parameters(model);
  const LossAndGradient at = gradient_of(model, parameters, batch);
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float kept = parameters[i], step = 1.0f / 128;
    parameters[i] = kept + step;
    const double high = gradient_of(model, parameters, batch).loss;
    const float above = parameters[i];
    parameters[i] = kept - step;
    const double low = gradient_of(model, parameters, batch).loss;
    const double slope = (high - low) / (static_cast<double>(above) - parameters[i]);
    parameters[i] = kept;
    worst = std::max(worst, std::fabs(slope - at.gradient[i]));
    largest = std::max(largest, std::fabs(slope));
  }
  CHECK(largest > 0.1);
  CHECK(worst < 1e-3 * largest);
}

TEST_CASE("the named models' gradients agree with the slope of the loss along each tensor") {
  for (const char* name : {"softmax", "mlp", "cnn"}) {
    INFO(std::string(name));
    const Shape shape{1, 12, 12};
    const Model model({.name = name, .layers = {}}, shape, 10);
    check_along_each_tensor(model, moved_parameters(model), random_batch(shape, 16, 10, 3), 3e-3, 0.02);
  }
  // ako-cnn on a small image, so that its large layer stays small.
  const Shape shape{3, 8, 8};
  const Model model({.name = "ako-cnn", .layers = {}}, shape, 10);
  check_along_each_tensor(model, moved_parameters(model), random_batch(shape, 8, 10, 3), 1e-3, 0.02);
}

TEST_CASE("the gradient of a batch is the mean of the gradients of its samples") {
  const Shape shape{1, 12, 12};
  const Model model({.name = "cnn", .layers = {}}, shape, 10);
  const Floats parameters = moved_parameters(model);
  const data::Batch both = random_batch(shape, 2, 10, 5);
  const std::size_t size = shape.size();
  data::Batch first, second;
  first.inputs.assign(both.inputs.begin(), both.inputs.begin() + static_cast<std::ptrdiff_t>(size));
  first.labels = {both.labels[0]};
  second.inputs.assign(both.inputs.begin() + static_cast<std::ptrdiff_t>(size), both.inputs.end());
  second.labels = {both.labels[1]};
  const LossAndGradient whole = gradient_of(model, parameters, both);
  const LossAndGradient one = gradient_of(model, parameters, first), other = gradient_of(model, parameters, second);
  CHECK(whole.loss == doctest::Approx((one.loss + other.loss) / 2).epsilon(1e-6));
  double worst = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    worst = std::max(worst, std::fabs(whole.gradient[i] - (double{one.gradient[i]} + other.gradient[i]) / 2));
  }
  CHECK(worst < 1e-5);
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

TEST_CASE("layers before the first that learns change the values but need no gradient") {
  const Shape shape{1, 4, 4};
  const Model pooled(layers({MaxPoolSpec{.size = 2}, TanhSpec{}, DenseSpec{.units = 3}}), shape, 3);
  check_along_each_tensor(pooled, moved_parameters(pooled), random_batch(shape, 8, 3, 2), 1e-2, 0.01);
}

}  // namespace ddl::nn
