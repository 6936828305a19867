#include "core/membership/compressed_sum.hpp"

#include <cstdint>
#include <variant>

namespace ddl::membership {
namespace {

bool travels_whole(const codec::CodecParams& codec) { return std::holds_alternative<codec::NoCodecParams>(codec); }

}  // namespace

CompressedSum::CompressedSum(Node& node, Regrouping& group, const codec::CodecParams& codec,
                             const std::vector<comm::Partition>& parts)
    : node_(node), group_(group), codec_(codec) {
  Stream random = node.rng("codec");
  for (const comm::Partition& slices : parts) {
    const auto number = static_cast<std::int64_t>(parts_.size());
    const Slice range = slices.size() == 1 ? slices.front() : Slice{0, comm::size_of(slices)};
    parts_.push_back({slices, range, comm::codec_stream(node, codec, random, number)});
  }
}

comm::Compressor CompressedSum::fresh_compressor(const Part& part, Slice chunk) const {
  const Slice positions{chunk.begin - part.range.begin, chunk.end - part.range.begin};
  return {codec_, node_.cluster(), comm::part_of(part.slices, positions), part.random};
}

comm::Sum CompressedSum::sum(std::size_t k, const comm::Sum& own) {
  Part& part = parts_[k];
  if (travels_whole(codec_)) return group_.sum(part.range, own);
  // An encoding did not arrive if the group then changed: only the last try counts.
  std::optional<std::pair<Slice, comm::Compressor>> tried;
  const comm::Sum total = group_.sum(part.range, own, [&](Slice chunk, const comm::Sum& sum) -> comm::Contribution {
    tried.reset();
    if (sum.weight == 0) return {};
    const auto known = part.compressors.find({chunk.begin, chunk.end});
    tried.emplace(chunk, known != part.compressors.end() ? known->second : fresh_compressor(part, chunk));
    Message encoded;
    tried->second.compress(encoded, sum.values);
    return {{encoded.values, sum.weight, sum.run_share}, encoded.wire_bytes};
  });
  if (tried) {
    const std::pair chunk{tried->first.begin, tried->first.end};
    part.compressors.erase(chunk);
    part.compressors.emplace(chunk, std::move(tried->second));
  }
  return total;
}

Traffic traffic_of_sums(Pace pace, const comm::HowToSum& how, const codec::CodecParams& codec, const Cluster& cluster,
                        double share, double times) {
  const comm::AllReduce& all_reduce = comm::all_reduce(how);
  const bool whole = travels_whole(codec);
  const double encoded = whole ? 1 : comm::least_share(codec, cluster);
  Traffic traffic{pace, whole ? all_reduce.sum_phases(cluster, share, times)
                              : all_reduce.coded_phases(cluster, share, encoded, times)};
  if (all_reduce.is_unlisted(cluster.workers)) {
    const double workers = cluster.workers, others = workers - 1;
    traffic.unlisted_phases = whole ? 2 : 1;
    traffic.unlisted_messages = times * traffic.unlisted_phases * workers * others;
    traffic.unlisted_models = times * share * others * (whole ? 2 / workers : encoded);
  }
  return traffic;
}

}  // namespace ddl::membership
