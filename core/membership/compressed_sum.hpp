// Sums of parts of a vector among the workers that are there: as they are, reduced on the way; or in a codec, gathered
// and summed by each worker in worker order.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/codec/codec_params.hpp"
#include "core/comm/compression.hpp"
#include "core/comm/partitions.hpp"
#include "core/membership/regrouping.hpp"

namespace ddl::membership {

class CompressedSum {
 public:
  // The group outlives it. The codec keeps what it drops by part.
  CompressedSum(Node& node, Regrouping& group, const codec::CodecParams& codec,
                const std::vector<comm::Partition>& parts);

  // W. Of part k, whose slices lie one after the other in `own`. None: see Regrouping::sum.
  std::optional<comm::Sum> sum(std::size_t k, const comm::Sum& own);

 private:
  Regrouping& group_;
  std::vector<Slice> slices_;                  // what each part takes on the wire
  std::vector<comm::Compressor> compressors_;  // by part; none without a codec
};

// What sums of a `share` of the model each, `times` a step, send in a step.
comm::Phases phases_of_sums(comm::Collective how, const codec::CodecParams& codec, const Cluster& cluster, double share,
                            double times);

}  // namespace ddl::membership
