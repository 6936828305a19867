// The scratch memory of one thread: everything that a computation writes except its result.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/dataset.hpp"
#include "core/nn/kernels/buffer.hpp"

namespace ddl::nn {

// Grows in the first step and is reused by all later ones, of any model.
struct Workspace {
  struct PerLayer {
    Buffer output;
    Buffer kept;  // values kept from a layer's forward pass for its backward pass
  };
  std::vector<PerLayer> layers;
  Buffer inputs;        // the batch's, channels last
  Buffer gradients[2];  // with respect to a layer's output and input, alternately
  Buffer scratch;       // for one call of one layer
  Buffer tied;          // gradient by the tied values of a later layer
  data::Batch batch;    // for an evaluation
  std::vector<std::uint32_t> indices;
  std::vector<const float*> values;  // values[l] enters layer l, values[l + 1] leaves it
};

}  // namespace ddl::nn
