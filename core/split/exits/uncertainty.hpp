// When an early exit is sure enough of its answer.
#pragma once

#include <span>

#include "core/base/fields.hpp"

namespace ddl::split {

// An exit's uncertainty of an answer, from 0 to 1.
enum class Uncertainty {
  entropy,    // entropy of its probabilities, over that of equal ones
  confidence  // 1 - the largest probability, over 1 - 1/classes
};
constexpr auto enum_names(Uncertainty) { return in_order<Uncertainty>("entropy", "confidence"); }

// The uncertainty of softmax(outputs).
double uncertainty_of(std::span<const float> outputs, Uncertainty measure);
// True if an exit with this uncertainty gives the answer.
inline bool leaves(double uncertainty, double threshold) { return threshold >= 1 || uncertainty < threshold; }

}  // namespace ddl::split
