// Parameters as PyTorch's modules of the same network hold them.
//
// PyTorch has the channels of an image as planes, one after the other, and weights as outputs x inputs, of a
// convolution filters x channels x height x width; layers here have the channels of a pixel together, and weights in
// TensorFlow's order of axes (see layer.hpp). So the axes are exchanged and, after a flatten layer, the inputs too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/shape.hpp"

namespace ddl::nn {

class Layer;
class Model;

struct TorchTensor {
  static constexpr std::uint32_t nothing = 0xffffffff;  // a weight that a mask removes: 0
  std::string name;                                     // "conv1.weight": the layer's and PyTorch's
  std::vector<std::size_t> shape;                       // slowest axis first
  std::vector<std::uint32_t> sources;                   // for each value, its place among the layer's or model's own
  bool repeats = false;                                 // has the values of another, to which PyTorch ties it
};

// Tensors of layers one after another. `input` is the shape before flattening, in the order of layers.
std::vector<TorchTensor> torch_tensors(std::span<const std::unique_ptr<Layer>> layers, Shape input);
std::vector<TorchTensor> torch_tensors(const Model& model);

// The position of a value of a sample of this shape, counted plane by plane, when the channels of a pixel are together.
std::size_t place_of_value(Shape shape, std::size_t value);

std::vector<float> values_of(const TorchTensor& tensor, std::span<const float> parameters);

}  // namespace ddl::nn
