// The arithmetic of multi-class AdaBoost: SAMME, Zhu, Zou, Rosset and Hastie, Statistics and Its Interface 2009.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/rng.hpp"

namespace ddl::split {

enum class SammeWeighting {
  standard,  // samples that a member gets wrong gain weight
  published  // samples that it gets right do, as in IDDL's code
};
constexpr auto enum_names(SammeWeighting) { return in_order<SammeWeighting>("standard", "published"); }

enum class SammeSampling {
  resample,  // draws every sample of a batch by weight (Freund and Schapire, 1997)
  repeat     // passes over all samples, with those of the largest weight twice, as in IDDL
};
constexpr auto enum_names(SammeSampling) { return in_order<SammeSampling>("resample", "repeat"); }

// Samples that all weigh the same, 1 in sum.
std::vector<float> equal_weights(std::size_t samples);

// The share of the weights on misclassified samples.
double weighted_error(std::span<const float> weights, std::span<const std::uint8_t> right);

// ln((1 - e) / e) + ln(K - 1). An error below half a sample's share is raised to that: a perfect member would silence
// all others. A member no better than chance weighs 0.
double member_weight(double error, int classes, std::size_t samples);

// The weights for the next member, 1 in sum: times exp(weight) where the weighting says so.
std::vector<float> next_weights(std::span<const float> weights, std::span<const std::uint8_t> right, double weight,
                                SammeWeighting weighting);

// One member's minibatches.
class WeightedBatches {
 public:
  WeightedBatches(SammeSampling sampling, std::span<const float> weights, int batch_size, Stream random);
  std::vector<std::uint32_t> next();
  // Batches of one pass: one per batch_size samples, counting samples that come twice as two.
  std::int64_t batches_in_pass() const;

 private:
  SammeSampling sampling_;
  std::size_t batch_size_;
  Stream random_;
  std::vector<double> sums_;          // resample: of the weights up to each sample
  std::vector<std::uint32_t> order_;  // repeat: of a pass
  std::size_t position_ = 0;
};

}  // namespace ddl::split
