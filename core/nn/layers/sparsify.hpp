// From a whole network to a sparse one, as IDDL makes them.
#pragma once

#include <optional>
#include <vector>

#include "core/nn/model_spec.hpp"

namespace ddl::nn {

// The last dense or convolutional layer, which gives the output, and a convolution that comes first stay whole. All
// others have this mask; masked ones outside residual blocks lose their bias.
std::vector<LayerSpec> with_mask(std::vector<LayerSpec> layers, Mask mask);

// The same layers' convolutions in so many groups; of residual blocks those with windows.
std::vector<LayerSpec> with_groups(std::vector<LayerSpec> layers, int groups);

}  // namespace ddl::nn
