#include "core/node/vectors.hpp"

#include <Eigen/Core>

#include "core/base/check.hpp"

namespace ddl {
namespace {

auto map(std::span<float> values) {
  return Eigen::Map<Eigen::ArrayXf>(values.data(), static_cast<Eigen::Index>(values.size()));
}

auto map(std::span<const float> values) {
  return Eigen::Map<const Eigen::ArrayXf>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// False when timing only: vectors are empty then.
bool have_values(std::span<const float> own, std::span<const float> values) {
  if (values.empty()) return false;
  check(own.size() == values.size(), "vectors of one length");
  return true;
}

}  // namespace

void add_scaled(std::span<float> into, std::span<const float> values, float factor) {
  if (have_values(into, values)) map(into) += factor * map(values);
}

void blend(std::span<float> x, std::span<const float> y, float keep) {
  if (have_values(x, y)) map(x) = keep * map(x) + (1 - keep) * map(y);
}

void add_and_scale(std::span<float> sum, std::span<const float> values, float factor) {
  if (have_values(sum, values)) map(sum) = (map(sum) + map(values)) * factor;
}

void fill_zero(std::span<float> vector) { map(vector).setZero(); }

}  // namespace ddl
