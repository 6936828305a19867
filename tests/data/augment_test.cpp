// Images cropped within a border of black pixels, and flipped, as minibatches draw them.
#include "core/data/augment.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/data/dataset.hpp"

namespace ddl::data::augment_test {
namespace {

constexpr int height = 6, width = 5;

// Pixel (row, column) of channel c is 100 c + 10 row + column + 1 (at most 255): no two of a channel are alike, none 0.
Dataset one_image(int channels) {
  Dataset data;
  data.shape = {channels, height, width};
  data.classes = 10;
  for (int channel = 0; channel < channels; ++channel) {
    data.mean.push_back(static_cast<float>(7 + channel));
    data.scale.push_back(0.5f / static_cast<float>(1 + channel));
    for (int row = 0; row < height; ++row) {
      for (int column = 0; column < width; ++column) {
        data.pixels.push_back(static_cast<std::uint8_t>(100 * channel + 10 * row + column + 1));
      }
    }
  }
  data.labels = {3};
  return data;
}

// A network's input by definition: `height` rows from `row` on and `width` columns from `column` on of the image with a
// border of four black rows and columns; flipped, the last column first.
std::vector<float> expected(const Dataset& data, const Crop& crop) {
  std::vector<float> values;
  for (int channel = 0; channel < data.shape.channels; ++channel) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const int row = y + crop.row - 4, column = (crop.flipped ? width - 1 - x : x) + crop.column - 4;
        const bool inside = row >= 0 && row < height && column >= 0 && column < width;
        const int byte = inside ? 100 * channel + 10 * row + column + 1 : 0;
        const auto c = static_cast<std::size_t>(channel);
        values.push_back((static_cast<float>(byte) - data.mean[c]) * data.scale[c]);
      }
    }
  }
  return values;
}

// The image, cropped as a stream with this seed says.
std::vector<float> gathered(const Dataset& data, std::uint64_t seed) {
  Batch batch;
  gather(data, std::array<std::uint32_t, 1>{0}, batch, Stream(seed));
  return batch.inputs;
}

Crop crop_of(std::uint64_t seed) {
  Stream random(seed);
  return draw_crop(random);
}

}  // namespace

TEST_CASE("an image is cropped within its black border, and flipped, as is drawn for it") {
  for (const int channels : {1, 2}) {
    const Dataset data = one_image(channels);
    std::array<std::array<std::array<bool, 2>, 9>, 9> seen{};
    int left = 9 * 9 * 2;
    for (std::uint64_t seed = 0; seed < 10000 && left > 0; ++seed) {
      const Crop crop = crop_of(seed);
      bool& there = seen.at(static_cast<std::size_t>(crop.row)).at(static_cast<std::size_t>(crop.column))[crop.flipped];
      if (there) continue;
      there = true;
      --left;
      CAPTURE(crop.row);
      CAPTURE(crop.column);
      CAPTURE(crop.flipped);
      CHECK(gathered(data, seed) == expected(data, crop));
    }
    CHECK(left == 0);
  }
}

TEST_CASE("rows, columns and mirrors are drawn independently, all alike") {
  // Each of 162 crops is drawn n / 162 times, to within a binomial deviation: the sum of squared differences over their
  // variance has mean 161 and deviation sqrt(2 * 161) = 18.
  constexpr int draws = 162 * 500;
  std::array<int, 162> count{};
  int flipped = 0;
  Stream random(11);
  for (int i = 0; i < draws; ++i) {
    const Crop crop = draw_crop(random);
    ++count.at(static_cast<std::size_t>(crop.row * 18 + crop.column * 2 + (crop.flipped ? 1 : 0)));
    flipped += crop.flipped ? 1 : 0;
  }
  double squares = 0;
  for (const int of : count) squares += (of - 500.0) * (of - 500.0) / 500;
  CHECK(std::abs(squares - 161) < 5 * 18);
  CHECK(std::abs(flipped - draws / 2.0) < 5 * std::sqrt(draws / 4.0));
}

TEST_CASE("each image of a minibatch has a crop of its own, in turn") {
  const Dataset data = one_image(1);
  Batch batch;
  gather(data, std::array<std::uint32_t, 3>{0, 0, 0}, batch, Stream(5));
  Stream random(5);
  std::vector<float> all;
  for (int i = 0; i < 3; ++i) {
    const std::vector<float> one = expected(data, draw_crop(random));
    all.insert(all.end(), one.begin(), one.end());
  }
  CHECK(batch.inputs == all);
  CHECK(batch.labels == std::vector<std::uint8_t>{3, 3, 3});
}

}  // namespace ddl::data::augment_test
