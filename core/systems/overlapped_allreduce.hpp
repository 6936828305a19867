// All-reduces that overlap with computing, an option of some systems.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/codec/codec_params.hpp"
#include "core/comm/allreduce.hpp"
#include "core/comm/partitions.hpp"
#include "core/node/node.hpp"
#include "core/node/program.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

// backward: gradients travel beside the rest of the backward pass. layers: also beside the next forward pass.
enum class Overlap { none, backward, layers };
constexpr auto enum_names(Overlap) { return in_order<Overlap>("none", "backward", "layers"); }

struct AllreduceOverlap {
  Overlap overlap = Overlap::none;
  std::optional<Bytes> bucket_bytes;  // none: 25 MB (backward), or comm::quickest_buckets (layers)
};
template <class Visitor>
void fields(Visitor& visit, AllreduceOverlap& params) {
  visit(
      "overlap", params.overlap,
      Rule{.doc = "none: gradients travel when all of them are known; backward: beside the rest of the backward pass, "
                  "in buckets; layers: and beside the next forward pass, of which each layer waits for its own bucket "
                  "alone, unless the optimizer needs whole gradients (clip_norm); no host may come or go then"});
  visit(
      "bucket_bytes", params.bucket_bytes,
      Rule{.doc = "with overlap: most bytes of a bucket on the wire, which holds whole layers, one at least, the last "
                  "layers first; default: 25 MB (backward), or as many layers as make a step quickest, each alone "
                  "where links have no latency (layers)",
           .at_least = 0});
  visit.relation("bucket_bytes", Relation::needs, "overlap=backward|layers");
}

void fill_defaults(AllreduceOverlap& params);

// Requires an overlap other than none. Throws InputError if there are no layers.
std::unique_ptr<Program> overlapped_allreduce(Node& node, const comm::HowToSum& how, const codec::CodecParams& codec,
                                              const AllreduceOverlap& params);
std::vector<comm::Partition> bucket_parts(const comm::HowToSum& how, const AllreduceOverlap& params,
                                          const Cluster& cluster);
std::vector<std::string> overlapped_notes(const comm::HowToSum& how, const AllreduceOverlap& params,
                                          const Cluster& cluster);
// See System::bucketed_sum.
Phases bucketed_sum(const comm::HowToSum& how, const codec::CodecParams& codec, const AllreduceOverlap& params,
                    const Cluster& cluster);
Traffic overlapped_traffic(const comm::HowToSum& how, const codec::CodecParams& codec, const AllreduceOverlap& params,
                           const Cluster& cluster);

}  // namespace ddl::systems
