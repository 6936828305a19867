#include "core/data/subset.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace ddl::data::subset_test {

namespace {

// A set ordered by class, as tools write it that walk folders; a sample's one pixel is its number.
Dataset ordered(const std::vector<std::size_t>& members) {
  Dataset data{.shape = {1, 1, 1}, .classes = static_cast<int>(members.size())};
  for (std::size_t label = 0; label < members.size(); ++label) {
    data.labels.insert(data.labels.end(), members[label], static_cast<std::uint8_t>(label));
  }
  for (std::size_t i = 0; i < data.size(); ++i) data.pixels.push_back(static_cast<std::uint8_t>(i));
  return data;
}

std::vector<std::size_t> counted(const Dataset& data, const std::vector<std::uint32_t>& places) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(data.classes));
  for (const std::uint32_t place : places) ++counts[data.labels[place]];
  return counts;
}

}  // namespace

TEST_CASE("a subset has its classes in proportion, each sample once, in the order of the set") {
  const std::vector<std::size_t> members = {50, 31, 0, 7, 112};
  const Dataset data = ordered(members);
  for (std::size_t count = 1; count <= data.size(); ++count) {
    const auto places = draw_subset(data.labels, count, Stream(count));
    REQUIRE(places.size() == count);
    CHECK(std::ranges::adjacent_find(places, std::ranges::greater_equal()) == places.end());
    const auto counts = counted(data, places);
    for (std::size_t label = 0; label < members.size(); ++label) {
      const double share = static_cast<double>(count * members[label]) / static_cast<double>(data.size());
      CHECK(std::abs(static_cast<double>(counts[label]) - share) < 1);
    }
  }
  CHECK(counted(data, draw_subset(data.labels, 100, Stream(1))) == std::vector<std::size_t>{25, 15, 0, 4, 56});
}

TEST_CASE("the largest remainder is rounded up, and equal ones at random") {
  const Dataset thirds = ordered({10, 10, 10});
  std::array<int, 3> more{};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto counts = counted(thirds, draw_subset(thirds.labels, 10, Stream(seed)));
    more.at(static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())) += 1;
    CHECK(std::ranges::count(counts, 3u) == 2);
  }
  for (const int times : more) CHECK(std::abs(times - 100) < 5 * std::sqrt(300 * 2 / 9.0));
}

TEST_CASE("every sample of a class is as likely to be drawn as another, whatever its place") {
  const Dataset data = ordered({20, 10});
  std::vector<int> drawn(data.size());
  constexpr int draws = 2000;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    for (const std::uint32_t place : draw_subset(data.labels, 6, Stream(seed))) ++drawn[place];
  }
  for (const int times : drawn) CHECK(std::abs(times - draws / 5) < 5 * std::sqrt(draws * 0.2 * 0.8));
}

TEST_CASE("a subset keeps its samples' pixels and their numbers in the file, also when a subset of it is drawn") {
  Dataset data = ordered({60, 60, 60});
  for (const std::size_t count : {90, 30, 4}) {
    keep_subset(data, count, Stream(count));
    REQUIRE(data.size() == count);
    REQUIRE(data.pixels.size() == count);
    for (std::uint32_t place = 0; place < count; ++place) {
      CHECK(data.pixels[place] == data.number_of(place));
      CHECK(data.labels[place] == data.number_of(place) / 60);
    }
  }
}

TEST_CASE("as many samples as there are leave a set as it is") {
  Dataset data = ordered({3, 4});
  keep_subset(data, 7, Stream(1));
  CHECK(data.numbers.empty());
  CHECK(data.pixels == ordered({3, 4}).pixels);
  CHECK(data.number_of(6) == 6);
}

TEST_CASE("the stream alone decides what is drawn") {
  const Dataset data = ordered({50, 50});
  CHECK(draw_subset(data.labels, 10, Stream(1)) == draw_subset(data.labels, 10, Stream(1)));
  CHECK(draw_subset(data.labels, 10, Stream(1)) != draw_subset(data.labels, 10, Stream(2)));
}

}  // namespace ddl::data::subset_test
