// Sums of parts of a vector among the workers that are up: unencoded, and reduced on the way; or in a codec, by
// comm::AllReduce::coded_sum.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "core/base/rng.hpp"
#include "core/codec/codec_params.hpp"
#include "core/comm/compression.hpp"
#include "core/comm/partitions.hpp"
#include "core/membership/regrouping.hpp"

namespace ddl::membership {

class CompressedSum {
 public:
  // The group outlives it.
  CompressedSum(Node& node, Regrouping& group, const codec::CodecParams& codec,
                const std::vector<comm::Partition>& parts);

  // W. The sum of part k, whose slices lie one after the other in `own`.
  comm::Sum sum(std::size_t k, const comm::Sum& own);
  Regrouping& group() { return group_; }

 private:
  struct Part {
    comm::Partition slices;
    Slice range;    // its size on the wire
    Stream random;  // its codec's
    // The codec keeps a residual per part and per chunk of it that this worker encodes; the chunk differs when the
    // group changes.
    std::map<std::pair<std::size_t, std::size_t>, comm::Compressor> compressors = {};
  };
  comm::Compressor fresh_compressor(const Part& part, Slice chunk) const;

  Node& node_;
  Regrouping& group_;
  const codec::CodecParams codec_;
  std::vector<Part> parts_;
};

// Traffic per step of `times` sums, each of a `share` of the model. Where its messages are too many to list, all
// workers send each other theirs, as in a butterfly.
Traffic traffic_of_sums(Pace pace, const comm::HowToSum& how, const codec::CodecParams& codec, const Cluster& cluster,
                        double share, double times);

}  // namespace ddl::membership
