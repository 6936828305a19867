#include "core/membership/compressed_sum.hpp"

#include <cstdint>
#include <variant>

namespace ddl::membership {
namespace {

bool travels_whole(const codec::CodecParams& codec) { return std::holds_alternative<codec::NoCodecParams>(codec); }

}  // namespace

CompressedSum::CompressedSum(Node& node, Regrouping& group, const codec::CodecParams& codec,
                             const std::vector<comm::Partition>& parts)
    : group_(group) {
  for (const comm::Partition& part : parts) {
    slices_.push_back(part.size() == 1 ? part.front() : Slice{0, comm::size_of(part)});
  }
  if (travels_whole(codec)) return;
  Stream random = node.rng("codec");
  for (const comm::Partition& part : parts) {
    const auto number = static_cast<std::int64_t>(compressors_.size());
    compressors_.emplace_back(codec, node.cluster(), part, comm::codec_stream(node, codec, random, number));
  }
}

std::optional<comm::Sum> CompressedSum::sum(std::size_t k, const comm::Sum& own) {
  if (compressors_.empty()) return group_.sum(slices_[k], own);
  Message encoded;
  if (own.count > 0) compressors_[k].compress(encoded, own.values);
  const auto contributions = group_.gather({{encoded.values, own.count, own.run_share}, encoded.wire_bytes});
  if (!contributions) return std::nullopt;
  comm::Sum total;
  for (const comm::Contribution& contribution : *contributions) total = total + contribution.sum;
  return total;
}

comm::Phases phases_of_sums(comm::Collective how, const codec::CodecParams& codec, const Cluster& cluster, double share,
                            double times) {
  const comm::AllReduce& all_reduce = comm::all_reduce(how);
  if (travels_whole(codec)) return all_reduce.sum_phases(cluster, share, times);
  return all_reduce.gather_phases(cluster, comm::least_share(codec, cluster) * share, times);
}

}  // namespace ddl::membership
