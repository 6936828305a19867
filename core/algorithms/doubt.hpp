// When an early exit is sure enough of its answer.
#pragma once

#include <span>

#include "core/base/fields.hpp"

namespace ddl {

// How unsure an exit is of an answer, from 0 to 1.
enum class Doubt {
  entropy,    // of its probabilities, over that of equal ones
  confidence  // 1 - the largest of them, over 1 - 1/classes
};
template <>
inline constexpr EnumName<Doubt> enum_names<Doubt>[] = {{Doubt::entropy, "entropy"}, {Doubt::confidence, "confidence"}};

// The doubt in softmax(outputs).
double doubt_of(std::span<const float> outputs, Doubt measure);
// Whether an exit with this doubt gives the answer.
inline bool leaves(double doubt, double threshold) { return threshold >= 1 || doubt < threshold; }

}  // namespace ddl
