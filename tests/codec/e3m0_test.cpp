// Four-bit floats by hand: powers of two of a bucket's largest value.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/codec/encoder.hpp"

namespace ddl::codec::e3m0_test {
namespace {

using Vector = std::vector<float>;

struct Encoded {
  Vector values;
  std::uint64_t bits = 0;
};

Encoded encoded(Vector values, const E3m0Params& params = {}) {
  Encoder encoder(params, {values.size()}, stream(1, "e3m0", "test"));
  const std::uint64_t bits = encoder.encode(values);
  return {std::move(values), bits};
}

}  // namespace

TEST_CASE("powers of two of the largest value are exact, down to its 64th part, and half of that is the least") {
  const Vector exact = {-96, 48, 24, -12, 6, 3, 1.5, 0, 0};
  CHECK(encoded(exact).values == exact);
  CHECK(encoded({64, 0.5f, -0.5f, 0.49f, 0.99f}).values == Vector{64, 1, -1, 0, 1});
}

TEST_CASE("others are rounded to the nearest, by a third at most") {
  CHECK(encoded({8, 6, 5.99f, -3, 2.99f}).values == Vector{8, 8, 4, -4, 2});
  Stream random = stream(1, "e3m0", "values");
  Vector values(512);
  for (float& value : values) value = static_cast<float>(random.uniform() - 0.5);
  const float most = std::fabs(*std::ranges::max_element(values, {}, [](float v) { return std::fabs(v); }));
  const Vector decoded = encoded(values).values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::fabs(values[i]) < most / 64) continue;
    CHECK(std::fabs(decoded[i] - values[i]) <= std::fabs(values[i]) / 3 * 1.000001f);
  }
  CHECK(encoded(decoded).values == decoded);
}

TEST_CASE("buckets have scales of their own: four bits a value and four bytes a bucket") {
  const Encoded both = encoded({1, 0.001f, 1000, 1}, {.bucket = 2});
  CHECK(both.values == Vector{1, 0, 1000, 0});
  CHECK(both.bits == 4 * 4 + 2 * 32);
  CHECK(encoded({1, 2, 3}, {.bucket = 2}).bits == 3 * 4 + 2 * 32);
}

TEST_CASE("with error feedback what is rounded away comes with the next") {
  Encoder encoder(E3m0Params{.bucket = 2, .error_feedback = true}, {2}, stream(1, "e3m0", "test"));
  Vector first = {8, 5};
  encoder.encode(first);
  CHECK(first == Vector{8, 4});
  CHECK(encoder.residual()[1] == 1);
  Vector second = {8, 5};
  encoder.encode(second);
  CHECK(second == Vector{8, 8});  // 5 and the residual 1, rounded
  CHECK(encoder.residual()[1] == -2);
}

TEST_CASE("diverged values stay visible") {
  CHECK(std::isnan(encoded({1, NAN}).values[1]));
  CHECK(std::isinf(encoded({1, INFINITY}).values[1]));
}

}  // namespace ddl::codec::e3m0_test
