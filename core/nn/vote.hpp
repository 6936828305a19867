// The vote of an ensemble of classifiers: SAMME, Zhu, Zou, Rosset and Hastie, Statistics and Its Interface 2009.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/nn/model.hpp"

namespace ddl::nn {

// `answers`: each member's class for each sample; `weights`: each member's vote (at least 0). The ensemble's class is
// the first with the largest sum of votes C. Its loss is that of the paper's probabilities, proportional to exp(f / (K
// - 1)) with f = C K / (K - 1), K being the number of classes.
Score score_of_votes(std::span<const std::vector<std::uint8_t>> answers, std::span<const double> weights,
                     std::span<const std::uint8_t> labels, int classes);

}  // namespace ddl::nn
