// Facts about the published sets, counted independently of this program.
#include "tests/support/real_data.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/data/dataset.hpp"

namespace ddl::data::real_data_test {

namespace {

using Counts = std::array<int, 10>;

Counts label_counts(const Dataset& data) {
  Counts counts{};
  for (const auto label : data.labels) ++counts.at(label);
  return counts;
}

double mean_pixel(const Dataset& data) {
  const auto sum = std::accumulate(data.pixels.begin(), data.pixels.end(), std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(data.pixels.size());
}

DataSplit load(DataSource source, const std::string& path) {
  DataSpec spec;
  spec.source = source;
  spec.path = path;
  return load_data(spec, 1);
}

void check_digits_or_clothes(const char* name, DataSource source, const Counts& train, double mean) {
  const auto path = real_data(name);
  if (!path) return;
  const DataSplit data = load(source, *path);
  CHECK(label_counts(data.train) == train);
  CHECK(data.test.size() == 10000);
  CHECK(std::abs(mean_pixel(data.train) - mean) < 0.00005);
}

}  // namespace

TEST_CASE("MNIST has its published label counts and mean pixel") {
  check_digits_or_clothes("mnist", DataSource::mnist, {5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949},
                          33.3184);
}

TEST_CASE("Fashion-MNIST has 6000 images per class and its published mean pixel") {
  Counts each;
  each.fill(6000);
  check_digits_or_clothes("fashion-mnist", DataSource::fashion_mnist, each, 72.9404);
}

TEST_CASE("CIFAR-10 has 1000 test images per class and inputs near mean zero and deviation one") {
  const auto path = real_data("cifar-10");
  if (!path) return;
  const DataSplit data = load(DataSource::cifar_10, *path);
  CHECK(label_counts(data.test) == Counts{1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000});
  CHECK(std::abs(mean_pixel(data.test) - 121.53) < 0.005);
  CHECK(data.train.size() >= 10000);
  CHECK(data.train.size() % 10000 == 0);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < data.train.size(); ++i) {
      const std::uint8_t* plane = data.train.pixels.data() + i * 3072 + channel * 1024;
      for (std::size_t k = 0; k < 1024; ++k) {
        const double input = (plane[k] - data.train.mean[channel]) * data.train.scale[channel];
        sum += input;
        squares += input * input;
      }
    }
    const double count = static_cast<double>(data.train.size()) * 1024;
    CHECK(std::abs(sum / count) < 0.01);
    CHECK(std::sqrt(squares / count) == doctest::Approx(1).epsilon(0.01));
  }
}

TEST_CASE("Tiny Shakespeare has 65 symbols, of which the blank comes 153,274 times in training") {
  const auto path = real_data("tinyshakespeare");
  if (!path) return;
  const DataSplit data = load(DataSource::text, *path);
  CHECK(data.train.classes == 65);
  CHECK(data.train.shape == Shape{16 * 65, 1, 1});
  CHECK(data.train.size() == 1003838);
  CHECK(data.test.size() == 111524);
  constexpr std::uint8_t blank = 1, e = 43;  // behind the end of a line; behind 13 signs, capitals, a to d
  CHECK(std::ranges::count(data.train.labels, blank) == 153274);
  CHECK(std::ranges::count(data.test.labels, e) == 9115);
}

}  // namespace ddl::data::real_data_test
