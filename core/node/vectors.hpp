// Arithmetic on flat vectors and their slices. When timing only, vectors are empty and payloads null; these functions
// then do nothing, so algorithms need no special case.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/node/message.hpp"

namespace ddl {

inline std::span<const float> values_of(const Payload& payload) {
  return payload ? std::span<const float>(*payload) : std::span<const float>();
}

inline Payload make_payload(std::vector<float> values) {
  return std::make_shared<const std::vector<float>>(std::move(values));
}

template <class T>
std::span<T> part_of(std::span<T> vector, Slice slice) {
  return vector.empty() ? vector : vector.subspan(slice.begin, slice.size());
}

// A slice of an immutable vector; the vector itself if the slice is all of it.
inline Payload share_part(const Payload& payload, Slice slice) {
  if (!payload || slice.size() == payload->size()) return payload;
  const auto part = part_of(values_of(payload), slice);
  return make_payload({part.begin(), part.end()});
}

// into += factor * values
void add_scaled(std::span<float> into, std::span<const float> values, float factor = 1);

// x = keep * x + (1 - keep) * y
void blend(std::span<float> x, std::span<const float> y, float keep);

// sum = (sum + values) * factor
void add_and_scale(std::span<float> sum, std::span<const float> values, float factor);

void fill_zero(std::span<float> vector);

}  // namespace ddl
