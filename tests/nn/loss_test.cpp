#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "core/base/check.hpp"
#include "core/nn/softmax_cross_entropy.hpp"

namespace ddl::nn {

using Labels = std::vector<std::uint8_t>;

TEST_CASE("equal outputs lose the logarithm of the number of classes") {
  const std::vector<float> outputs(2 * 10, 3.5f);
  const LossSum sum = softmax_cross_entropy(outputs.data(), Labels{0, 7}, 10, nullptr);
  CHECK(sum.loss == doctest::Approx(2 * std::log(10.0)).epsilon(1e-14));
  CHECK(sum.correct == 1);  // the first of equal outputs counts as the answer
}

TEST_CASE("loss and gradient of two classes follow the logistic function") {
  const std::vector<float> outputs = {1, 3};
  std::vector<float> gradient(2);
  const LossSum sum = softmax_cross_entropy(outputs.data(), Labels{0}, 2, gradient.data());
  const double wrong = 1 / (1 + std::exp(-2.0));  // probability of the second class
  CHECK(sum.loss == doctest::Approx(-std::log(1 - wrong)).epsilon(1e-12));
  CHECK(sum.correct == 0);
  CHECK(gradient[0] == doctest::Approx(-wrong).epsilon(1e-6));
  CHECK(gradient[1] == doctest::Approx(wrong).epsilon(1e-6));
}

TEST_CASE("the gradient is of the mean loss and may overwrite the outputs") {
  std::vector<float> outputs = {0, 0, 0, 0};
  softmax_cross_entropy(outputs.data(), Labels{0, 1}, 2, outputs.data());
  CHECK(outputs == std::vector<float>{-0.25f, 0.25f, 0.25f, -0.25f});
}

TEST_CASE("huge outputs neither overflow nor lose the answer") {
  const std::vector<float> outputs = {1e30f, -1e30f, 3e4f, -3e4f};
  std::vector<float> gradient(4);
  const LossSum sum = softmax_cross_entropy(outputs.data(), Labels{0, 1}, 2, gradient.data());
  CHECK(sum.loss == doctest::Approx(6e4));
  CHECK(sum.correct == 1);
  CHECK(gradient[2] == 0.5f);
}

TEST_CASE("a label beyond the classes is an error of the program") {
  const std::vector<float> outputs = {1, 3};
  CHECK_THROWS_AS(softmax_cross_entropy(outputs.data(), Labels{2}, 2, nullptr), InternalError);
}

}  // namespace ddl::nn
