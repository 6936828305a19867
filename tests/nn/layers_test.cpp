// Layers one by one: values by hand, gradients by differences, convolutions by their definition.
#include <doctest/doctest.h>

#include <numeric>
#include <optional>

#include "core/nn/layers/batch_norm.hpp"
#include "core/nn/layers/conv/conv2d.hpp"
#include "core/nn/layers/dense.hpp"
#include "core/nn/layers/dropout.hpp"
#include "core/nn/layers/elementwise.hpp"
#include "core/nn/layers/pooling.hpp"
#include "tests/nn/gradient_check.hpp"

namespace ddl::nn::layers_test {
namespace {

using Floats = std::vector<float>;

// The definition, term by term: weights are kernel x kernel x channels x filters, images pixel after pixel.
Floats convolve(Shape in, const ConvSpec& spec, int batch, const Floats& w, const Floats& x) {
  const int k = spec.kernel, pad = spec.same ? (k - 1) / 2 : 0, cut = spec.same ? 0 : k - 1;
  const int height = (in.height - cut - 1) / spec.stride + 1, width = (in.width - cut - 1) / spec.stride + 1;
  Floats y;
  for (int n = 0; n < batch; ++n) {
    for (int oy = 0; oy < height; ++oy) {
      for (int ox = 0; ox < width; ++ox) {
        for (int f = 0; f < spec.filters; ++f) {
          double sum = spec.bias ? w[static_cast<std::size_t>(k * k * in.channels * spec.filters + f)] : 0;
          for (int ky = 0; ky < k; ++ky) {
            for (int kx = 0; kx < k; ++kx) {
              const int iy = oy * spec.stride + ky - pad, ix = ox * spec.stride + kx - pad;
              if (iy < 0 || ix < 0 || iy >= in.height || ix >= in.width) continue;
              for (int c = 0; c < in.channels; ++c) {
                const int weight = ((ky * k + kx) * in.channels + c) * spec.filters + f;
                const int pixel = ((n * in.height + iy) * in.width + ix) * in.channels + c;
                sum += static_cast<double>(w[static_cast<std::size_t>(weight)]) * x[static_cast<std::size_t>(pixel)];
              }
            }
          }
          y.push_back(static_cast<float>(sum));
        }
      }
    }
  }
  return y;
}

double product(const Floats& a, const Floats& b) {
  REQUIRE(a.size() == b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

// True if <a, b> is `expected`, relative to its size for unrelated vectors of their lengths.
bool agree(const Floats& a, const Floats& b, double expected) {
  const double unrelated = std::sqrt(product(a, a) * product(b, b) / static_cast<double>(a.size()));
  return std::fabs(product(a, b) - expected) < 1e-5 * unrelated;
}

// Checks the output for the batch x; missing parameters are zero.
void gives(const std::string& what, const std::vector<LayerSpec>& specs, Shape input, Floats parameters,
           const Floats& x, const Floats& y) {
  CAPTURE(what);
  const auto layer = layer_of(specs, input);
  parameters.resize(layer->parameter_count());
  const int batch = static_cast<int>(x.size() / input.size());
  CHECK(largest_difference(run_forward(*layer, batch, parameters, x), y) < 1e-6);
}

}  // namespace

TEST_CASE("layers give what is computed by hand") {
  gives("x W + b, of two samples", {DenseSpec{.units = 2}}, {3, 1, 1}, {1, 2, 3, 4, 5, 6, 10, 20}, {1, 0, 2, 0, 1, 0},
        {21, 34, 13, 24});
  gives("relu within a dense layer", {DenseSpec{.units = 2}, ReluSpec{}}, {1, 1, 1}, {1, -1, 0, 0}, {3}, {3, 0});
  // Every 3 x 3 window covers both rows; columns {1,2}, {1,2,3}, {2,3}.
  gives("a filter of ones sums each window, with zeros around the image", {ConvSpec{.filters = 1}}, {1, 2, 3},
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 0.5f}, {1, 2, 3, 4, 5, 6}, {12.5f, 21.5f, 16.5f, 12.5f, 21.5f, 16.5f});
  gives("a valid convolution takes whole windows only", {ConvSpec{.filters = 1, .kernel = 2, .same = false}}, {1, 2, 3},
        {1, 0, 0, 10, 0}, {1, 2, 3, 4, 5, 6}, {51, 62});
  gives("the largest of each window, channel by channel", {MaxPoolSpec{.size = 2}}, {2, 2, 4}, {},
        {1, -1, 5, -5, 2, -2, 3, -3, 4, -4, 0, 0, 9, -9, 8, -8}, {5, 0, 9, -2});
  gives("pooling leaves out what fills no window", {MaxPoolSpec{.size = 2}}, {1, 3, 3}, {}, {1, 2, 9, 3, 4, 9, 9, 9, 9},
        {4});
  gives("relu", {ReluSpec{}}, {4, 1, 1}, {}, {-2, 0, 3, -0.5f}, {0, 0, 3, 0});
  gives("tanh", {TanhSpec{}}, {3, 1, 1}, {}, {-1, 0.3f, 20}, {-0.7615941560f, 0.2913126125f, 1});
  gives("flatten", {FlattenSpec{}}, {2, 3, 1}, {}, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6});
  gives("the mean of each channel", {GlobalAveragePoolSpec{}}, {2, 1, 3}, {}, {1, 10, 2, 20, 6, 60}, {3, 30});
  gives("a residual block without weights rectifies", {ResidualSpec{.filters = 2}}, {2, 2, 2}, {},
        {1, -1, 2, -2, 3, -3, 4, -4}, {1, 0, 2, 0, 3, 0, 4, 0});
  gives("a padded shortcut takes every second pixel and gives new channels nothing",
        {ResidualSpec{.filters = 2, .stride = 2, .shortcut = Shortcut::pad}}, {1, 3, 3}, {},
        {1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 0, 3, 0, 7, 0, 9, 0});
}

TEST_CASE("every layer's gradients agree with central differences") {
  struct Row {
    std::vector<LayerSpec> layer;
    Shape input;
    int batch;
    float step = 1.0f / 64;
    double tolerance = 1e-3;
  };
  const Shape image{2, 4, 5}, values{9, 1, 1}, masked{4, 3, 4}, photo{4, 4, 4};
  const float short_step = 1.0f / 256;  // for strongly curved functions
  const Row rows[] = {
      {{DenseSpec{.units = 4}}, {5, 1, 1}, 3},
      {{DenseSpec{.units = 4, .bias = false}}, {5, 1, 1}, 3},
      {{DenseSpec{.units = 4}, ReluSpec{}}, {5, 1, 1}, 3},
      {{DenseSpec{.units = 8, .mask = Mask::bibd, .bias = false}}, values, 2},
      {{DenseSpec{.units = 8, .mask = Mask::bibd_field, .bias = false}}, values, 2},
      {{DenseSpec{.units = 8, .mask = Mask::random}}, values, 2},
      {{ConvSpec{.filters = 2, .kernel = 3}}, image, 2},
      {{ConvSpec{.filters = 2, .kernel = 3}, ReluSpec{}}, {2, 3, 3}, 1, short_step},
      {{ConvSpec{.filters = 3, .kernel = 2}}, image, 2},
      {{ConvSpec{.filters = 2, .kernel = 3, .same = false}}, image, 2},
      {{ConvSpec{.filters = 3, .kernel = 3, .bias = false, .stride = 2}}, image, 2},
      {{ConvSpec{.filters = 2, .kernel = 1, .stride = 2}}, image, 2},
      {{ConvSpec{.filters = 2, .kernel = 2, .same = false, .stride = 3}}, image, 2},
      {{ConvSpec{.filters = 3, .mask = Mask::bibd}}, masked, 2},
      {{ConvSpec{.filters = 3, .mask = Mask::bibd_field}}, masked, 2},
      {{ConvSpec{.filters = 3, .mask = Mask::random}}, masked, 2},
      {{ConvSpec{.filters = 6, .bias = false, .groups = 2}}, {4, 5, 3}, 2},
      {{ConvSpec{.filters = 6, .mask = Mask::bibd, .bias = false, .groups = 2}}, {4, 3, 3}, 2},
      {{MaxPoolSpec{.size = 2}}, {3, 4, 6}, 2},
      {{MaxPoolSpec{.size = 2}}, {1, 3, 3}, 2},
      {{MaxPoolSpec{.size = 2}}, {8, 2, 2}, 2},
      {{MaxPoolSpec{.size = 3}}, {19, 3, 3}, 1},
      {{MaxPoolSpec{.size = 1}}, {2, 3, 2}, 1},
      {{ReluSpec{}}, {4, 1, 1}, 5},
      {{TanhSpec{}}, {3, 1, 1}, 4},
      {{FlattenSpec{}}, {2, 3, 1}, 2},
      {{DropoutSpec{.rate = 0.4}}, {7, 1, 1}, 3},
      {{BatchNormSpec{}}, {3, 2, 3}, 3, short_step},
      {{GlobalAveragePoolSpec{}}, {2, 1, 3}, 2},
      {{ResidualSpec{.filters = 4}}, photo, 3, short_step, 1e-2},
      {{ResidualSpec{.filters = 6, .stride = 2}}, photo, 3, short_step, 1e-2},
      {{ResidualSpec{.filters = 6, .stride = 2, .shortcut = Shortcut::pad}}, photo, 3, short_step, 1e-2},
      {{ResidualSpec{.filters = 4, .stride = 2, .bottleneck = true, .mask = Mask::bibd}}, photo, 3, short_step, 1e-2},
      {{ResidualSpec{.filters = 8, .mask = Mask::random, .groups = 2}}, photo, 3, short_step, 1e-2},
  };
  for (const Row& row : rows) {
    CAPTURE(&row - rows);
    check_gradients(*layer_of(row.layer, row.input), row.batch, row.step, row.tolerance);
  }
}

TEST_CASE("convolutions and their gradients agree with their definition, whichever way they are computed") {
  struct Row {
    Shape input;
    ConvSpec spec;
    int batch;
    double scale = 1;  // scale of the weights
  };
  // Odd shapes, kernels and strides; several pieces of several images; wide ones of 3 x 3 by transforms, with tiles
  // that are filled and cut off, several groups of images, one large image.
  const Row rows[] = {{{1, 5, 7}, {.filters = 3, .kernel = 1}, 2},
                      {{3, 5, 4}, {.filters = 2, .kernel = 3}, 3},
                      {{2, 6, 5}, {.filters = 5, .kernel = 4}, 2},
                      {{3, 7, 6}, {.filters = 4, .kernel = 5, .same = false}, 2},
                      {{2, 3, 2}, {.filters = 2, .kernel = 5}, 2},
                      {{3, 7, 6}, {.filters = 4, .stride = 2}, 2},
                      {{32, 9, 8}, {.filters = 40, .bias = false, .stride = 2}, 2},
                      {{4, 7, 5}, {.filters = 2, .kernel = 1, .stride = 3}, 3},
                      {{2, 8, 9}, {.filters = 3, .kernel = 4, .same = false, .bias = false, .stride = 2}, 2},
                      {{2, 20, 20}, {.filters = 3, .kernel = 5}, 19},
                      {{32, 8, 8}, {.filters = 32}, 2, 0.1},
                      {{40, 6, 5}, {.filters = 32}, 35, 0.1},
                      {{32, 7, 9}, {.filters = 40, .same = false}, 20, 0.1},
                      {{32, 37, 33}, {.filters = 32}, 1, 0.1}};
  for (const Row& row : rows) {
    CAPTURE(&row - rows);
    const Conv2d layer(row.input, row.spec, false);
    Floats w = normal_values(layer.parameter_count(), 3, row.scale);
    const Floats x = normal_values(static_cast<std::size_t>(row.batch) * row.input.size(), 5),
                 other_w = normal_values(w.size(), 4), other_x = normal_values(x.size(), 6);
    const Floats g = normal_values(static_cast<std::size_t>(row.batch) * layer.output().size(), 7);
    const Passes found = passes_of(layer, row.batch, w, x, g);
    CHECK(largest_difference(found.output, convolve(row.input, row.spec, row.batch, w, x)) < 1e-4);
    // The loss <g, y> is linear in inputs and in weights, so its gradients' products with any others are its values.
    if (row.spec.bias) std::fill(w.end() - row.spec.filters, w.end(), 0.0f);
    CHECK(agree(found.parameter_gradient, other_w, product(g, convolve(row.input, row.spec, row.batch, other_w, x))));
    CHECK(agree(found.input_gradient, other_x, product(g, convolve(row.input, row.spec, row.batch, w, other_x))));
  }
}

TEST_CASE("max pooling gives the gradient to the first of equal values alone") {
  const MaxPool layer({1, 2, 2}, {.size = 2});
  const Floats input = {3, 7, 7, 7}, output = {7};
  Floats gradient = {2}, result(4, -1);
  Buffer kept, scratch;
  layer.backward({1, nullptr, input.data(), output.data(), gradient.data(), result.data(), nullptr, kept, scratch});
  CHECK(result == Floats{0, 2, 0, 0});
}

TEST_CASE("initial weights have the deviation their scheme says, and a bias to match") {
  struct Row {
    Init init;
    double deviation;
    float largest;
    std::optional<float> bias;  // none: drawn as weights are
  };
  // A normal cut at two deviations keeps 0.8796 of its deviation; a uniform one of 1 / 20 either way has that over the
  // root of 3.
  for (const Row& row : {Row{Init::he, std::sqrt(2.0 / 400), 1, 0},
                         {Init::truncated_normal, 0.08796, 0.2f, 0.1f},
                         {Init::uniform, 0.05 / std::sqrt(3.0), 0.05f, std::nullopt},
                         {Init::zero, 0, 0, 0}}) {
    CAPTURE(static_cast<int>(row.init));
    Floats weights(400 * 50 + 50);
    Stream random(11);
    Dense({400, 1, 1}, {.units = 50, .init = row.init}, false).initialize(weights, random);
    const Floats biases(weights.end() - 50, weights.end());
    weights.resize(400 * 50);
    CHECK(std::sqrt(product(weights, weights) / 20000) == doctest::Approx(row.deviation).epsilon(0.001));
    CHECK(std::ranges::max(weights) <= row.largest);
    if (row.bias) CHECK(biases == Floats(50, *row.bias));
    if (!row.bias) CHECK((std::ranges::min(biases) < -0.02f && std::ranges::max(biases) <= row.largest));
  }
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

TEST_CASE("layers that change nothing need no call: flatten, and dropout in evaluation and at rate zero") {
  CHECK(Flatten({2, 3, 1}).passes_through(true));
  CHECK(Flatten({2, 3, 1}).output() == Shape{6, 1, 1});
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

TEST_CASE("a grouped convolution is the whole one whose weights between groups are zero") {
  const Shape input{4, 5, 3};
  const auto grouped = layer_of({ConvSpec{.filters = 6, .bias = false, .groups = 2}}, input);
  const Conv2d whole(input, {.filters = 6, .bias = false}, false);
  CHECK(grouped->input() == input);
  CHECK(grouped->output() == whole.output());
  CHECK(grouped->parameter_count() * 2 == whole.parameter_count());
  CHECK(grouped->multiply_adds() * 2 == whole.multiply_adds());
  const Floats w = normal_values(grouped->parameter_count(), 1), x = normal_values(2 * input.size(), 2);
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
  CHECK(largest_difference(run_forward(*grouped, 2, w, x), run_forward(whole, 2, spread, x)) < 1e-4);
}

TEST_CASE("a masked grouped convolution has its filters' rows of the mask, cut to the first channels") {
  // Order 2 for four channels: rows {0,1} {2,3} {0,2} {1,3} {0,3} {1,2}; of two channels {0,1} {} {0} {1} {0} {1}.
  const auto layer = layer_of({ConvSpec{.filters = 6, .mask = Mask::bibd, .bias = false, .groups = 2}}, {4, 3, 3});
  CHECK(layer->parameter_count() == 6 * 9);
  CHECK(layer->whole_parameter_count() == 2 * 2 * 3 * 9);
  std::vector<std::size_t> counts;
  for (const LayerTensor& tensor : layer->tensors()) counts.push_back(tensor.count);
  CHECK(counts == std::vector<std::size_t>{3 * 9, 3 * 9});
}

}  // namespace ddl::nn::layers_test
