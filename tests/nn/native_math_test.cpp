// Our own products against OpenBLAS's, of every layer, forwards and backwards: each within what float's rounding allows
// of the exact value, and so within the sum of both of the other.
//
// A sum of n products whose rounding errors are at most u = 2^-24 each is off by at most n u (1 + tiny) times the sum
// of the products' magnitudes, in any order (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section
// 3.1). For a linear layer those magnitudes are what the layer gives for the magnitudes of its operands.
#include <doctest/doctest.h>

#include <array>
#include <set>

#include "core/nn/kernels/blas.hpp"
#include "core/nn/layers/conv/conv2d.hpp"
#include "tests/nn/model_samples.hpp"

namespace ddl::nn::native_math_test {
namespace {

using Floats = std::vector<float>;
constexpr double unit = 1.0 / (1 << 24);

Floats magnitudes(Floats values) {
  for (float& value : values) value = std::fabs(value);
  return values;
}

// The greatest difference, over what rounding allows: `roundings` of either way, of these magnitudes.
double excess(const Floats& a, const Floats& b, const Floats& of, double roundings) {
  REQUIRE(a.size() == b.size());
  REQUIRE(a.size() == of.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::fabs(double{a[i]} - b[i]);
    if (difference > 0) worst = std::max(worst, difference / (1.001 * roundings * unit * of[i]));
  }
  return worst;
}

double relative_distance(const Floats& a, const Floats& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(a[i] - b[i], 2);
    size += std::pow(a[i], 2);
  }
  return std::sqrt(difference / size);
}

struct Case {
  LayerSpec spec;
  Shape input;
  int batch;
  double terms;           // of a forward sum
  double gradient_terms;  // of the longest backward sum
};

const Case linear_cases[] = {
    {DenseSpec{.units = 70}, {3, 10, 11}, 33, 331, 70},
    {DenseSpec{.units = 1, .bias = false}, {1, 1, 5}, 1, 5, 1},
    {DenseSpec{.units = 9, .mask = Mask::bibd}, {9, 1, 1}, 12, 10, 12},
    {ConvSpec{.filters = 12, .kernel = 5}, {3, 20, 17}, 9, 76, 9 * 340},
    {ConvSpec{.filters = 5, .kernel = 4}, {2, 6, 5}, 2, 33, 80},
    {ConvSpec{.filters = 4, .kernel = 5, .same = false}, {3, 7, 6}, 3, 76, 100},
    {ConvSpec{.filters = 4, .stride = 2}, {3, 7, 6}, 2, 28, 36},
    {ConvSpec{.filters = 3, .kernel = 4, .same = false, .bias = false, .stride = 2}, {2, 8, 9}, 2, 32, 48},
    {ConvSpec{.filters = 2, .kernel = 1, .stride = 3}, {4, 7, 5}, 3, 5, 18},
    {ConvSpec{.filters = 2, .kernel = 5}, {2, 3, 2}, 2, 51, 50},
    {ConvSpec{.filters = 6, .groups = 3}, {6, 5, 4}, 4, 19, 80},
    {ConvSpec{.filters = 9, .mask = Mask::bibd}, {9, 6, 6}, 3, 82, 108},
    {ConvSpec{.filters = 3, .kernel = 3}, {1, 70, 61}, 2, 10, 2 * 70 * 61},
};

// Minimal filtering F(4x4, 3x3) by its matrices (Lavin and Gray, 2016), without their signs.
using Row = std::array<double, 6>;
constexpr std::array<Row, 6> inputs_abs = {{{4, 0, 5, 0, 1, 0},
                                            {0, 4, 4, 1, 1, 0},
                                            {0, 4, 4, 1, 1, 0},
                                            {0, 2, 1, 2, 1, 0},
                                            {0, 2, 1, 2, 1, 0},
                                            {0, 4, 0, 5, 0, 1}}};
constexpr std::array<Row, 6> weights_abs = {{{1. / 4, 0, 0},
                                             {1. / 6, 1. / 6, 1. / 6},
                                             {1. / 6, 1. / 6, 1. / 6},
                                             {1. / 24, 1. / 12, 1. / 6},
                                             {1. / 24, 1. / 12, 1. / 6},
                                             {0, 0, 1}}};
constexpr std::array<Row, 6> outputs_abs = {
    {{1, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 2, 4, 8}, {1, 2, 4, 8}, {0, 0, 0, 1}}};
using Square = std::array<Row, 6>;

// M X M^T, of `from` x `from` values to 6x6, or back again by the transposed.
Square spread(const std::array<Row, 6>& m, int from, const Square& x, bool back = false) {
  Square half{}, result{};
  const int rows = back ? from : 6, inner = back ? 6 : from;
  const auto at = [&](int i, int k) { return back ? m[k][i] : m[i][k]; };
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < inner; ++j) {
      for (int k = 0; k < inner; ++k) half[i][j] += at(i, k) * x[k][j];
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) {
      for (int k = 0; k < inner; ++k) result[i][j] += half[i][k] * at(j, k);
    }
  }
  return result;
}

