#include "core/nn/kernels/channels_last.hpp"

namespace ddl::nn {

const float* channels_last(const data::Batch& batch, Shape shape, Buffer& buffer) {
  if (shape.channels == 1 || shape.height * shape.width == 1) return batch.inputs.data();
  const auto channels = static_cast<std::size_t>(shape.channels);
  const std::size_t plane = shape.size() / channels;
  float* const start = buffer.room(batch.inputs.size());
  float* to = start;
  for (const float* image = batch.inputs.data(); image != batch.inputs.data() + batch.inputs.size();
       image += plane * channels) {
    for (std::size_t pixel = 0; pixel < plane; ++pixel) {
      for (std::size_t c = 0; c < channels; ++c) *to++ = image[c * plane + pixel];
    }
  }
  return start;
}

}  // namespace ddl::nn
