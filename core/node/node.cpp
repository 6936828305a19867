#include "core/node/node.hpp"

#include "core/base/check.hpp"

namespace ddl {

std::uint64_t Cluster::wire_bytes(Slice slice) const {
  if (parameters == 0) return 0;
  // 128 bits: a model of 2^40 bytes times an index of as many.
  __extension__ using Wide = unsigned __int128;
  const auto bytes_before = [&](std::size_t index) {
    return static_cast<std::uint64_t>(Wide{model_bytes} * index / parameters);
  };
  return bytes_before(slice.end) - bytes_before(slice.begin);
}

namespace {

[[noreturn]] void refuse() {
  throw InputError(
      "algorithm.name: this runtime computes whole gradients of minibatches that it chooses; expected a system that "
      "lets "
      "it, and does not split models");
}

}  // namespace

// NOLINTBEGIN(performance-unnecessary-value-param)
double Node::gradient_seconds() { refuse(); }
void Node::work(double, std::function<void()>) { refuse(); }
Minibatch Node::minibatch() { refuse(); }
std::size_t Node::sample_count(SampleSet) const { refuse(); }
std::shared_ptr<const data::Batch> Node::samples(SampleSet, std::span<const std::uint32_t>) const { refuse(); }
void Node::record_loss(double) { refuse(); }
void Node::record_answer(const Answer&) { refuse(); }
Payload Node::gradient_of(std::vector<std::uint32_t>) { refuse(); }
std::vector<std::uint8_t> Node::correct_predictions() { refuse(); }
// NOLINTEND(performance-unnecessary-value-param)

}  // namespace ddl
