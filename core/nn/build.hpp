// Builds layers whose shapes fit from a list of layer settings.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/nn/layer.hpp"
#include "core/nn/math_mode.hpp"
#include "core/nn/model_spec.hpp"

namespace ddl::nn {

// The layers of `specs` for samples of `input`; a relu directly after a dense or conv is merged into it. Allocates
// nothing of the requested sizes. Throws ModelError with the index in `specs` of an impossible layer: a window larger
// than its image, sizes beyond 2^31, a last layer that does not give `classes` values, no parameters.
std::vector<std::unique_ptr<Layer>> build_layers(std::span<const LayerSpec> specs, Shape input, int classes,
                                                 MathMode mode);

}  // namespace ddl::nn
