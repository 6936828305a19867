#include <algorithm>

#include "core/base/check.hpp"
#include "core/data/augment.hpp"
#include "core/data/dataset.hpp"

namespace ddl::data {
namespace {

// One channel's normalisation: a network's input for a value.
struct Scaling {
  float mean, scale;
  float operator()(float value) const { return (value - mean) * scale; }
};

// Crops one plane of height x width.
template <class Value>
void crop_plane(const Value* in, int height, int width, const Crop& crop, Scaling scaled, float* out) {
  const int down = crop.row - Crop::border, right = crop.column - Crop::border;
  const int begin = std::clamp(-right, 0, width), end = std::clamp(width - right, begin, width);
  for (int y = 0; y < height; ++y, out += width) {
    std::fill(out, out + width, scaled(0));
    if (y + down < 0 || y + down >= height) continue;
    const Value* const row = in + (y + down) * width;
    if (crop.flipped) {
      for (int x = begin; x < end; ++x) out[width - 1 - x] = scaled(row[x + right]);
    } else {
      for (int x = begin; x < end; ++x) out[x] = scaled(row[x + right]);
    }
  }
}

// Writes the sample at `in` to `out`; `crop` is null for an uncropped sample.
template <class Value>
void gather_sample(const Dataset& data, const Value* in, const Crop* crop, float* out) {
  const std::size_t plane = data.shape.size() / static_cast<std::size_t>(data.shape.channels);
  for (std::size_t channel = 0; channel < data.mean.size(); ++channel, in += plane, out += plane) {
    const Scaling scaled{data.mean[channel], data.scale[channel]};
    if (crop) {
      crop_plane(in, data.shape.height, data.shape.width, *crop, scaled, out);
    } else {
      std::transform(in, in + plane, out, scaled);
    }
  }
}

// Writes the symbols from number `begin` on to `out`.
void expand_symbols(const Dataset& data, std::size_t begin, float* out) {
  const auto classes = static_cast<std::size_t>(data.classes);
  std::fill_n(out, data.shape.size(), 0.0f);
  for (std::size_t i = 0; i < static_cast<std::size_t>(data.context); ++i) {
    out[i * classes + data.symbols[begin + i]] = 1;
  }
}

// Writes the symbols from number `begin` on to `out`, and those behind them to `labels`.
void copy_symbols(const Dataset& data, std::size_t begin, float* out, std::uint8_t* labels) {
  const auto from = data.symbols.begin() + static_cast<std::ptrdiff_t>(begin);
  std::copy_n(from, data.context, out);
  std::copy_n(from + 1, data.context, labels);
}

}  // namespace

Crop draw_crop(Stream& random) {
  const auto drawn = static_cast<int>(random.below(2 * Crop::places * Crop::places));
  return {.row = drawn / (2 * Crop::places), .column = drawn / 2 % Crop::places, .flipped = drawn % 2 == 1};
}

void gather(const Dataset& data, std::span<const std::uint32_t> indices, Batch& batch, std::optional<Stream> crops) {
  const std::size_t values = data.shape.size();
  batch.inputs.resize(indices.size() * values);
  batch.positions = data.positions();
  batch.labels.resize(indices.size() * batch.positions);
  float* out = batch.inputs.data();
  for (std::size_t i = 0; i < indices.size(); ++i, out += values) {
    const std::size_t index = indices[i];
    check(index < data.size(), "a batch names a sample the data set does not have");
    if (data.by_position) {
      copy_symbols(data, data.number_of(indices[i]), out, batch.labels.data() + i * batch.positions);
      continue;
    }
    batch.labels[i] = data.labels[index];
    if (data.context > 0) {
      expand_symbols(data, data.number_of(indices[i]), out);
      continue;
    }
    const Crop drawn = crops ? draw_crop(*crops) : Crop{};
    const Crop* const crop = crops ? &drawn : nullptr;
    if (data.values.empty()) {
      gather_sample(data, data.pixels.data() + index * values, crop, out);
    } else {
      gather_sample(data, data.values.data() + index * values, crop, out);
    }
  }
}

BatchStream::BatchStream(std::vector<std::uint32_t> shard, int batch_size, bool shuffled, Stream random)
    : shard_(std::move(shard)),
      batch_size_(static_cast<std::size_t>(batch_size)),
      shuffled_(shuffled),
      random_(random),
      position_(shard_.size()) {
  check(!shard_.empty(), "a worker has no samples");
  check(batch_size > 0, "a batch has at least one sample");
}

std::vector<std::uint32_t> BatchStream::next() {
  std::vector<std::uint32_t> batch;
  batch.reserve(batch_size_);
  while (batch.size() < batch_size_) {
    if (position_ == shard_.size()) {
      if (shuffled_) shuffle(std::span(shard_), random_);
      position_ = 0;
    }
    batch.push_back(shard_[position_++]);
  }
  return batch;
}

}  // namespace ddl::data
