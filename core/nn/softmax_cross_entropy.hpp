// The loss of all classifiers here: cross-entropy of the softmax of a network's outputs (Bridle, 1990).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ddl::nn {

struct LossSum {
  double loss = 0;          // sum over samples of -ln(softmax of the label's output)
  std::size_t correct = 0;  // samples whose first largest output is the label
};

// `outputs` is labels.size() x classes. Any finite outputs are safe: the largest of a sample is subtracted first. If
// `gradient` is not null it receives the gradient of the *mean* loss, and may be `outputs` itself.
LossSum softmax_cross_entropy(const float* outputs, std::span<const std::uint8_t> labels, int classes, float* gradient);

}  // namespace ddl::nn
