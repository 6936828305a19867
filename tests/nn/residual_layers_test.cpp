// Layers of residual networks: batch normalisation, means over images, groups, chains and blocks.
#include <doctest/doctest.h>

#include "core/nn/build.hpp"
#include "core/nn/layers/batch_norm.hpp"
#include "core/nn/layers/chain.hpp"
#include "core/nn/layers/conv/conv2d.hpp"
#include "core/nn/layers/dense.hpp"
#include "core/nn/layers/elementwise.hpp"
#include "core/nn/layers/grouped.hpp"
#include "core/nn/layers/pooling.hpp"
#include "core/nn/layers/residual.hpp"
#include "tests/nn/gradient_check.hpp"
#include "tests/nn/model_samples.hpp"

namespace ddl::nn {
namespace {

using Floats = std::vector<float>;

std::unique_ptr<Layer> conv(Shape input, const ConvSpec& spec) { return std::make_unique<Conv2d>(input, spec, false); }

// conv, tanh, conv: smooth.
std::unique_ptr<Layer> smooth_chain(Shape input, int filters) {
  std::vector<std::unique_ptr<Layer>> layers;
  layers.push_back(conv(input, {.filters = 3}));
  layers.push_back(std::make_unique<Tanh>(layers.back()->output()));
  layers.push_back(conv(layers.back()->output(), {.filters = filters}));
  return std::make_unique<Chain>(std::move(layers));
}

// Inputs with which no output is near the kink of the block's relu, and some are on either side.
void check_block(const Layer& block, int batch) {
  for (std::uint64_t seed = 1; seed < 3000; ++seed) {
    const Floats x = normal_values(static_cast<std::size_t>(batch) * block.input().size(), seed);
    const Floats w = normal_values(block.parameter_count(), seed + 10000, 0.7);
    bool clear = true;
    for (const float shift : {-0.03f, 0.0f, 0.03f}) {
      Floats moved = x;
      for (float& value : moved) value += shift;
      Buffer kept;
      const Floats y = run_forward(block, batch, w, moved, kept);
      clear = clear && std::ranges::none_of(y, [](float v) { return v > 0 && v < 0.02f; }) &&
              std::ranges::count(y, 0.0f) > 0 && std::ranges::count(y, 0.0f) < static_cast<std::ptrdiff_t>(y.size());
    }
    if (!clear) continue;
    check_gradients(block, batch, w, x, 1.0f / 512, 2e-3);
    return;
  }
  FAIL("no inputs away from the kink");
}

// The named or listed layers' only one, as a model has it.
std::unique_ptr<Layer> block_of(const ResidualSpec& spec, Shape input) {
  const LayerSpec layers[] = {spec, GlobalAveragePoolSpec{}, DenseSpec{.units = 2}};
  return std::move(build_layers(layers, input, 2, MathMode::portable).front());
}

}  // namespace

TEST_CASE("batch normalisation gives each channel of a batch mean shift and deviation scale") {
  const BatchNorm layer({3, 4, 5});
  Floats x = normal_values(6 * 60, 1, 3);
  for (float& value : x) value += 7;
  Buffer kept;
  const Floats scale_shift{1, 2, 3, -1, 0, 10}, y = run_forward(layer, 6, scale_shift, x, kept);
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0, squares = 0;
    for (std::size_t i = c; i < y.size(); i += 3) sum += y[i];
    const double mean = sum / 120;
    for (std::size_t i = c; i < y.size(); i += 3) squares += (y[i] - mean) * (y[i] - mean);
    CHECK(mean == doctest::Approx(scale_shift[3 + c]).epsilon(1e-4));
    CHECK(std::sqrt(squares / 120) == doctest::Approx(scale_shift[c]).epsilon(1e-4));
  }
}

TEST_CASE("batch normalisation's gradients agree with central differences") {
  check_gradients(BatchNorm({3, 2, 3}), 3, normal_values(6, 1), normal_values(54, 2), 1.0f / 128);
}

TEST_CASE("an evaluation normalises by the mean of the statistics it was given, whatever its own batch") {
  const BatchNorm layer({1, 1, 1});
  const Floats parameters{2, 1};
  Buffer kept, scratch;
  const auto run = [&](Floats x, std::optional<int> estimate) {
    Floats y(x.size());
    layer.forward({.batch = static_cast<int>(x.size()),
                   .parameters = parameters.data(),
                   .input = x.data(),
                   .output = y.data(),
                   .kept = kept,
                   .scratch = scratch,
                   .estimate = estimate});
    return y;
  };
  run({100, 300}, 0);  // forgotten when the estimate begins again
  run({1, 3}, 0);      // mean 2, variance 1
  run({1, 7}, 1);      // mean 4, variance 9
  const Floats y = run({3, 8}, std::nullopt);
  CHECK(y[0] == doctest::Approx(1));
  CHECK(y[1] == doctest::Approx(1 + 2 * 5 / std::sqrt(5.0)));
}

TEST_CASE("the global mean of each channel, and its gradients") {
  const GlobalAveragePool layer({2, 1, 3});
  Buffer kept;
  CHECK(run_forward(layer, 1, {}, {1, 10, 2, 20, 6, 60}, kept) == Floats{3, 30});
  check_gradients(layer, 2, {}, normal_values(12, 1));
}

