#include "core/data/own_files.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/data/key_error.hpp"
#include "core/data/loaders.hpp"
#include "core/data/subset.hpp"

namespace ddl::data {
namespace {

std::string text_of(std::span<const std::uint64_t> axes) {
  std::string text;
  for (const std::uint64_t axis : axes) text += (text.empty() ? "" : " x ") + std::to_string(axis);
  return text;
}

// Reorders samples whose channels come last.
template <class Value>
void make_planes_of(std::vector<Value>& values, Shape shape) {
  const std::size_t channels = unsigned_of(shape.channels), size = shape.size(), plane = size / channels;
  std::vector<Value> sample(size);
  for (std::size_t begin = 0; begin < values.size(); begin += size) {
    for (std::size_t i = 0; i < size; ++i) sample[i % channels * plane + i / channels] = values[begin + i];
    std::ranges::copy(sample, values.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

template <class Value>
void measure(const std::vector<Value>& values, Dataset& train) {
  const std::size_t channels = unsigned_of(train.shape.channels), plane = train.shape.size() / channels;
  std::vector<double> sums(channels), squares(channels);
  const auto each = [&](const auto& visit) {
    for (std::size_t i = 0; i < values.size(); ++i) visit(i / plane % channels, static_cast<double>(values[i]));
  };
  const double count = static_cast<double>(train.size() * plane);
  each([&](std::size_t channel, double value) { sums[channel] += value; });
  for (double& sum : sums) sum /= count;
  each([&](std::size_t channel, double value) {
    squares[channel] += (value - sums[channel]) * (value - sums[channel]);
  });
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const double deviation = std::sqrt(squares[channel] / count);
    train.mean[channel] = static_cast<float>(sums[channel]);
    train.scale[channel] = deviation > 0 ? static_cast<float>(1 / deviation) : 1;
  }
}

}  // namespace

Shape shape_of_axes(std::span<const std::uint64_t> axes, std::optional<Channels> channels, const Fail& fail) {
  constexpr std::uint64_t longest = 1 << 24, most_values = 1 << 24;
  std::uint64_t values = 1;
  for (const std::uint64_t axis : axes) {
    if (axis >= 1 && axis <= longest) values *= axis;
    if (axis < 1 || axis > longest || values > most_values) {
      fail("has samples of " + text_of(axes) + "; expected 1 to " + with_separators(std::to_string(most_values)) +
           " values");
    }
  }
  const auto side = [&](std::size_t axis) { return static_cast<int>(axes[axis]); };
  if (axes.size() != 3 && channels) {
    fail("has samples of " + (axes.empty() ? "1" : text_of(axes)) +
         ", but data.channels is given; expected three axes, or no such key");
  }
  switch (axes.size()) {
    case 0:
      return {};
    case 1:
      return {side(0), 1, 1};
    case 2:
      return {1, side(0), side(1)};
    case 3: {
      const auto looks = [&](std::size_t axis) { return axes[axis] == 1 || axes[axis] == 3 || axes[axis] == 4; };
      if (!channels && looks(2) && !looks(0)) {
        fail("has samples of " + text_of(axes) +
             ", whose channels seem to come last; expected data.channels to be \"last\" or \"first\"");
      }
      if (channels.value_or(Channels::first) == Channels::last) return {side(2), side(0), side(1)};
      return {side(0), side(1), side(2)};
    }
    default:
      fail("has samples of " + std::to_string(axes.size()) + " axes; expected at most 3: channels, height, width");
  }
  throw InternalError("a shape that was refused");
}

void make_planes(Dataset& data) {
  make_planes_of(data.pixels, data.shape);
  make_planes_of(data.values, data.shape);
}

std::size_t held_out_of(std::size_t samples, const DataSpec& spec) {
  const double wanted = spec.held_out.value_or(share_held_out) * static_cast<double>(samples);
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(wanted)));
}

DataSplit divided(WholeData whole, const DataSpec& spec, std::uint64_t seed) {
  if (whole.test && spec.held_out) {
    throw KeyError("held_out", "is given, but " + whole.test_where + " has samples for testing; expected no such key");
  }
  if (!whole.test) {
    const std::size_t taken = held_out_of(whole.train.size(), spec);
    if (taken >= whole.train.size()) {
      throw InputError(whole.where + ": has " + counted(static_cast<std::int64_t>(whole.train.size()), "sample") +
                       ", of which " + std::to_string(taken) + " would be kept for testing; expected others, too");
    }
    whole.test = take_subset(whole.train, taken, stream(seed, "everybody", "held-out samples"));
    whole.test_where = whole.where;
  }
  DataSplit data{std::move(whole.train), std::move(*whole.test)};
  use_samples(data.train, whole.where, {"train", spec.train, seed});
  use_samples(data.test, whole.test_where, {"test", spec.test, seed});
  return data;
}

void standardize(DataSplit& data) {
  if (data.train.values.empty()) {
    measure(data.train.pixels, data.train);
  } else {
    measure(data.train.values, data.train);
  }
  data.test.mean = data.train.mean;
  data.test.scale = data.train.scale;
}

}  // namespace ddl::data
