#include "core/split/exits/uncertainty.hpp"

#include <algorithm>

#include "core/base/portable_math.hpp"

namespace ddl::split {

double uncertainty_of(std::span<const float> outputs, Uncertainty measure) {
  const double largest = *std::ranges::max_element(outputs), classes = static_cast<double>(outputs.size());
  double total = 0;
  for (const float output : outputs) total += portable_exp(output - largest);
  if (measure == Uncertainty::confidence) return (1 - 1 / total) / (1 - 1 / classes);
  double entropy = 0;
  for (const float output : outputs) {
    const double share = portable_exp(output - largest) / total;
    if (share > 0) entropy -= share * portable_log(share);
  }
  return entropy / portable_log(classes);
}

}  // namespace ddl::split
