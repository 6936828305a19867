// Cui's threshold on gradients, before the optimizer sees them: per tensor, what lies below the mean is dropped.
#pragma once

#include <vector>

#include "core/codec/encoder.hpp"
#include "core/node/node.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/gossip.hpp"

namespace ddl::systems {

class GradientMask {
 public:
  // With `residual`, what is dropped is added to the next gradient instead of being lost.
  GradientMask(Threshold threshold, bool residual, const Cluster& cluster)
      : threshold_(threshold), residual_(residual), cluster_(cluster) {}

  Payload apply(const Payload& gradient) {
    if (threshold_ == Threshold::none || !gradient) return gradient;
    std::vector<float> kept(gradient->begin(), gradient->end());
    add_scaled(kept, dropped_);
    if (residual_) dropped_ = kept;
    const auto mean_of = threshold_ == Threshold::abs_mean ? codec::MeanOf::magnitudes : codec::MeanOf::values;
    for (const nn::Tensor& tensor : cluster_.tensors) {
      codec::drop_below_mean(std::span<float>(kept).subspan(tensor.offset, tensor.count), mean_of);
    }
    if (residual_) add_scaled(dropped_, kept, -1);
    return make_payload(std::move(kept));
  }

 private:
  const Threshold threshold_;
  const bool residual_;
  const Cluster& cluster_;
  std::vector<float> dropped_;
};

}  // namespace ddl::systems
