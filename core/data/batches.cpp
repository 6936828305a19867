#include "core/base/check.hpp"
#include "core/data/dataset.hpp"

namespace ddl::data {

void gather(const Dataset& data, std::span<const std::uint32_t> indices, Batch& batch) {
  const std::size_t values = data.shape.size();
  const std::size_t plane = values / static_cast<std::size_t>(data.shape.channels);
  batch.inputs.resize(indices.size() * values);
  batch.labels.resize(indices.size());
  float* out = batch.inputs.data();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::size_t index = indices[i];
    check(index < data.size(), "a batch names a sample the data set does not have");
    batch.labels[i] = data.labels[index];
    const std::uint8_t* in = data.pixels.data() + index * values;
    for (std::size_t channel = 0; channel < data.mean.size(); ++channel) {
      const float mean = data.mean[channel];
      const float scale = data.scale[channel];
      for (std::size_t k = 0; k < plane; ++k) *out++ = (static_cast<float>(*in++) - mean) * scale;
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
