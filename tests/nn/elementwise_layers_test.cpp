// Pooling, activations, flatten and dropout.
#include <doctest/doctest.h>

#include <numeric>

#include "core/nn/layers/dropout.hpp"
#include "core/nn/layers/elementwise.hpp"
#include "core/nn/layers/pooling.hpp"
#include "tests/nn/gradient_check.hpp"

namespace ddl::nn {
namespace {

using Floats = std::vector<float>;

// Distinct multiples of 0.1 around zero, none of them zero, in a random order.
Floats separated_values(std::size_t count) {
  Floats values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = 0.1f * (static_cast<float>(i) - static_cast<float>(count) / 2) + 0.05f;
  }
  Stream random(3);
  shuffle(std::span<float>(values), random);
  return values;
}

}  // namespace

TEST_CASE("max pooling takes the largest of each window, channel by channel") {
  const MaxPool layer({2, 2, 4}, {.size = 2});
  CHECK(layer.output() == Shape{2, 1, 2});
  Buffer kept;
  // Pixels hold two channels: the second is the first times -1.
  const Floats image = {1, -1, 5, -5, 2, -2, 3, -3, 4, -4, 0, 0, 9, -9, 8, -8};
  CHECK(run_forward(layer, 1, {}, image, kept) == Floats{5, 0, 9, -2});
}

TEST_CASE("max pooling leaves out what fills no window, and gives it no gradient") {
  const MaxPool layer({1, 3, 3}, {.size = 2});
  CHECK(layer.output() == Shape{1, 1, 1});
  Buffer kept;
  CHECK(run_forward(layer, 1, {}, {1, 2, 9, 3, 4, 9, 9, 9, 9}, kept) == Floats{4});
  check_gradients(layer, 2, {}, separated_values(18));
}

TEST_CASE("max pooling gives the gradient to the first of equal values alone") {
  const MaxPool layer({1, 2, 2}, {.size = 2});
  const Floats input = {3, 7, 7, 7}, output = {7};
  Floats gradient = {2}, result(4, -1);
  Buffer kept, scratch;
  layer.backward({1, nullptr, input.data(), output.data(), gradient.data(), result.data(), nullptr, kept, scratch});
  CHECK(result == Floats{0, 2, 0, 0});
}

TEST_CASE("max pooling's gradients agree with central differences for all sizes and channel counts") {
  check_gradients(MaxPool({3, 4, 6}, {.size = 2}), 2, {}, separated_values(144));
  check_gradients(MaxPool({8, 2, 2}, {.size = 2}), 2, {}, separated_values(64));
  check_gradients(MaxPool({19, 3, 3}, {.size = 3}), 1, {}, separated_values(171));
  check_gradients(MaxPool({2, 3, 2}, {.size = 1}), 1, {}, separated_values(12));
}

TEST_CASE("relu clears negative values and its gradients agree with central differences") {
  const Relu layer({4, 1, 1});
  Buffer kept;
  CHECK(run_forward(layer, 1, {}, {-2, 0, 3, -0.5f}, kept) == Floats{0, 0, 3, 0});
  check_gradients(layer, 5, {}, separated_values(20));
}

TEST_CASE("tanh is the hyperbolic tangent and its gradients agree with central differences") {
  const Tanh layer({3, 1, 1});
  Buffer kept;
  const Floats output = run_forward(layer, 1, {}, {-1, 0.3f, 20}, kept);
  CHECK(output[0] == doctest::Approx(-0.7615941560).epsilon(1e-6));
  CHECK(output[1] == doctest::Approx(0.2913126125).epsilon(1e-6));
  CHECK(output[2] == 1);
  check_gradients(layer, 4, {}, normal_values(12, 6));
}

TEST_CASE("flatten keeps values and gradients in order and needs no call") {
  const Flatten layer({2, 3, 1});
  CHECK(layer.output() == Shape{6, 1, 1});
  CHECK(layer.passes_through(true));
  Buffer kept;
  CHECK(run_forward(layer, 1, {}, {1, 2, 3, 4, 5, 6}, kept) == Floats{1, 2, 3, 4, 5, 6});
  check_gradients(layer, 2, {}, normal_values(12, 1));
}

TEST_CASE("dropout drops its share of values and scales the others so that the mean stays") {
  const std::size_t count = 40001;
  for (const double rate : {0.2, 0.5}) {
    const Dropout layer({static_cast<int>(count), 1, 1}, {.rate = rate});
    Buffer kept;
    const Floats output = run_forward(layer, 1, {}, Floats(count, 1.0f), kept);
    const auto dropped = static_cast<double>(std::count(output.begin(), output.end(), 0.0f));
    // Five standard deviations of a binomial share.
    CHECK(std::fabs(dropped / static_cast<double>(count) - rate) < 5 * std::sqrt(rate * (1 - rate) / count));
    CHECK(*std::max_element(output.begin(), output.end()) == doctest::Approx(1 / (1 - rate)));
    CHECK(std::accumulate(output.begin(), output.end(), 0.0) / count == doctest::Approx(1).epsilon(0.03));
  }
}

TEST_CASE("dropout repeats itself for the same stream and differs for another") {
  const Dropout layer({64, 1, 1}, {.rate = 0.5});
  const Floats input(64, 1.0f);
  const auto run = [&](std::uint64_t seed) {
    Buffer kept, scratch;
    Stream random(seed);
    Floats output(64);
    layer.forward({1, true, nullptr, input.data(), output.data(), kept, scratch, &random});
    return output;
  };
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}

TEST_CASE("dropout's gradients agree with central differences under the same draws") {
  check_gradients(Dropout({7, 1, 1}, {.rate = 0.4}), 3, {}, normal_values(21, 2));
}

TEST_CASE("dropout is off in evaluation and at rate zero") {
  const Dropout layer({3, 1, 1}, {.rate = 0.5});
  CHECK(layer.passes_through(false));
  CHECK_FALSE(layer.passes_through(true));
  CHECK(Dropout({3, 1, 1}, {.rate = 0}).passes_through(true));
  Buffer kept, scratch;
  const Floats input = {1, 2, 3};
  Floats output(3);
  layer.forward({1, false, nullptr, input.data(), output.data(), kept, scratch, nullptr});
  CHECK(output == input);
}

}  // namespace ddl::nn
