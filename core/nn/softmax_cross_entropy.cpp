#include "core/nn/softmax_cross_entropy.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "core/base/portable_math.hpp"

namespace ddl::nn {

LossSum softmax_cross_entropy(const float* outputs, std::span<const std::uint8_t> labels, int classes,
                              float* gradient) {
  LossSum sum;
  const double weight = 1.0 / static_cast<double>(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t start = i * static_cast<std::size_t>(classes);
    const float* const row = outputs + start;
    const int label = labels[i];
    check(label < classes, "a label is one of the classes");
    const float* const best = std::max_element(row, row + classes);
    const float largest = *best;
    const float label_output = row[label];
    if (best == row + label) ++sum.correct;

    double total = 0;
    for (int c = 0; c < classes; ++c) total += portable_exp(static_cast<double>(row[c]) - largest);
    sum.loss += portable_log(total) - (static_cast<double>(label_output) - largest);
    if (gradient == nullptr) continue;
    for (int c = 0; c < classes; ++c) {
      const double share = portable_exp(static_cast<double>(row[c]) - largest) / total;
      gradient[start + static_cast<std::size_t>(c)] = static_cast<float>(weight * (share - (c == label ? 1 : 0)));
    }
  }
  return sum;
}

}  // namespace ddl::nn
