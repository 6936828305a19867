// Gradients that an Ako worker has yet to send.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/codec/codec_params.hpp"
#include "core/comm/compression.hpp"
#include "core/node/node.hpp"
#include "core/systems/ako/ako_plan.hpp"

namespace ddl::systems {

// Per class of peers, the sum of the worker's gradients since each part of it was sent last.
//
// The paper keeps a window of P gradients to the same end. Sums that start again hold the same values without drift,
// and need one vector per class of peers (those that get the same part in every step) instead of P.
class UnsentSums {
 public:
  UnsentSums(Node& node, const AkoPlan& plan, const codec::CodecParams& codec);

  void add(const Payload& gradient);
  // A message (of any port) with the part of the class's sum whose turn it is in this step; that part is 0 now.
  Message take(std::size_t peer_class);

 private:
  comm::Compressor& compressor(std::size_t peer_class, std::size_t part);

  Node& node_;
  const AkoPlan& plan_;
  const codec::CodecParams codec_;
  Stream random_;
  std::vector<std::vector<float>> sums_;          // by class
  std::vector<std::vector<std::int64_t>> since_;  // by class and part: the step of the oldest gradient
  std::map<std::pair<std::size_t, std::size_t>, comm::Compressor> compressors_;  // by class and part
};

}  // namespace ddl::systems
