#include "core/node/weights.hpp"

#include "core/nn/optimizer.hpp"
#include "core/node/vectors.hpp"

namespace ddl {

// Weights, then the optimizer's vectors and count, then the steps.
Payload Weights::replica() {
  if (!values_) return nullptr;
  std::vector<float> packed(*values_);
  if (optimizer_) optimizer_->pack(packed);
  steps_.pack(packed);
  return make_payload(std::move(packed));
}

void Weights::adopt_replica(const Payload& replica) {
  if (!replica) return;
  const std::span<const float> packed(*replica);
  const std::size_t count = read().size(), end = packed.size() - ModelSteps::packed_values;
  adopt(share_part(replica, {0, count}));
  if (optimizer_) optimizer_->unpack(packed.subspan(count, end - count));
  steps_ = ModelSteps::unpack(packed.subspan(end));
}

}  // namespace ddl
