// A model layer by layer: its parameters, the part of them that a mask keeps, and their cost.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/nn/model.hpp"

namespace ddl::nn {

struct LayerRow {
  std::string name;  // "residual3.shortcut.conv1"
  std::string kind;  // "conv"
  Shape input, output;
  std::size_t weights = 0;  // existing weights of dense and convolutional layers
  std::size_t others = 0;   // biases, scales and shifts
  std::size_t whole = 0;    // all parameters, including those that a mask removes
  // Multiply-adds of one sample's forward pass with the weights that exist, and two per value of batch normalisation;
  // ReLU, pooling and the sums of residual blocks are not counted, as in thop (github.com/Lyken17/pytorch-OpCounter).
  double operations = 0;

  std::size_t non_zeros() const { return weights + others; }
  std::size_t whole_weights() const { return whole - others; }
};

// Layers of residual blocks are listed one by one; a ReLU merged into the layer before it has no row.
std::vector<LayerRow> layer_table(const Model& model);

// The name of the first batch normalisation that gets one value per channel from a sample: behind a dense layer, a
// global pooling, or on an image of one pixel. Over a single sample it returns its shift for any sample, and passes no
// gradient on.
std::optional<std::string> norm_of_single_values(const Model& model);

// The sums, from the model's input to its output.
LayerRow total_of(const std::vector<LayerRow>& rows);

}  // namespace ddl::nn