// The magnitudes of all that is summed on the way, of a "same" convolution in one image: outputs from inputs and
// weights, or weights (3 x 3 x channels x filters) from inputs and outputs.
struct TransformedMagnitudes {
  int height, width, channels, filters;

  Square tile(const Floats& values, int depth, int c, int top, int left, int size) const {
    Square result{};
    for (int y = 0; y < size; ++y) {
      for (int x = 0; x < size; ++x) {
        const int row = top + y, column = left + x;
        if (row < 0 || column < 0 || row >= height || column >= width) continue;
        result[y][x] = values[static_cast<std::size_t>((row * width + column) * depth + c)];
      }
    }
    return result;
  }
  Square weights(const Floats& w, int c, int f) const {
    Square result{};
    for (int k = 0; k < 9; ++k) {
      result[k / 3][k % 3] = w[static_cast<std::size_t>((k * channels + c) * filters + f)];
    }
    return spread(weights_abs, 3, result);
  }
  static void add_product(const Square& a, const Square& b, Square& sum) {
    for (int i = 0; i < 36; ++i) sum[i / 6][i % 6] += a[i / 6][i % 6] * b[i / 6][i % 6];
  }

  Floats outputs(const Floats& w, const Floats& x) const {
    Floats result(static_cast<std::size_t>(height * width * filters));
    for (int top = 0; top < height; top += 4) {
      for (int left = 0; left < width; left += 4) {
        std::vector<Square> seen;
        for (int c = 0; c < channels; ++c) {
          seen.push_back(spread(inputs_abs, 6, tile(x, channels, c, top - 1, left - 1, 6)));
        }
        for (int f = 0; f < filters; ++f) {
          Square sum{};
          for (int c = 0; c < channels; ++c) add_product(seen[c], weights(w, c, f), sum);
          const Square y = spread(outputs_abs, 4, sum, true);
          for (int i = 0; i < 16; ++i) {
            const int row = top + i / 4, column = left + i % 4;
            if (row >= height || column >= width) continue;
            result[static_cast<std::size_t>((row * width + column) * filters + f)] =
                static_cast<float>(y[i / 4][i % 4]);
          }
        }
      }
    }
    return result;
  }

  Floats weight_gradient(const Floats& x, const Floats& dy) const {
    std::vector<Square> sums(static_cast<std::size_t>(channels * filters));
    for (int top = 0; top < height; top += 4) {
      for (int left = 0; left < width; left += 4) {
        std::vector<Square> from;
        for (int f = 0; f < filters; ++f) from.push_back(spread(outputs_abs, 4, tile(dy, filters, f, top, left, 4)));
        for (int c = 0; c < channels; ++c) {
          const Square seen = spread(inputs_abs, 6, tile(x, channels, c, top - 1, left - 1, 6));
          for (int f = 0; f < filters; ++f) add_product(seen, from[f], sums[c * filters + f]);
        }
      }
    }
    Floats result(9 * sums.size());
    for (std::size_t pair = 0; pair < sums.size(); ++pair) {
      const Square w = spread(weights_abs, 3, sums[pair], true);
      for (std::size_t k = 0; k < 9; ++k) result[k * sums.size() + pair] = static_cast<float>(w[k / 3][k % 3]);
    }
    return result;
  }
};

