#pragma once

#include "core/data/dataset.hpp"
#include "core/nn/buffer.hpp"
#include "core/nn/shape.hpp"

namespace ddl {

// A batch with the channels of a pixel together, as layers read it: in `buffer`, or the batch itself where that is so.
const float* channels_last(const Batch& batch, Shape shape, Buffer& buffer);

}  // namespace ddl
