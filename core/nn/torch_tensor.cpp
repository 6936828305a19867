#include "core/nn/torch_tensor.hpp"

#include "core/nn/layer.hpp"
#include "core/nn/model.hpp"

namespace ddl::nn {
namespace {

// Shape of a layer's output for inputs of shape `before`, perhaps flattened.
Shape shape_behind(const Layer& layer, Shape before) {
  const Shape after = layer.output();
  if (after.height * after.width > 1) return after;
  const bool by_channel = layer.groups() == layer.input().channels;
  const bool keeps_order = after.size() == layer.input().size() && (layer.parameter_count() == 0 || by_channel);
  return keeps_order ? before : after;
}

}  // namespace

std::size_t place_of_value(Shape shape, std::size_t value) {
  const std::size_t plane = unsigned_of(shape.height) * unsigned_of(shape.width);
  return value % plane * unsigned_of(shape.channels) + value / plane;
}

std::vector<TorchTensor> torch_tensors(std::span<const std::unique_ptr<Layer>> layers, Shape input) {
  std::vector<TorchTensor> all;
  std::uint32_t offset = 0;
  for (const auto& [name, layer] : named_layers(layers)) {
    for (TorchTensor& tensor : layer->torch_tensors(input)) {
      const std::string prefix = layer->torch_name().value_or(name);
      if (!prefix.empty()) tensor.name = prefix + "." + tensor.name;
      for (std::uint32_t& source : tensor.sources) {
        if (source != TorchTensor::nothing) source += offset;
      }
      all.push_back(std::move(tensor));
    }
    offset += static_cast<std::uint32_t>(layer->parameter_count());
    input = shape_behind(*layer, input);
  }
  return all;
}

std::vector<TorchTensor> torch_tensors(const Model& model) {
  std::vector<TorchTensor> all = torch_tensors(model.layers(), model.layers().front()->input());
  if (model.layers().back()->tied_values() == 0) return all;
  TorchTensor head = all.front();
  head.name = "lm_head.weight";
  head.repeats = true;
  all.push_back(std::move(head));
  return all;
}

std::vector<float> values_of(const TorchTensor& tensor, std::span<const float> parameters) {
  std::vector<float> values;
  values.reserve(tensor.sources.size());
  for (const std::uint32_t source : tensor.sources) {
    values.push_back(source == TorchTensor::nothing ? 0 : parameters[source]);
  }
  return values;
}

}  // namespace ddl::nn
