#include "core/systems/ako/ako_unsent.hpp"

#include "core/node/vectors.hpp"

namespace ddl::systems {

UnsentSums::UnsentSums(Node& node, const AkoPlan& plan, const codec::CodecParams& codec)
    : node_(node),
      plan_(plan),
      codec_(codec),
      random_(node.rng("codec")),
      sums_(plan.classes(node.id()), std::vector<float>(node.cluster().timing_only ? 0 : node.cluster().parameters)),
      since_(sums_.size(), std::vector(plan.partitions(node.id()).size(), node.step())) {}

void UnsentSums::add(const Payload& gradient) {
  for (auto& sum : sums_) add_scaled(sum, values_of(gradient));
}

Message UnsentSums::take(std::size_t peer_class) {
  const std::size_t part = plan_.part(node_.id(), peer_class, node_.step());
  const comm::Partition& partition = plan_.partitions(node_.id())[part];
  Message message{.step = node_.step(),
                  .body = PartOfSum{static_cast<int>(part), static_cast<int>(plan_.partitions(node_.id()).size()),
                                    since_[peer_class][part]}};
  compressor(peer_class, part).compress(message, comm::gather(sums_[peer_class], partition));
  comm::fill_zero(sums_[peer_class], partition);
  since_[peer_class][part] = node_.step() + 1;
  return message;
}

comm::Compressor& UnsentSums::compressor(std::size_t peer_class, std::size_t part) {
  const auto key = std::pair(peer_class, part);
  const auto found = compressors_.find(key);
  if (found != compressors_.end()) return found->second;
  const comm::Partition& partition = plan_.partitions(node_.id())[part];
  const Stream random = comm::codec_stream(node_, codec_, random_, static_cast<std::int64_t>(compressors_.size()));
  return compressors_.emplace(key, comm::Compressor(codec_, node_.cluster(), partition, random)).first->second;
}

}  // namespace ddl::systems
