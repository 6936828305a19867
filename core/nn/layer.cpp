#include "core/nn/layer.hpp"

#include <map>

#include "core/base/check.hpp"

namespace ddl::nn {

std::vector<TorchTensor> Layer::torch_tensors(Shape) const {
  check(parameter_count() == 0, "a layer with parameters says how PyTorch has them");
  return {};
}

LayerShare Layer::share(std::span<const std::uint32_t>) const {
  throw InternalError(std::string("a share of a \"") + kind() + "\" layer");
}

std::vector<LayerPart> named_layers(std::span<const std::unique_ptr<Layer>> layers) {
  std::vector<LayerPart> all;
  std::map<std::string, int> seen;
  for (const auto& layer : layers) {
    const std::string kind = layer->kind();
    all.push_back({kind + std::to_string(++seen[kind]), layer.get()});
  }
  return all;
}

std::vector<LayerTensor> named_tensors(std::span<const std::unique_ptr<Layer>> layers) {
  std::vector<LayerTensor> all;
  for (const auto& [name, layer] : named_layers(layers)) {
    for (const LayerTensor& tensor : layer->tensors())
      all.push_back({name + "." + tensor.name, tensor.count, tensor.rows, tensor.columns});
  }
  return all;
}

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
