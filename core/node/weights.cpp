#include "core/node/weights.hpp"

#include "core/node/vectors.hpp"

namespace ddl {

nn::Optimizer& Weights::optimizer() {
  if (!optimizer_) optimizer_.emplace(optimizer_params_, read().size());
  return *optimizer_;
}

// Weights, then the optimizer's vectors and count, then the steps.
Payload Weights::replica() {
  if (!values_) return nullptr;
  std::vector<float> packed(*values_);
  optimizer().pack(packed);
  steps_.pack(packed);
  return make_payload(std::move(packed));
}

void Weights::adopt_replica(const Payload& replica) {
  if (!replica) return;
  const std::span<const float> packed(*replica);
  const std::size_t count = read().size(), end = packed.size() - nn::ModelSteps::packed_values;
  adopt(share_part(replica, {0, count}));
  optimizer().unpack(packed.subspan(count, end - count));
  steps_ = nn::ModelSteps::unpack(packed.subspan(end));
}

}  // namespace ddl
