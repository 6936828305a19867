// Dense and convolutional layers.
#include <doctest/doctest.h>

#include "core/nn/layers/conv/conv2d.hpp"
#include "core/nn/layers/dense.hpp"
#include "tests/nn/gradient_check.hpp"

namespace ddl::nn {
namespace {

using Floats = std::vector<float>;

// Inputs that keep every value in front of the ReLU away from its kink, found by trying seeds.
template <class AffineLayer, class Spec>
void check_with_relu(Shape input, const Spec& spec, int batch) {
  const AffineLayer plain(input, spec, false), rectified(input, spec, true);
  for (std::uint64_t seed = 1; seed < 3000; ++seed) {
    const Floats x = normal_values(static_cast<std::size_t>(batch) * input.size(), seed);
    const Floats w = normal_values(plain.parameter_count(), seed + 10000, 0.7);
    Buffer kept;
    const Floats y = run_forward(plain, batch, w, x, kept);
    const auto near = std::find_if(y.begin(), y.end(), [](float value) { return std::fabs(value) < 0.04f; });
    if (near != y.end() || std::none_of(y.begin(), y.end(), [](float value) { return value < 0; })) continue;
    check_gradients(rectified, batch, w, x, 1.0f / 128);
    return;
  }
  FAIL("no inputs away from the kink");
}

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

double largest_difference(const Floats& a, const Floats& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(double{a[i]} - b[i]));
  return largest;
}

double product(const Floats& a, const Floats& b) {
  REQUIRE(a.size() == b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

// Whether <a, b> is `expected`, compared with what it would be for unrelated vectors of their lengths.
bool agree(const Floats& a, const Floats& b, double expected) {
  const double unrelated = std::sqrt(product(a, a) * product(b, b) / static_cast<double>(a.size()));
  return std::fabs(product(a, b) - expected) < 1e-5 * unrelated;
}

}  // namespace

TEST_CASE("a dense layer computes x W + b") {
  const Dense layer({3, 1, 1}, {.units = 2}, false);
  Buffer kept;
  // W = [1 2; 3 4; 5 6], b = [10 20]; [1 0 2] W = [11 14], [0 1 0] W = [3 4].
  CHECK(run_forward(layer, 2, {1, 2, 3, 4, 5, 6, 10, 20}, {1, 0, 2, 0, 1, 0}, kept) == Floats{21, 34, 13, 24});
}

TEST_CASE("a dense layer with relu clears negative results") {
  const Dense layer({1, 1, 1}, {.units = 2}, true);
  Buffer kept;
  CHECK(run_forward(layer, 1, {1, -1, 0, 0}, {3}, kept) == Floats{3, 0});
}

TEST_CASE("a dense layer's gradients agree with central differences") {
  const Dense layer({5, 1, 1}, {.units = 4}, false), unbiased({5, 1, 1}, {.units = 4, .bias = false}, false);
  check_gradients(layer, 3, normal_values(24, 1), normal_values(15, 2));
  check_gradients(unbiased, 3, normal_values(20, 1), normal_values(15, 2));
  check_with_relu<Dense>({5, 1, 1}, DenseSpec{.units = 4}, 3);
}

TEST_CASE("a convolution with one filter of ones sums each window, with zeros around the image") {
  const ConvSpec spec{.filters = 1, .kernel = 3, .same = true};
  const Conv2d layer({1, 2, 3}, spec, false);
  Buffer kept;
  // Image 1 2 3 / 4 5 6: every 3x3 window covers both rows; columns {1,2}, {1,2,3}, {2,3}. Bias 0.5.
  CHECK(run_forward(layer, 1, {1, 1, 1, 1, 1, 1, 1, 1, 1, 0.5f}, {1, 2, 3, 4, 5, 6}, kept) ==
        Floats{12.5f, 21.5f, 16.5f, 12.5f, 21.5f, 16.5f});
}

TEST_CASE("a valid convolution takes whole windows only") {
  const Conv2d layer({1, 2, 3}, {.filters = 1, .kernel = 2, .same = false}, false);
  CHECK(layer.output() == Shape{1, 1, 2});
  Buffer kept;
  // Kernel 1 0 / 0 10: 1 + 10 * 5, 2 + 10 * 6.
  CHECK(run_forward(layer, 1, {1, 0, 0, 10, 0}, {1, 2, 3, 4, 5, 6}, kept) == Floats{51, 62});
}

TEST_CASE("convolutions agree with their definition for odd shapes, kernels and piece sizes") {
  struct Case {
    Shape input;
    ConvSpec spec;
    int batch;
  };
  // The last is unrolled in several pieces of several images.
  const Case cases[] = {{{1, 5, 7}, {.filters = 3, .kernel = 1}, 2},
                        {{3, 5, 4}, {.filters = 2, .kernel = 3}, 3},
                        {{2, 6, 5}, {.filters = 5, .kernel = 4}, 2},
                        {{3, 7, 6}, {.filters = 4, .kernel = 5, .same = false}, 2},
                        {{2, 3, 2}, {.filters = 2, .kernel = 5}, 2},
                        {{3, 7, 6}, {.filters = 4, .stride = 2}, 2},
                        {{32, 9, 8}, {.filters = 40, .bias = false, .stride = 2}, 2},
                        {{4, 7, 5}, {.filters = 2, .kernel = 1, .stride = 3}, 3},
                        {{2, 8, 9}, {.filters = 3, .kernel = 4, .same = false, .bias = false, .stride = 2}, 2},
                        {{2, 20, 20}, {.filters = 3, .kernel = 5}, 19}};
  for (const Case& c : cases) {
    const Conv2d layer(c.input, c.spec, false);
    const Floats w = normal_values(layer.parameter_count(), 3);
    const Floats x = normal_values(static_cast<std::size_t>(c.batch) * c.input.size(), 4);
    Buffer kept;
    const Floats y = run_forward(layer, c.batch, w, x, kept), expected = convolve(c.input, c.spec, c.batch, w, x);
    REQUIRE(y.size() == expected.size());
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i) worst = std::max(worst, std::fabs(double{y[i]} - expected[i]));
    CHECK(worst < 1e-4);
  }
}

TEST_CASE("a convolution's gradients agree with central differences") {
  for (const ConvSpec& spec : {ConvSpec{.filters = 2, .kernel = 3}, ConvSpec{.filters = 3, .kernel = 2},
                               ConvSpec{.filters = 2, .kernel = 3, .same = false},
                               ConvSpec{.filters = 3, .kernel = 3, .bias = false, .stride = 2},
                               ConvSpec{.filters = 2, .kernel = 1, .stride = 2},
                               ConvSpec{.filters = 2, .kernel = 2, .same = false, .stride = 3}}) {
    const Conv2d layer({2, 4, 5}, spec, false);
    check_gradients(layer, 2, normal_values(layer.parameter_count(), 7), normal_values(80, 8));
  }
  check_with_relu<Conv2d>({2, 3, 3}, ConvSpec{.filters = 2, .kernel = 3}, 1);
}

TEST_CASE("a convolution's gradients hold across several pieces") {
  // 20 x 20 pixels with windows of 50: 6 images a piece, so 8 images make two.
  const Shape shape{2, 20, 20};
  const Conv2d layer(shape, {.filters = 3, .kernel = 5}, false);
  const Floats w = normal_values(layer.parameter_count(), 1), x = normal_values(8 * shape.size(), 2);
  const Floats g = normal_values(8 * layer.output().size(), 3);
  const auto backward = [&](int first, int count, Floats& dw, Floats& dx) {
    const std::size_t in = static_cast<std::size_t>(first) * shape.size();
    const std::size_t out = static_cast<std::size_t>(first) * layer.output().size();
    Floats gradient(g.begin() + static_cast<std::ptrdiff_t>(out), g.end());
    dw.assign(w.size(), 0);
    dx.assign(static_cast<std::size_t>(count) * shape.size(), 0);
    Buffer kept, scratch;
    layer.backward(
        {count, w.data(), x.data() + in, g.data() + out, gradient.data(), dx.data(), dw.data(), kept, scratch});
  };
  Floats dw, dx;
  backward(0, 8, dw, dx);
  Floats sum(dw.size(), 0), parts;
  for (int i = 0; i < 8; ++i) {
    Floats one_w, one_x;
    backward(i, 1, one_w, one_x);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += one_w[j];
    parts.insert(parts.end(), one_x.begin(), one_x.end());
  }
  double worst = 0;
  for (std::size_t j = 0; j < sum.size(); ++j) worst = std::max(worst, std::fabs(double{sum[j]} - dw[j]));
  CHECK(worst < 2e-3);
  worst = 0;
  for (std::size_t j = 0; j < parts.size(); ++j) worst = std::max(worst, std::fabs(double{parts[j]} - dx[j]));
  CHECK(worst < 1e-4);
}

TEST_CASE("wide 3x3 convolutions, computed by transforms, agree with their definition, and so do their gradients") {
  struct Case {
    Shape input;
    ConvSpec spec;
    int batch;
  };
  // Tiles that are filled and cut off, several groups of images, one large image.
  const Case cases[] = {{{32, 8, 8}, {.filters = 32}, 2},
                        {{40, 6, 5}, {.filters = 32}, 35},
                        {{32, 7, 9}, {.filters = 40, .same = false}, 20},
                        {{32, 37, 33}, {.filters = 32}, 1}};
  for (const Case& c : cases) {
    CAPTURE(c.input.height);
    const Conv2d layer(c.input, c.spec, false);
    const auto batch = static_cast<std::size_t>(c.batch);
    const std::size_t filters = layer.output().size() / static_cast<std::size_t>(layer.output().height) /
                                static_cast<std::size_t>(layer.output().width);
    Floats w = normal_values(layer.parameter_count(), 3, 0.1), other_w = normal_values(w.size(), 4);
    const Floats x = normal_values(batch * c.input.size(), 5), other_x = normal_values(x.size(), 6);
    Buffer kept, scratch;
    const Floats y = run_forward(layer, c.batch, w, x, kept), expected = convolve(c.input, c.spec, c.batch, w, x);
    CHECK(largest_difference(y, expected) < 1e-4);

    // The loss <g, y> is linear in inputs and in weights, so its gradients' products with any others are its values.
    const Floats g = normal_values(y.size(), 7);
    Floats gradient = g, dx(x.size(), NAN), dw(w.size(), NAN);
    layer.backward({c.batch, w.data(), x.data(), y.data(), gradient.data(), dx.data(), dw.data(), kept, scratch});
    std::fill(w.end() - static_cast<std::ptrdiff_t>(filters), w.end(), 0.0f);
    CHECK(agree(dw, other_w, product(g, convolve(c.input, c.spec, c.batch, other_w, x))));
    CHECK(agree(dx, other_x, product(g, convolve(c.input, c.spec, c.batch, w, other_x))));
  }
}

TEST_CASE("a wide 3x3 convolution with relu is the one without, cut at zero") {
  const Shape shape{32, 5, 6};
  const ConvSpec spec{.filters = 32};
  const Conv2d plain(shape, spec, false), rectified(shape, spec, true);
  const Floats w = normal_values(plain.parameter_count(), 1), x = normal_values(3 * shape.size(), 2);
  Buffer kept;
  Floats expected = run_forward(plain, 3, w, x, kept);
  for (float& value : expected) value = std::max(value, 0.0f);
  CHECK(run_forward(rectified, 3, w, x, kept) == expected);
}

TEST_CASE("initial weights have the deviation their scheme says, and a bias to match") {
  const std::size_t weights = 400 * 50;
  Stream random(11);
  Floats values(weights + 50);
  const Dense he({400, 1, 1}, {.units = 50, .init = Init::he}, false);
  he.initialize(values, random);
  double square = 0;
  for (std::size_t i = 0; i < weights; ++i) square += double{values[i]} * values[i];
  CHECK(std::sqrt(square / weights) == doctest::Approx(std::sqrt(2.0 / 400)).epsilon(0.02));
  CHECK(values.back() == 0);

  const Dense cut({400, 1, 1}, {.units = 50, .init = Init::truncated_normal}, false);
  cut.initialize(values, random);
  square = 0;
  for (std::size_t i = 0; i < weights; ++i) square += double{values[i]} * values[i];
  // A normal cut at two deviations keeps 0.8796 of its deviation.
  CHECK(std::sqrt(square / weights) == doctest::Approx(0.08796).epsilon(0.02));
  CHECK(*std::max_element(values.begin(), values.end() - 50) <= 0.2f);
  CHECK(values.back() == 0.1f);

  // Uniform to 1 / 20 either way: that over the root of 3. Biases are drawn alike.
  Dense({400, 1, 1}, {.units = 50, .init = Init::uniform}, false).initialize(values, random);
  square = 0;
  for (const float value : values) square += double{value} * value;
  CHECK(std::sqrt(square / static_cast<double>(values.size())) == doctest::Approx(0.05 / std::sqrt(3.0)).epsilon(0.02));
  CHECK(*std::max_element(values.begin(), values.end()) <= 0.05f);
  CHECK(*std::min_element(values.end() - 50, values.end()) < -0.02f);

  Dense({400, 1, 1}, {.units = 50, .init = Init::zero}, false).initialize(values, random);
  CHECK(values == Floats(values.size(), 0.0f));
}

}  // namespace ddl::nn
