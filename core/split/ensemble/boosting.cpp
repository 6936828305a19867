#include "core/split/ensemble/boosting.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/portable_math.hpp"

namespace ddl::split {

std::vector<float> equal_weights(std::size_t samples) {
  return std::vector<float>(samples, static_cast<float>(1 / static_cast<double>(samples)));
}

double weighted_error(std::span<const float> weights, std::span<const std::uint8_t> right) {
  check(weights.size() == right.size(), "a weight for each sample");
  double wrong = 0, all = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    all += weights[i];
    if (right[i] == 0) wrong += weights[i];
  }
  return wrong / all;
}

double member_weight(double error, int classes, std::size_t samples) {
  const double e = std::max(error, 0.5 / static_cast<double>(samples));
  if (e >= 1) return 0;
  return std::max(0.0, portable_log((1 - e) / e) + portable_log(classes - 1.0));
}

std::vector<float> next_weights(std::span<const float> weights, std::span<const std::uint8_t> right, double weight,
                                SammeWeighting weighting) {
  check(weights.size() == right.size(), "a weight for each sample");
  const double factor = portable_exp(weight);
  const bool raise_right = weighting == SammeWeighting::published;
  std::vector<double> raised;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    raised.push_back((right[i] != 0) == raise_right ? weights[i] * factor : weights[i]);
  }
  const double sum = std::accumulate(raised.begin(), raised.end(), 0.0);
  std::vector<float> next;
  for (const double value : raised) next.push_back(static_cast<float>(value / sum));
  return next;
}

WeightedBatches::WeightedBatches(SammeSampling sampling, std::span<const float> weights, int batch_size, Stream random)
    : sampling_(sampling), batch_size_(static_cast<std::size_t>(batch_size)), random_(random) {
  check(!weights.empty(), "samples to draw from");
  if (sampling == SammeSampling::resample) {
    double sum = 0;
    for (const float weight : weights) sums_.push_back(sum += weight);
    return;
  }
  const auto [least, most] = std::ranges::minmax(weights);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    order_.push_back(static_cast<std::uint32_t>(i));
    // floor(1 + (w - least) / (most - least)) times
    if (weights[i] == most && most > least) order_.push_back(static_cast<std::uint32_t>(i));
  }
  position_ = order_.size();
}

std::int64_t WeightedBatches::batches_in_pass() const {
  const std::size_t samples = sampling_ == SammeSampling::resample ? sums_.size() : order_.size();
  return static_cast<std::int64_t>((samples + batch_size_ - 1) / batch_size_);
}

std::vector<std::uint32_t> WeightedBatches::next() {
  std::vector<std::uint32_t> batch;
  while (batch.size() < batch_size_) {
    if (sampling_ == SammeSampling::resample) {
      const auto drawn = std::ranges::upper_bound(sums_, random_.uniform() * sums_.back());
      batch.push_back(static_cast<std::uint32_t>(std::min(drawn, sums_.end() - 1) - sums_.begin()));
      continue;
    }
    if (position_ == order_.size()) {
      shuffle(std::span(order_), random_);
      position_ = 0;
    }
    batch.push_back(order_[position_++]);
  }
  return batch;
}

}  // namespace ddl::split
