#include "core/nn/softmax_cross_entropy.hpp"

#include <algorithm>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/portable_math.hpp"

namespace ddl::nn {

LossSum softmax_cross_entropy(const float* outputs, std::span<const std::uint8_t> labels, int classes,
                              float* gradient) {
  LossSum sum;
  const double weight = 1.0 / static_cast<double>(labels.size());
  const auto count = static_cast<std::size_t>(classes);
  std::vector<double> distances(2 * count);
  const std::span<double> below(distances.data(), count), exponentials(distances.data() + count, count);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t start = i * count;
    const float* const row = outputs + start;
    const int label = labels[i];
    check(label < classes, "a label is one of the classes");
    const float* const best = std::max_element(row, row + classes);
    const float largest = *best;
    const float label_output = row[label];
    if (best == row + label) ++sum.correct;

    for (std::size_t c = 0; c < count; ++c) below[c] = static_cast<double>(row[c]) - largest;
    portable_exp(below, exponentials);
    double total = 0;
    for (const double one : exponentials) total += one;
    sum.loss += portable_log(total) - (static_cast<double>(label_output) - largest);
    if (gradient == nullptr) continue;
    for (std::size_t c = 0; c < count; ++c) {
      const double share = exponentials[c] / total;
      gradient[start + c] = static_cast<float>(weight * (share - (c == labels[i] ? 1 : 0)));
    }
  }
  return sum;
}

}  // namespace ddl::nn