TEST_CASE("a grouped convolution is the whole one whose weights between groups are zero") {
  const Shape input{4, 5, 3};
  std::vector<std::unique_ptr<Layer>> groups;
  for (int g = 0; g < 2; ++g) groups.push_back(conv({2, 5, 3}, {.filters = 3, .bias = false}));
  const Grouped grouped(std::move(groups));
  const Conv2d whole(input, {.filters = 6, .bias = false}, false);
  CHECK(grouped.input() == input);
  CHECK(grouped.output() == whole.output());
  CHECK(grouped.parameter_count() * 2 == whole.parameter_count());
  CHECK(grouped.multiply_adds() * 2 == whole.multiply_adds());
  const Floats w = normal_values(grouped.parameter_count(), 1), x = normal_values(2 * input.size(), 2);
  Floats spread(whole.parameter_count(), 0.0f);
  for (std::size_t g = 0; g < 2; ++g) {
    for (std::size_t place = 0; place < 9; ++place) {
      for (std::size_t c = 0; c < 2; ++c) {
        for (std::size_t f = 0; f < 3; ++f) {
          spread[(place * 4 + g * 2 + c) * 6 + g * 3 + f] = w[g * 54 + (place * 2 + c) * 3 + f];
        }
      }
    }
  }
  Buffer kept, whole_kept;
  const Floats one = run_forward(grouped, 2, w, x, kept), other = run_forward(whole, 2, spread, x, whole_kept);
  for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i] == doctest::Approx(other[i]).epsilon(1e-5));
  check_gradients(grouped, 2, w, x);
}

TEST_CASE("a masked grouped convolution has its filters' rows of the mask, cut to the first channels") {
  // Order 2 for four channels: rows {0,1} {2,3} {0,2} {1,3} {0,3} {1,2}; of two channels {0,1} {} {0} {1} {0} {1}.
  const LayerSpec specs[] = {ConvSpec{.filters = 6, .mask = Mask::bibd, .bias = false, .groups = 2},
                             GlobalAveragePoolSpec{}};
  const auto layers = build_layers(specs, {4, 3, 3}, 6, MathMode::portable);
  CHECK(layers[0]->parameter_count() == 6 * 9);
  CHECK(layers[0]->whole_parameter_count() == 2 * 2 * 3 * 9);
  std::vector<std::size_t> counts;
  for (const LayerTensor& tensor : layers[0]->tensors()) counts.push_back(tensor.count);
  CHECK(counts == std::vector<std::size_t>{3 * 9, 3 * 9});
  check_gradients(*layers[0], 2, normal_values(54, 1), normal_values(72, 2));
}

TEST_CASE("a padded shortcut takes every second pixel and gives new channels nothing") {
  const PickChannels layer({1, 3, 3}, 2, 2);
  CHECK(layer.output() == Shape{2, 2, 2});
  Buffer kept;
  CHECK(run_forward(layer, 1, {}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, kept) == Floats{1, 0, 3, 0, 7, 0, 9, 0});
  check_gradients(layer, 2, {}, normal_values(18, 1));
}

TEST_CASE("a residual block without weights rectifies its input, and its gradients agree with central differences") {
  const Shape shape{2, 2, 2};
  const Residual plain(smooth_chain(shape, 2), nullptr);
  Buffer kept;
  const Floats x{1, -1, 2, -2, 3, -3, 4, -4};
  CHECK(run_forward(plain, 1, Floats(plain.parameter_count(), 0.0f), x, kept) == Floats{1, 0, 2, 0, 3, 0, 4, 0});
  check_block(plain, 1);
  check_block(Residual(smooth_chain(shape, 3), conv(shape, {.filters = 3, .kernel = 1})), 1);
  check_block(Residual(smooth_chain(shape, 4), std::make_unique<PickChannels>(shape, 4, 1)), 1);
}

TEST_CASE("blocks as named networks have them have gradients that agree with central differences") {
  const Shape shape{4, 4, 4};
  for (const ResidualSpec& spec : {ResidualSpec{.filters = 4}, ResidualSpec{.filters = 6, .stride = 2},
                                   ResidualSpec{.filters = 6, .stride = 2, .shortcut = Shortcut::pad},
                                   ResidualSpec{.filters = 4, .stride = 2, .bottleneck = true, .mask = Mask::bibd},
                                   ResidualSpec{.filters = 8, .mask = Mask::random, .groups = 2}}) {
    const auto block = block_of(spec, shape);
    // Shifted so far that no relu is near its kink: they have tests of their own.
    Floats w = normal_values(block->parameter_count(), 3);
    std::size_t offset = 0;
    for (const LayerTensor& tensor : block->tensors()) {
      if (tensor.name.ends_with("shift"))
        std::fill_n(w.begin() + static_cast<std::ptrdiff_t>(offset), tensor.count, 12.0f);
      offset += tensor.count;
    }
    check_gradients(*block, 3, w, normal_values(3 * shape.size(), 4), 1.0f / 256, 1e-2);
  }
}

}  // namespace ddl::nn