// The weights as the gradient by the inputs sees them: rotated by half a turn, channels and filters exchanged.
Floats turned(const Floats& w, int channels, int filters) {
  Floats result(static_cast<std::size_t>(9 * channels * filters));
  for (int k = 0; k < 9; ++k) {
    for (int c = 0; c < channels; ++c) {
      for (int f = 0; f < filters; ++f) {
        result[static_cast<std::size_t>((k * filters + f) * channels + c)] =
            w[static_cast<std::size_t>(((8 - k) * channels + c) * filters + f)];
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("portable and native products of dense and convolutional layers differ by rounding alone") {
  use_one_blas_thread();
  int differing = 0;
  for (const Case& c : linear_cases) {
    CAPTURE(&c - linear_cases);
    const auto ours = layer_of({c.spec}, c.input, MathMode::portable),
               native = layer_of({c.spec}, c.input, MathMode::native);
    const Floats w = normal_values(ours->parameter_count(), 1);
    const Floats x = normal_values(static_cast<std::size_t>(c.batch) * c.input.size(), 2);
    const Floats dy = normal_values(static_cast<std::size_t>(c.batch) * ours->output().size(), 3);
    const Passes a = passes_of(*ours, c.batch, w, x, dy), b = passes_of(*native, c.batch, w, x, dy);
    const Passes size = passes_of(*native, c.batch, magnitudes(w), magnitudes(x), magnitudes(dy));
    const double window = c.terms * static_cast<double>(ours->output().channels);  // of an input's gradient, at most
    CHECK(excess(a.output, b.output, size.output, 2 * c.terms) <= 1);
    CHECK(excess(a.input_gradient, b.input_gradient, size.input_gradient, 2 * window) <= 1);
    CHECK(excess(a.parameter_gradient, b.parameter_gradient, size.parameter_gradient,
                 2 * std::max(c.gradient_terms, c.batch * 1.0)) <= 1);
    differing += a.output != b.output || a.parameter_gradient != b.parameter_gradient;
  }
  CHECK(differing > 5);  // or one were compared with itself
}

TEST_CASE("Winograd's convolutions differ from native ones by the rounding of their transforms") {
  use_one_blas_thread();
  // Roundings of an element on its way, in addition to a sum's: 2 x 3 of inputs, 2 x 5 of weights, 2 x 4 of outputs,
  // the products, a bias.
  const double transforms = 26;
  for (const Shape shape : {Shape{32, 9, 8}, Shape{40, 6, 5}}) {
    const ConvSpec spec{.filters = 48, .bias = false};
    const Conv2d ours(shape, spec, false), native(shape, spec, false, MathMode::native);
    const TransformedMagnitudes there{shape.height, shape.width, shape.channels, 48};
    const TransformedMagnitudes back{shape.height, shape.width, 48, shape.channels};
    const Floats w = normal_values(ours.parameter_count(), 1), x = normal_values(shape.size(), 2);
    const Floats dy = normal_values(ours.output().size(), 3);
    const Passes a = passes_of(ours, 1, w, x, dy), b = passes_of(native, 1, w, x, dy);
    // The direct sum has nine times the terms, of magnitudes that are no greater.
    const auto roundings = [&](int terms) { return 10.0 * terms + transforms; };
    CHECK(excess(a.output, b.output, there.outputs(magnitudes(w), magnitudes(x)), roundings(shape.channels)) <= 1);
    CHECK(excess(a.input_gradient, b.input_gradient,
                 back.outputs(turned(magnitudes(w), shape.channels, 48), magnitudes(dy)), roundings(48)) <= 1);
    CHECK(excess(a.parameter_gradient, b.parameter_gradient, there.weight_gradient(magnitudes(x), magnitudes(dy)),
                 roundings(shape.height * shape.width)) <= 1);
    CHECK(a.output != b.output);
  }
}

TEST_CASE("a relu within a layer is the layer without it, cut at zero, in both modes") {
  const std::pair<LayerSpec, Shape> cases[] = {{DenseSpec{.units = 30}, {4, 6, 5}},
                                               {ConvSpec{.filters = 6}, {4, 6, 5}},
                                               {ConvSpec{.filters = 6, .groups = 2}, {4, 6, 5}},
                                               {ConvSpec{.filters = 32}, {32, 5, 6}}};
  for (const auto& [spec, shape] : cases) {
    for (const MathMode mode : {MathMode::portable, MathMode::native}) {
      const auto rectified = layer_of({spec, ReluSpec{}}, shape, mode), plain = layer_of({spec}, shape, mode);
      const Floats w = normal_values(plain->parameter_count(), 1), x = normal_values(3 * shape.size(), 2);
      Floats dy = normal_values(3 * plain->output().size(), 3), expected = run_forward(*plain, 3, w, x);
      for (float& value : expected) value = std::max(value, 0.0f);
      const Passes cut = passes_of(*rectified, 3, w, x, dy);
      CHECK(cut.output == expected);
      for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = expected[i] > 0 ? dy[i] : 0;
      CHECK(cut.parameter_gradient == passes_of(*plain, 3, w, x, dy).parameter_gradient);
    }
  }
}

TEST_CASE("layers without products give the same bits in both modes, and every kind of layer is compared") {
  const LayerSpec others[] = {
      MaxPoolSpec{}, ReluSpec{}, TanhSpec{}, FlattenSpec{}, DropoutSpec{}, BatchNormSpec{}, GlobalAveragePoolSpec{}};
  std::set<std::size_t> kinds;
  for (const Case& c : linear_cases) kinds.insert(c.spec.index());
  for (const LayerSpec& spec : others) {
    kinds.insert(spec.index());
    const Shape shape{4, 6, 6};
    const auto ours = layer_of({spec}, shape, MathMode::portable), native = layer_of({spec}, shape, MathMode::native);
    const Floats w = normal_values(ours->parameter_count(), 1), x = normal_values(5 * shape.size(), 2);
    const Floats dy = normal_values(5 * ours->output().size(), 3);
    if (ours->passes_through(true)) continue;
    const Passes a = passes_of(*ours, 5, w, x, dy), b = passes_of(*native, 5, w, x, dy);
    CHECK(a.output == b.output);
    CHECK(a.input_gradient == b.input_gradient);
    CHECK(a.parameter_gradient == b.parameter_gradient);
  }
  // Blocks are made of the layers above; that the mode reaches them is seen from their bits.
  for (const bool bottleneck : {false, true}) {
    const LayerSpec spec = ResidualSpec{.filters = 8, .stride = 2, .bottleneck = bottleneck};
    kinds.insert(spec.index());
    const Shape shape{6, 10, 9};
    const auto ours = layer_of({spec}, shape, MathMode::portable), native = layer_of({spec}, shape, MathMode::native);
    const Floats w = normal_values(ours->parameter_count(), 1), x = normal_values(16 * shape.size(), 2);
    const Floats dy = normal_values(16 * ours->output().size(), 3);
    const Passes a = passes_of(*ours, 16, w, x, dy), b = passes_of(*native, 16, w, x, dy);
    CHECK(a.output != b.output);
    CHECK(relative_distance(a.parameter_gradient, b.parameter_gradient) < 1e-4);  // some hundred roundings, and no more
  }
  CHECK(kinds.size() == std::variant_size_v<LayerSpec>);
}

TEST_CASE("whole networks: loss and gradient, portable and native") {
  for (const char* name : {"mlp", "cnn", "ako-cnn", "resnet20"}) {
    CAPTURE(name);
    const Shape shape{3, 32, 32};
    const Model ours({.name = name, .layers = {}}, shape, 10, MathMode::portable);
    const Model native({.name = name, .layers = {}}, shape, 10, MathMode::native);
    const Floats w = moved_parameters(ours);
    const data::Batch batch = random_batch(shape, 4, 10, 5);
    const LossAndGradient a = gradient_of(ours, w, batch), b = gradient_of(native, w, batch);
    CHECK(b.loss == doctest::Approx(a.loss).epsilon(1e-4));
    CHECK(relative_distance(a.gradient, b.gradient) < 1e-2);  // a value near a kink may fall on its other side
    CHECK(a.gradient != b.gradient);
    // The same whatever was computed before: no threads, no state.
    CHECK(gradient_of(native, w, batch).gradient == b.gradient);
  }
}

}  // namespace ddl::nn::native_math_test
