#include "core/nn/layer.hpp"

#include <map>

#include "core/base/check.hpp"

namespace ddl {

LayerPart Layer::part(std::span<const std::uint32_t>) const {
  throw InternalError(std::string("a part of a \"") + kind() + "\" layer");
}

std::vector<LayerTensor> named_tensors(std::span<const std::unique_ptr<Layer>> layers) {
  std::vector<LayerTensor> all;
  std::map<std::string, int> seen;
  for (const auto& layer : layers) {
    const std::vector<LayerTensor> tensors = layer->tensors();
    if (tensors.empty()) continue;
    const std::string name = layer->kind() + std::to_string(++seen[layer->kind()]);
    for (const LayerTensor& tensor : tensors) all.push_back({name + "." + tensor.name, tensor.count, tensor.rows});
  }
  return all;
}

}  // namespace ddl
