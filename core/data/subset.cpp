#include "core/data/subset.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "core/base/check.hpp"

namespace ddl::data {
namespace {

constexpr std::size_t most_classes = 256;  // limit of a byte

using Counts = std::array<std::size_t, most_classes>;

// The number of samples drawn from each class: by largest remainder.
Counts quotas_of(const Counts& members, std::size_t all, std::size_t count, Stream& random) {
  Counts quotas{}, remainders{};
  std::array<std::size_t, most_classes> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::size_t left = count;
  for (std::size_t label = 0; label < most_classes; ++label) {
    quotas[label] = count * members[label] / all;
    remainders[label] = count * members[label] % all;
    left -= quotas[label];
  }
  shuffle(std::span<std::size_t>(order), random);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t label) { return remainders[label]; });
  for (std::size_t i = 0; i < left; ++i) ++quotas[order[i]];
  return quotas;
}

}  // namespace

std::vector<std::uint32_t> draw_subset(std::span<const std::uint8_t> labels, std::size_t count, Stream random) {
  check(count <= labels.size(), "as many samples as there are");
  std::vector<std::vector<std::uint32_t>> members(most_classes);
  for (std::size_t i = 0; i < labels.size(); ++i) members[labels[i]].push_back(static_cast<std::uint32_t>(i));
  Counts sizes{};
  for (std::size_t label = 0; label < most_classes; ++label) sizes[label] = members[label].size();
  std::vector<std::uint32_t> drawn;
  if (count == 0) return drawn;
  const Counts quotas = quotas_of(sizes, labels.size(), count, random);
  for (std::size_t label = 0; label < most_classes; ++label) {
    shuffle(std::span(members[label]), random);
    drawn.insert(drawn.end(), members[label].begin(),
                 members[label].begin() + static_cast<std::ptrdiff_t>(quotas[label]));
  }
  std::ranges::sort(drawn);
  return drawn;
}

void keep_places(Dataset& data, std::span<const std::uint32_t> places) {
  const std::size_t count = places.size(), size = data.shape.size();
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t place : places) numbers.push_back(data.number_of(place));
  const auto keep = [&](auto& values, std::size_t each) {
    if (values.empty()) return;
    for (std::size_t i = 0; i < count; ++i) {  // ascending: overwrites only samples that are no longer needed
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(places[i] * each), each,
                  values.begin() + static_cast<std::ptrdiff_t>(i * each));
    }
    values.resize(count * each);
    values.shrink_to_fit();
  };
  keep(data.labels, 1);
  keep(data.pixels, size);
  keep(data.values, size);
  keep(data.groups, 1);
  data.numbers = std::move(numbers);
}

void keep_subset(Dataset& data, std::size_t count, Stream random) {
  if (count != data.size()) keep_places(data, draw_subset(data.labels, count, random));
}

Dataset take_subset(Dataset& data, std::size_t count, Stream random) {
  const std::vector<std::uint32_t> places = draw_subset(data.labels, count, random);
  std::vector<std::uint32_t> others;
  for (std::uint32_t place = 0; place < data.size(); ++place) {
    if (!std::ranges::binary_search(places, place)) others.push_back(place);
  }
  Dataset taken = data;
  keep_places(taken, places);
  keep_places(data, others);
  return taken;
}

}  // namespace ddl::data
