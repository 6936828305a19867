#pragma once

#include "core/base/shape.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/kernels/buffer.hpp"

namespace ddl::nn {

// A batch with the channels of a pixel together, as layers read it: in `buffer`, or the batch itself if it is stored
// so.
const float* channels_last(const data::Batch& batch, Shape shape, Buffer& buffer);

}  // namespace ddl::nn
