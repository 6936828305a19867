// From a dense network to a sparse one, as in IDDL.
#pragma once

#include <optional>
#include <vector>

#include "core/nn/model_spec.hpp"

namespace ddl::nn {

// The last dense or convolutional layer, which gives the output, and a convolution that comes first stay whole. All
// others get this mask; masked layers outside residual blocks lose their bias.
std::vector<LayerSpec> with_mask(std::vector<LayerSpec> layers, Mask mask);

// The same layers' convolutions in so many groups; of residual blocks those with windows.
std::vector<LayerSpec> with_groups(std::vector<LayerSpec> layers, int groups);

}  // namespace ddl::nn
