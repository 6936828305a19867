#include "core/nn/layer.hpp"

#include <map>

#include "core/base/check.hpp"

namespace ddl::nn {

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
      all.push_back({name + "." + tensor.name, tensor.count, tensor.rows});
  }
  return all;
}

}  // namespace ddl::nn
