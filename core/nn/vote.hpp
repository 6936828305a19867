// The vote of an ensemble of classifiers: SAMME, Zhu, Zou, Rosset and Hastie, Statistics and Its Interface 2009.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/nn/model.hpp"

namespace ddl::nn {

// `answers`: the class that each member gives each sample; `weights`: of each member's vote (at least 0). The
// ensemble's class is the first of those with the largest sum of votes; its loss is that of the probabilities which the
// paper derives from the sum of votes C: proportional to exp(f / (K - 1)) with f = C K / (K - 1), K being the classes.
Score score_of_votes(std::span<const std::vector<std::uint8_t>> answers, std::span<const double> weights,
                     std::span<const std::uint8_t> labels, int classes);

}  // namespace ddl::nn
