// A computation as a list of layers applied to numbered values, run forwards and backwards piece by piece: one host's
// part of a model that several hosts share.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/nn/kernels/buffer.hpp"
#include "core/nn/layer.hpp"

namespace ddl::split {

struct TapeOp {
  const nn::Layer* layer = nullptr;  // null: ReLU of the sum of two values, as at the end of a residual block
  int input = 0, addend = -1, output = 0;
  std::size_t parameters = 0;  // where the layer's parameters begin in the tape's vector
};

// Immutable once recorded. Value 0 is the input.
struct Tape {
  std::vector<std::size_t> values;  // floats of one sample in each
  std::vector<TapeOp> ops;
  std::size_t parameter_count = 0;
  bool input_gradient = false;                     // true if the gradient with respect to value 0 is needed
  std::vector<std::unique_ptr<nn::Layer>> layers;  // layers that no model owns

  int add_value(std::size_t floats);
  // Records the application of a layer; returns the number of the new value.
  int apply(const nn::Layer& layer, int input);
  int apply(std::unique_ptr<nn::Layer> layer, int input);
  int add(int a, int b);
  double multiply_adds(std::size_t first, std::size_t last) const;  // forwards, for ops [first, last) and one sample
};

// The memory of one computation along a tape.
class TapeRun {
 public:
  explicit TapeRun(const Tape& tape);

  // A new batch. `random` drives dropout in training; without it values are those of an evaluation. `estimate`: see
  // ForwardCall.
  void begin(int batch, Stream* random, std::optional<int> estimate = std::nullopt);
  int batch() const { return batch_; }
  // Sets a value computed elsewhere; it must outlive the batch.
  void use(int value, const float* floats) { values_[at(value)] = floats; }
  const float* value(int value) const { return values_[at(value)]; }
  std::size_t floats_of_sample(int value) const { return tape_.values[at(value)]; }
  float* room(int value);  // for a value that the caller fills, batch x its floats

  // Ops [first, last).
  void forward(std::size_t first, std::size_t last, const float* parameters);
  // The same backwards; gradients with respect to their outputs are known. `parameter_gradient` is overwritten where
  // they have any.
  void backward(std::size_t first, std::size_t last, const float* parameters, float* parameter_gradient);
  // The gradient of the loss with respect to a value: the sum over the later ops run so far.
  float* gradient(int value);
  void add_gradient(int value, const float* floats);

 private:
  static std::size_t at(int value) { return static_cast<std::size_t>(value); }
  std::size_t floats(int value) const { return static_cast<std::size_t>(batch_) * tape_.values[at(value)]; }

  const Tape& tape_;
  int batch_ = 0;
  Stream* random_ = nullptr;
  std::optional<int> estimate_;
  std::vector<const float*> values_;
  std::vector<nn::Buffer> outputs_, gradients_;  // by value
  std::vector<char> has_gradient_;
  std::vector<nn::Buffer> kept_;  // by op
  nn::Buffer scratch_, spare_;
};

// Mean cross-entropy of the network's outputs, a value of `run`; also sets the gradient with respect to them.
double cross_entropy(TapeRun& run, int outputs, std::span<const std::uint8_t> labels);

}  // namespace ddl::split
