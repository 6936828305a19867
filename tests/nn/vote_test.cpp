// Votes of ensembles.
#include "core/nn/vote.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace ddl::nn {
namespace {

using Answers = std::vector<std::vector<std::uint8_t>>;

const std::vector<std::uint8_t> kLabels = {0, 1, 2, 1};

double accuracy(const Answers& answers, const std::vector<double>& weights) {
  return score_of_votes(answers, weights, kLabels, 3).accuracy;
}

}  // namespace

TEST_CASE("an ensemble of one is that member, whatever it weighs") {
  const Answers one = {{0, 1, 1, 0}};
  CHECK(accuracy(one, {1}) == 0.5);
  CHECK(accuracy(one, {0.001}) == 0.5);
}

TEST_CASE("identical members vote as one") {
  const std::vector<std::uint8_t> answers = {0, 1, 1, 0};
  CHECK(accuracy({answers, answers, answers}, {1, 2, 3}) == accuracy({answers}, {1}));
}

TEST_CASE("the heavier votes win, also over more members") {
  // Two members of weight 1 are wrong about the third sample, in one way, and one is right.
  const Answers answers = {{0, 1, 1, 1}, {0, 1, 1, 1}, {0, 1, 2, 1}};
  CHECK(accuracy(answers, {1, 1, 1}) == 0.75);
  CHECK(accuracy(answers, {1, 1, 2.5}) == 1);
}

TEST_CASE("the first of classes with equal votes counts") {
  CHECK(accuracy({{2, 1, 2, 1}, {0, 1, 0, 1}}, {1, 1}) == 0.75);
}

TEST_CASE("the loss is that of probabilities exp(C K / (K - 1)^2) of the votes C") {
  // Votes 2 : 1 : 0 for one sample of each class.
  const std::vector<std::uint8_t> labels = {0, 1, 2};
  const Score score = score_of_votes(Answers{{0, 0, 0}, {1, 1, 1}}, std::vector<double>{2, 1}, labels, 3);
  const double scale = 3.0 / 4;
  const double total = std::exp(2 * scale) + std::exp(scale) + 1;
  CHECK(score.loss == doctest::Approx((3 * std::log(total) - 2 * scale - scale) / 3));
  // No vote at all is a uniform guess.
  CHECK(score_of_votes(Answers{{0, 0, 0}}, std::vector<double>{0}, labels, 3).loss == doctest::Approx(std::log(3.0)));
}

}  // namespace ddl::nn
