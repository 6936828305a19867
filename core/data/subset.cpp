#include "core/data/subset.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "core/base/check.hpp"

namespace ddl::data {
namespace {

constexpr std::size_t most_classes = 256;  // that a byte can name

using Counts = std::array<std::size_t, most_classes>;

// How many of each class are drawn: by largest remainder.
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

void keep_subset(Dataset& data, std::size_t count, Stream random) {
  if (count == data.size()) return;
  const std::vector<std::uint32_t> places = draw_subset(data.labels, count, random);
  const std::size_t values = data.shape.size();
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < count; ++i) {  // ascending: nothing is overwritten that is still wanted
    const std::size_t from = places[i];
    numbers.push_back(data.number_of(places[i]));
    data.labels[i] = data.labels[from];
    std::copy_n(data.pixels.begin() + static_cast<std::ptrdiff_t>(from * values), values,
                data.pixels.begin() + static_cast<std::ptrdiff_t>(i * values));
  }
  data.numbers = std::move(numbers);
  data.labels.resize(count);
  data.pixels.resize(count * values);
  data.labels.shrink_to_fit();
  data.pixels.shrink_to_fit();
}

}  // namespace ddl::data
