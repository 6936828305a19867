// Block designs, their fields, and layers with only some of their weights.
#include "core/nn/layers/mask.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <set>

#include "core/nn/layers/conv/conv2d.hpp"
#include "core/nn/layers/dense.hpp"
#include "core/nn/layers/finite_field.hpp"
#include "core/nn/layers/masked.hpp"
#include "tests/nn/gradient_check.hpp"
#include "tests/nn/model_samples.hpp"

namespace ddl::nn {
namespace {

using Floats = std::vector<float>;

Connections connections_of(Mask kind, std::size_t inputs, std::size_t outputs, std::uint64_t seed = 1) {
  Stream random(seed);
  return make_connections(kind, inputs, outputs, random);
}

std::size_t count_of(const Connections& connections) {
  std::size_t count = 0;
  for (const auto& inputs : connections) count += inputs.size();
  return count;
}

// Numbers of outputs that pairs of inputs share: {1} for a design.
std::set<int> pair_counts(const Connections& connections, std::size_t inputs) {
  std::vector<int> counts(inputs * inputs, 0);
  for (const auto& row : connections) {
    for (const std::size_t a : row) {
      for (const std::size_t b : row) counts[a * inputs + b] += a < b;
    }
  }
  std::set<int> seen;
  for (std::size_t a = 0; a < inputs; ++a) {
    for (std::size_t b = a + 1; b < inputs; ++b) seen.insert(counts[a * inputs + b]);
  }
  return seen;
}

// The weights of a masked layer at their places in the whole one, its bias after them.
Floats spread(const Floats& parameters, const std::vector<std::uint32_t>& positions, std::size_t weights) {
  Floats whole(weights, 0.0f);
  for (std::size_t i = 0; i < positions.size(); ++i) whole[positions[i]] = parameters[i];
  whole.insert(whole.end(), parameters.begin() + static_cast<std::ptrdiff_t>(positions.size()), parameters.end());
  return whole;
}

}  // namespace

TEST_CASE("a finite field's elements but zero form a group under multiplication, which distributes over addition") {
  for (const std::size_t q : {2, 3, 4, 5, 7, 8, 9, 16, 25, 27, 49, 64}) {
    CAPTURE(q);
    const FiniteField field(q);
    bool distributes = true, associates = true;
    for (std::size_t a = 0; a < q; ++a) {
      std::set<std::size_t> sums, products;
      for (std::size_t b = 0; b < q; ++b) {
        sums.insert(field.add(a, b));
        products.insert(field.multiply(a, b));
        const std::size_t c = (3 * a + 5 * b + 1) % q;
        distributes =
            distributes && field.multiply(a, field.add(b, c)) == field.add(field.multiply(a, b), field.multiply(a, c));
        associates = associates && field.multiply(a, field.multiply(b, c)) == field.multiply(field.multiply(a, b), c);
      }
      CHECK(sums.size() == q);
      CHECK(products.size() == (a == 0 ? 1 : q));
      CHECK(*products.rbegin() < q);
    }
    CHECK(distributes);
    CHECK(associates);
  }
  for (const std::size_t q : {0, 1, 6, 12, 100}) CHECK_FALSE(prime_power(q).has_value());
}

TEST_CASE("over a field of any prime power every pair of inputs meets in exactly one output") {
  for (const std::size_t q : {2, 3, 4, 5, 7, 8, 9, 16, 23, 25}) {
    CAPTURE(q);
    const Connections design = connections_of(Mask::bibd_field, q * q, q * (q + 1));
    CHECK(pair_counts(design, q * q) == std::set<int>{1});
    for (const auto& row : design) CHECK(row.size() == q);
  }
}

TEST_CASE("modulo q every pair meets once for prime q alone, and then the lines are those of the field") {
  for (const std::size_t q : {2, 3, 5, 7, 23}) {
    CHECK(pair_counts(connections_of(Mask::bibd, q * q, q * (q + 1)), q * q) == std::set<int>{1});
    CHECK(connections_of(Mask::bibd, q * q, q * (q + 1)) == connections_of(Mask::bibd_field, q * q, q * (q + 1)));
  }
  CHECK(pair_counts(connections_of(Mask::bibd, 16, 20), 16) == std::set<int>{0, 1, 2});
}

TEST_CASE("a design for inputs that are no square is cut, and starts again when its lines are used up") {
  CHECK(design_order(Mask::bibd, 784) == 28);
  CHECK(design_order(Mask::bibd, 785) == 29);
  CHECK(design_order(Mask::bibd_field, 784) == 29);
  CHECK(design_order(Mask::bibd_field, 50) == 8);
  CHECK(design_order(Mask::bibd, 1) == 1);
  // With q = 3 and seven inputs, the line of the third row of points keeps one; there are 12 lines.
  const Connections cut = connections_of(Mask::bibd, 7, 14);
  CHECK(cut[0] == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(cut[2] == std::vector<std::uint32_t>{6});
  CHECK(cut[12] == cut[0]);
  CHECK(cut[13] == cut[1]);
}

TEST_CASE("sixteen outputs on MNIST see the first sixteen rows of the image") {
  const Connections few = connections_of(Mask::bibd, 784, 16);
  for (std::uint32_t m = 0; m < 16; ++m) {
    std::vector<std::uint32_t> row(28);
    std::iota(row.begin(), row.end(), 28 * m);
    CHECK(few[m] == row);
  }
}

TEST_CASE("the random mask has as many connections as the design, and depends on its stream") {
  for (const std::size_t inputs : {16, 784, 30}) {
    const Connections one = connections_of(Mask::random, inputs, 20), same = connections_of(Mask::random, inputs, 20);
    CHECK(count_of(one) == count_of(connections_of(Mask::bibd, inputs, 20)));
    CHECK(one == same);
    CHECK(one != connections_of(Mask::random, inputs, 20, 2));
  }
}

TEST_CASE("a masked layer is the whole layer with zeros for what is not there") {
  struct Case {
    std::unique_ptr<Layer> whole, inner;
    std::size_t places, inputs, outputs;
  };
  const DenseSpec dense{.units = 12};
  const ConvSpec conv{.filters = 6, .bias = false};
  std::vector<Case> cases;
  cases.push_back({std::make_unique<Dense>(Shape{9, 1, 1}, dense, true),
                   std::make_unique<Dense>(Shape{9, 1, 1}, dense, true), 1, 9, 12});
  cases.push_back({std::make_unique<Conv2d>(Shape{4, 5, 4}, conv, false),
                   std::make_unique<Conv2d>(Shape{4, 5, 4}, conv, false), 9, 4, 6});
  for (Case& c : cases) {
    const auto positions = weight_positions(connections_of(Mask::bibd, c.inputs, c.outputs), c.places, c.inputs);
    const std::size_t weights = c.places * c.inputs * c.outputs;
    const Masked masked(std::move(c.inner), positions);
    CHECK(masked.whole_parameter_count() == c.whole->parameter_count());
    CHECK(masked.parameter_count() == c.whole->parameter_count() - weights + positions.size());
    CHECK(masked.multiply_adds() * static_cast<double>(weights) ==
          c.whole->multiply_adds() * static_cast<double>(positions.size()));
    const Floats parameters = normal_values(masked.parameter_count(), 1);
    const Floats whole = spread(parameters, positions, weights);
    const Floats x = normal_values(3 * masked.input().size(), 2), g = normal_values(3 * masked.output().size(), 3);
    const Passes found = passes_of(masked, 3, parameters, x, g), of_whole = passes_of(*c.whole, 3, whole, x, g);
    CHECK(found.output == of_whole.output);
    CHECK(found.input_gradient == of_whole.input_gradient);
    const Floats &dw = found.parameter_gradient, &dw_whole = of_whole.parameter_gradient;
    Floats expected;
    for (const std::size_t position : positions) expected.push_back(dw_whole[position]);
    expected.insert(expected.end(), dw_whole.begin() + static_cast<std::ptrdiff_t>(weights), dw_whole.end());
    CHECK(dw == expected);
  }
}

TEST_CASE("a masked layer's first weights spread as if all were there") {
  const std::size_t inputs = 900, outputs = 400;
  const Masked layer(std::make_unique<Dense>(Shape{900, 1, 1}, DenseSpec{.units = 400, .bias = false}, false),
                     weight_positions(connections_of(Mask::bibd, inputs, outputs), 1, inputs));
  Floats parameters(layer.parameter_count());
  Stream random(3);
  layer.initialize(parameters, random);
  double squares = 0;
  for (const float value : parameters) squares += double{value} * value;
  // A variance of 2 / 900; the estimate from 12,000 of them has a deviation of 1.3 %.
  CHECK(squares / static_cast<double>(parameters.size()) * 450 == doctest::Approx(1).epsilon(0.06));
}

}  // namespace ddl::nn
