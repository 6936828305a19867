// One layer of a network: a function of a batch and a slice of the model's flat parameter vector.
//
// A batch is stored sample after sample, and within a sample pixel after pixel, row by row, the channels of a pixel
// together ("channels last"): a convolution window then is a few contiguous runs, and weights have TensorFlow's order
// of axes: dense inputs x outputs, convolution height x width x channels x filters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/rng.hpp"
#include "core/base/shape.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/kernels/buffer.hpp"
#include "core/nn/torch_tensor.hpp"

namespace ddl::nn {

// One parameter tensor of a layer. `rows`: length of its first axis, or of its input axes for a convolution.
struct LayerTensor {
  std::string name;  // "weight", "bias"
  std::size_t count = 0;
  std::size_t rows = 1;
  std::size_t columns = 0;  // 0: a vector; else a matrix, inputs x outputs or entries of a table x values
};

class Layer;

// A layer within a layer.
struct LayerPart {
  std::string name;  // "conv1", "shortcut.batch_norm1"
  const Layer* layer;
};

struct ForwardCall {
  int batch = 0;
  bool training = false;
  const float* parameters = nullptr;  // parameter_count()
  const float* input = nullptr;       // batch x input().size()
  float* output = nullptr;            // batch x output().size(); overwritten
  Buffer& kept;                       // this layer's, until the backward call
  Buffer& scratch;
  Stream* random = nullptr;  // in training only
  // Index (from 0) of the batch among those that estimate statistics for evaluations; none for all other batches.
  std::optional<int> estimate = std::nullopt;
  const float* tied = nullptr;  // parameters of the model's first layer

  // The same call for a layer within this one.
  ForwardCall within(const float* own, const float* from, float* to, Buffer& part) const {
    return {batch, training, own, from, to, part, scratch, random, estimate, tied};
  }
};

struct BackwardCall {
  int batch = 0;
  const float* parameters = nullptr;
  const float* input = nullptr;  // as in the forward call
  const float* output = nullptr;
  float* output_gradient = nullptr;     // gradient of the loss; the layer may change it
  float* input_gradient = nullptr;      // overwritten; null: not wanted
  float* parameter_gradient = nullptr;  // overwritten
  Buffer& kept;
  Buffer& scratch;
  const float* tied = nullptr;
  float* tied_gradient = nullptr;  // tied_values(); overwritten by the layer that has them

  // The same call for a layer within this one.
  BackwardCall within(const float* own, const float* from, const float* to, float* to_gradient, float* from_gradient,
                      float* own_gradient, Buffer& part) const {
    return {batch, own, from, to, to_gradient, from_gradient, own_gradient, part, scratch, tied, tied_gradient};
  }
};

// A layer that computes some of the output channels of another, and the positions of its parameters among the other's.
struct LayerShare {
  std::unique_ptr<Layer> layer;
  std::vector<std::uint32_t> parameters;
};

// Immutable: shapes and names are fixed when it is made, parameters and memory are the caller's.
class Layer {
 public:
  Layer(Shape input, Shape output) : input_(input), output_(output) {}
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  Shape input() const { return input_; }
  Shape output() const { return output_; }

  virtual const char* kind() const = 0;                            // "conv"
  virtual std::vector<LayerTensor> tensors() const { return {}; }  // in the order of the parameter vector
  // The same in PyTorch. `input` is the shape of the sample's values that it reads, before a flatten layer, if any.
  virtual std::vector<TorchTensor> torch_tensors(Shape input) const;
  // PyTorch's name of the module, where it is not this layer's kind and number; empty: a module that PyTorch has not.
  const std::optional<std::string>& torch_name() const { return torch_name_; }
  void set_torch_name(std::string name) { torch_name_ = std::move(name); }
  virtual double multiply_adds() const { return 0; }  // for one sample's forward pass, with existing weights only
  // Including the weights that a mask removes.
  virtual std::size_t whole_parameter_count() const { return parameter_count(); }
  // The layers it consists of, in the order of the parameters; none: it is one itself.
  virtual std::vector<LayerPart> parts() const { return {}; }
  // Values of a sample that its backward pass needs, beside inputs and outputs, where they are many.
  virtual std::size_t kept_values() const { return 0; }
  // Number of values that it shares with the model's first layer, whose first they are.
  virtual std::size_t tied_values() const { return 0; }
  // True if evaluations need statistics, which forward calls with `estimate` write to `kept`.
  virtual bool needs_estimates() const { return false; }
  // True if the output is the input, so that neither call is needed.
  virtual bool passes_through(bool /*training*/) const { return false; }

  // Number of groups: channels fall into runs of equal length, and an output channel depends only on the inputs of its
  // own run.
  virtual int groups() const { return 1; }
  // The part of the layer for these output channels (ascending, whole groups). It reads the inputs of their groups,
  // i.e. all inputs if there is one group. Throws for layers that only pass values on.
  virtual LayerShare share(std::span<const std::uint32_t> channels) const;

  virtual void initialize(std::span<float> /*parameters*/, Stream& /*random*/) const {}
  virtual void forward(const ForwardCall& call) const = 0;
  virtual void backward(const BackwardCall& call) const = 0;

  std::size_t parameter_count() const {
    std::size_t count = 0;
    for (const LayerTensor& tensor : tensors()) count += tensor.count;
    return count;
  }

 private:
  Shape input_, output_;
  std::optional<std::string> torch_name_;
};

// Names as in a model or a layer made of layers: "conv1.weight".
std::vector<LayerTensor> named_tensors(std::span<const std::unique_ptr<Layer>> layers);
// Each layer with its kind and number, "conv1".
std::vector<LayerPart> named_layers(std::span<const std::unique_ptr<Layer>> layers);

// A batch with the channels of a pixel together, as layers read it: in `buffer`, or the batch itself if already stored
// so.
const float* channels_last(const data::Batch& batch, Shape shape, Buffer& buffer);

}  // namespace ddl::nn
