#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/base/check.hpp"
#include "core/data/dataset.hpp"

namespace ddl::data::synthetic_test {

namespace {

DataSplit generated(std::int64_t train, std::int64_t test, std::uint64_t seed) {
  DataSpec spec;
  spec.train = train;
  spec.test = test;
  return load_data(spec, seed);
}

template <class T>
bool starts_with(const std::vector<T>& whole, const std::vector<T>& part) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

// Share of `test` nearest to its own class mean of `train`: the accuracy of one template per class.
double template_accuracy(const Dataset& train, const Dataset& test) {
  const std::size_t values = train.shape.size();
  std::vector<double> means(10 * values);
  std::array<double, 10> counts{};
  for (std::size_t i = 0; i < train.size(); ++i) ++counts[train.labels[i]];
  for (std::size_t i = 0; i < train.size(); ++i) {
    const std::size_t label = train.labels[i];
    for (std::size_t k = 0; k < values; ++k) means[label * values + k] += train.pixels[i * values + k] / counts[label];
  }
  int right = 0;
  for (std::size_t i = 0; i < test.size(); ++i) {
    std::array<double, 10> distances{};
    for (std::size_t label = 0; label < 10; ++label) {
      for (std::size_t k = 0; k < values; ++k) {
        const double difference = test.pixels[i * values + k] - means[label * values + k];
        distances[label] += difference * difference;
      }
    }
    const auto nearest = std::min_element(distances.begin(), distances.end()) - distances.begin();
    if (nearest == test.labels[i]) ++right;
  }
  return right / static_cast<double>(test.size());
}

}  // namespace

TEST_CASE("the default set is 8000 and 1000 images of 12 x 12 in ten classes") {
  const DataSplit data = load_data({}, 1);
  CHECK(data.train.size() == 8000);
  CHECK(data.test.size() == 1000);
  for (const Dataset* set : {&data.train, &data.test}) {
    CHECK(set->shape == Shape{1, 12, 12});
    CHECK(set->shape == data_shape(DataSource::synthetic).shape);
    CHECK(set->classes == 10);
    CHECK(set->pixels.size() == set->size() * 144);
    CHECK(set->mean.size() == 1);
    CHECK(set->scale.size() == 1);
  }
}

TEST_CASE("asking for more samples changes neither the first ones nor the other set") {
  const DataSplit small = generated(37, 21, 4), more_train = generated(500, 21, 4), more_test = generated(37, 300, 4);
  CHECK(starts_with(more_train.train.pixels, small.train.pixels));
  CHECK(starts_with(more_train.train.labels, small.train.labels));
  CHECK(more_train.test.pixels == small.test.pixels);
  CHECK(more_train.test.labels == small.test.labels);
  CHECK(starts_with(more_test.test.pixels, small.test.pixels));
  CHECK(more_test.train.pixels == small.train.pixels);
  CHECK(more_train.train.mean == small.train.mean);
  CHECK(more_train.train.scale == small.train.scale);
}

TEST_CASE("the seed decides the images and the two sets are not the same") {
  const DataSplit one = generated(50, 50, 1), again = generated(50, 50, 1), other = generated(50, 50, 2);
  CHECK(one.train.pixels == again.train.pixels);
  CHECK(one.train.labels == again.train.labels);
  CHECK(one.train.pixels != other.train.pixels);
  CHECK(one.test.pixels != other.test.pixels);
  CHECK(one.train.pixels != one.test.pixels);
}

TEST_CASE("classes are balanced to one sample wherever the set is cut") {
  for (const std::int64_t count : {9, 10, 95, 1234}) {
    std::array<std::int64_t, 10> counts{};
    for (const auto label : generated(count, 1, 6).train.labels) ++counts.at(label);
    for (const auto n : counts) {
      CHECK(n >= count / 10);
      CHECK(n <= (count + 9) / 10);
    }
  }
}

TEST_CASE("inputs are near mean zero and deviation one") {
  const Dataset data = generated(2000, 1, 1).train;
  double sum = 0, squares = 0;
  for (const auto pixel : data.pixels) {
    const double input = (pixel - data.mean[0]) * data.scale[0];
    sum += input;
    squares += input * input;
  }
  const double count = static_cast<double>(data.pixels.size());
  CHECK(std::abs(sum / count) < 0.1);
  CHECK(std::sqrt(squares / count) == doctest::Approx(1).epsilon(0.1));
}

TEST_CASE("one template per class recognises far more than chance and far from all") {
  for (const std::uint64_t seed : {1u, 2u}) {
    const DataSplit data = generated(4000, 1000, seed);
    const double accuracy = template_accuracy(data.train, data.test);
    CHECK(accuracy > 0.25);
    CHECK(accuracy < 0.60);
  }
}

TEST_CASE("a count that is not possible is an error before anything is generated") {
  for (const std::int64_t count : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{10'000'001}}) {
    CHECK_THROWS_AS(generated(count, 1, 1), InputError);
    CHECK_THROWS_AS(generated(1, count, 1), InputError);
  }
}

}  // namespace ddl::data::synthetic_test
