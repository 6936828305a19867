// Our own products against OpenBLAS's, for every layer, forwards and backwards: each within float's rounding error of
// the exact value, and so within the sum of both of each other.
//
// A sum of n products with rounding errors of at most u = 2^-24 each is off by at most n u (1 + tiny) times the sum of
// the products' magnitudes, in any order (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1).
// For a linear layer this sum is the layer's output for the magnitudes of its operands.
#include <doctest/doctest.h>

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

// The greatest difference, relative to rounding's bound: `roundings` of either way, of these magnitudes.
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
  double terms;           // in a forward sum
  double gradient_terms;  // in the longest backward sum
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

}  // namespace

TEST_CASE("portable and native products of dense and convolutional layers differ by rounding alone") {
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
    const double window = c.terms * static_cast<double>(ours->output().channels);  // at most, for an input
    CHECK(excess(a.output, b.output, size.output, 2 * c.terms) <= 1);
    CHECK(excess(a.input_gradient, b.input_gradient, size.input_gradient, 2 * window) <= 1);
    CHECK(excess(a.parameter_gradient, b.parameter_gradient, size.parameter_gradient,
                 2 * std::max(c.gradient_terms, c.batch * 1.0)) <= 1);
    differing += a.output != b.output || a.parameter_gradient != b.parameter_gradient;
  }
  CHECK(differing > 5);  // or one were compared with itself
}

TEST_CASE("Winograd's convolutions differ from native ones by the rounding of their transforms") {
  const double most = 64 * unit;  // F(4x4, 3x3) costs some five bits (Lavin and Gray, 2016)
  for (const Shape shape : {Shape{32, 9, 8}, Shape{40, 6, 5}}) {
    const ConvSpec spec{.filters = 48, .bias = false};
    const Conv2d ours(shape, spec, false), native(shape, spec, false, MathMode::native);
    const Floats w = normal_values(ours.parameter_count(), 1), x = normal_values(shape.size(), 2);
    const Floats dy = normal_values(ours.output().size(), 3);
    const Passes a = passes_of(ours, 1, w, x, dy), b = passes_of(native, 1, w, x, dy);
    CHECK(relative_distance(a.output, b.output) < most);
    CHECK(relative_distance(a.input_gradient, b.input_gradient) < most);
    CHECK(relative_distance(a.parameter_gradient, b.parameter_gradient) < most);
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
