// If every product of a sum has a factor of zero, the sum is zero to the bit, whichever way it is computed: Adam
// divides a gradient by its own size, and so would make a whole step of a rounding error.
#include <doctest/doctest.h>

#include "core/nn/layers/conv/conv2d.hpp"
#include "core/nn/layers/conv/method.hpp"
#include "core/nn/optimizer.hpp"
#include "tests/nn/gradient_check.hpp"

namespace ddl::nn::zero_gradients_test {
namespace {

using Floats = std::vector<float>;

// Normal values; keeps only a share of them, and drops some channels or images.
Floats sparse_values(Shape shape, int batch, std::uint64_t seed, double share, bool drop_pixels) {
  Stream random(seed);
  Floats values(static_cast<std::size_t>(batch) * shape.size());
  const auto channels = static_cast<std::size_t>(shape.channels);
  bool pixel = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % channels == 0) pixel = !drop_pixels || random.uniform() < share;
    const bool kept = pixel && i % channels % 5 != 3 && (drop_pixels || random.uniform() < share);
    values[i] = kept ? static_cast<float>(random.normal()) : 0.0f;
  }
  return values;
}

// Positions of zero values, and their number.
std::pair<std::vector<bool>, int> zeros_of(const Floats& values) {
  std::pair<std::vector<bool>, int> result;
  for (const float value : values) {
    result.first.push_back(value == 0);
    result.second += value == 0;
  }
  return result;
}

}  // namespace

TEST_CASE("a convolution is exactly zero where every product is, whichever way it is computed") {
  struct Case {
    Shape input;
    ConvSpec spec;
    double input_share, gradient_share;
    bool drop_pixels;
  };
  const Case cases[] = {{{32, 12, 10}, {.filters = 40, .bias = false}, 0.05, 0.01, false},
                        {{64, 8, 8}, {.filters = 64, .bias = false}, 0.3, 0.02, false},
                        {{40, 9, 70}, {.filters = 32, .same = false, .bias = false}, 0.01, 0.01, false},
                        {{72, 9, 8}, {.filters = 40, .bias = false}, 0.2, 0.1, true},
                        {{32, 8, 8}, {.filters = 32, .bias = false}, 1, 1, false}};
  for (const Case& c : cases) {
    CAPTURE(c.input.width);
    CAPTURE(c.input_share);
    const int batch = 5;
    const Conv2d ours(c.input, c.spec, false), unrolled(c.input, c.spec, false, MathMode::native);
    const Floats w = normal_values(ours.parameter_count(), 1);
    const Floats x = sparse_values(c.input, batch, 2, c.input_share, c.drop_pixels);
    const Floats dy = sparse_values(ours.output(), batch, 3, c.gradient_share, c.drop_pixels);
    const Passes found = passes_of(ours, batch, w, x, dy), expected = passes_of(unrolled, batch, w, x, dy);
    CHECK(zeros_of(found.output) == zeros_of(expected.output));
    CHECK(zeros_of(found.input_gradient) == zeros_of(expected.input_gradient));
    CHECK(zeros_of(found.parameter_gradient) == zeros_of(expected.parameter_gradient));
    CHECK(zeros_of(expected.parameter_gradient).second > 0);  // channels are dead in all cases
  }
}

}  // namespace ddl::nn::zero_gradients_test
