// SAMME's arithmetic, by hand.
#include "core/split/ensemble/boosting.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numeric>

namespace ddl::split {
namespace {

const std::vector<float> kWeights = {0.1f, 0.2f, 0.3f, 0.4f};
const std::vector<std::uint8_t> kRight = {1, 0, 1, 0};

double sum_of(const std::vector<float>& weights) { return std::accumulate(weights.begin(), weights.end(), 0.0); }

}  // namespace

TEST_CASE("a member's error is the share of the weights on what it gets wrong") {
  CHECK(weighted_error(kWeights, kRight) == doctest::Approx(0.6));
  CHECK(weighted_error(kWeights, std::vector<std::uint8_t>{1, 1, 1, 1}) == 0);
}

TEST_CASE("a member weighs ln((1 - e) / e) + ln(K - 1), and nothing from chance on") {
  CHECK(member_weight(0.25, 10, 1000) == doctest::Approx(std::log(3.0) + std::log(9.0)));
  CHECK(member_weight(0.9, 10, 1000) == doctest::Approx(0));
  CHECK(member_weight(0.95, 10, 1000) == 0);
  CHECK(member_weight(1, 10, 1000) == 0);
  // Two classes: AdaBoost's, without its factor of a half.
  CHECK(member_weight(0.25, 2, 1000) == doctest::Approx(std::log(3.0)));
}

TEST_CASE("a member without errors counts as one with half a sample's share of them") {
  CHECK(member_weight(0, 10, 50) == doctest::Approx(std::log(99.0) + std::log(9.0)));
}

TEST_CASE("standard weighting raises exactly the wrong samples and published exactly the right ones") {
  const double weight = member_weight(weighted_error(kWeights, kRight), 10, 4);
  const double factor = std::exp(weight);
  CHECK(factor == doctest::Approx(0.4 / 0.6 * 9));
  const auto standard = next_weights(kWeights, kRight, weight, SammeWeighting::standard);
  const auto published = next_weights(kWeights, kRight, weight, SammeWeighting::published);
  CHECK(sum_of(standard) == doctest::Approx(1));
  CHECK(sum_of(published) == doctest::Approx(1));
  const double standard_sum = 0.4 + factor * 0.6, published_sum = factor * 0.4 + 0.6;
  for (std::size_t i = 0; i < kWeights.size(); ++i) {
    const bool right = kRight[i] != 0;
    CHECK(standard[i] == doctest::Approx(kWeights[i] * (right ? 1 : factor) / standard_sum));
    CHECK(published[i] == doctest::Approx(kWeights[i] * (right ? factor : 1) / published_sum));
  }
  // On samples that were wrong the next member is no better than chance: its share is 1 - 1/K.
  CHECK(weighted_error(standard, kRight) == doctest::Approx(0.9));
}

TEST_CASE("a member that weighs nothing changes no weight") {
  CHECK(next_weights(kWeights, kRight, 0, SammeWeighting::standard) == kWeights);
}

TEST_CASE("resampled batches hold every sample as often as it weighs") {
  WeightedBatches batches(SammeSampling::resample, kWeights, 1000, Stream(1));
  CHECK(batches.batches_in_pass() == 1);
  std::map<std::uint32_t, int> counts;
  constexpr int kDraws = 40000;
  for (int i = 0; i < kDraws / 1000; ++i) {
    for (const std::uint32_t sample : batches.next()) ++counts[sample];
  }
  for (const auto& [sample, count] : counts) {
    const double expected = kWeights[sample] * kDraws;
    CHECK(std::abs(count - expected) < 5 * std::sqrt(expected));
  }
  CHECK(counts.size() == kWeights.size());
}

TEST_CASE("a sample without weight is never drawn") {
  WeightedBatches batches(SammeSampling::resample, std::vector<float>{0, 1, 0}, 100, Stream(1));
  for (const std::uint32_t sample : batches.next()) CHECK(sample == 1);
}

TEST_CASE("repeated batches hold every sample once in a pass, and those of the largest weight twice") {
  WeightedBatches batches(SammeSampling::repeat, std::vector<float>{0.1f, 0.3f, 0.2f, 0.3f}, 2, Stream(1));
  REQUIRE(batches.batches_in_pass() == 3);
  for (int pass = 0; pass < 5; ++pass) {
    std::map<std::uint32_t, int> counts;
    for (int batch = 0; batch < 3; ++batch) {
      for (const std::uint32_t sample : batches.next()) ++counts[sample];
    }
    CHECK(counts == std::map<std::uint32_t, int>{{0, 1}, {1, 2}, {2, 1}, {3, 2}});
  }
}

TEST_CASE("samples of one weight come once in a pass, whatever the sampling") {
  for (const SammeSampling sampling : {SammeSampling::resample, SammeSampling::repeat}) {
    CHECK(WeightedBatches(sampling, equal_weights(10), 3, Stream(1)).batches_in_pass() == 4);
  }
}

}  // namespace ddl::split
