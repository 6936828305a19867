// Synchronous SGD by all-reduce, of whole gradients (three collectives) or of one part of them a step (KungFu).
#pragma once

#include <memory>

#include "core/base/fields.hpp"
#include "core/codec/codec_params.hpp"
#include "core/comm/collectives.hpp"
#include "core/node/node.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

struct AllreduceParams {
  codec::CodecParams codec;
  OnFailure on_failure = OnFailure::wait;
};
struct RingAllreduceParams : AllreduceParams {
  static constexpr const char* tag = "ring_allreduce";
  static constexpr comm::Collective collective = comm::Collective::ring;
};
struct TreeAllreduceParams : AllreduceParams {
  static constexpr const char* tag = "tree_allreduce";
  static constexpr comm::Collective collective = comm::Collective::tree;
};
struct StarAllreduceParams : AllreduceParams {
  static constexpr const char* tag = "star_allreduce";
  static constexpr comm::Collective collective = comm::Collective::star;
};
template <class Visitor>
void fields(Visitor& visit, AllreduceParams& params) {
  visit("codec", params.codec,
        Rule{.doc = "how gradients are made smaller; they are then gathered and summed by every worker"});
  visit("on_failure", params.on_failure, on_failure_rule);
}

struct PartialAllreduceParams : AllreduceParams {
  static constexpr const char* tag = "partial_allreduce";
  int partitions = 4;
  comm::Collective collective = comm::Collective::ring;
};
template <class Visitor>
void fields(Visitor& visit, PartialAllreduceParams& params) {
  visit("partitions", params.partitions,
        Rule{.doc = "P: a step reduces one of so many", .at_least = 1, .at_most = 1e6});
  visit("collective", params.collective, Rule{.doc = "how sums are made"});
  fields(visit, static_cast<AllreduceParams&>(params));
}

std::unique_ptr<Program> make_program(const RingAllreduceParams& params, Node& node);
std::unique_ptr<Program> make_program(const TreeAllreduceParams& params, Node& node);
std::unique_ptr<Program> make_program(const StarAllreduceParams& params, Node& node);
std::unique_ptr<Program> make_program(const PartialAllreduceParams& params, Node& node);
Traffic traffic_of(const RingAllreduceParams& params, const Cluster& cluster);
Traffic traffic_of(const TreeAllreduceParams& params, const Cluster& cluster);
Traffic traffic_of(const StarAllreduceParams& params, const Cluster& cluster);
Traffic traffic_of(const PartialAllreduceParams& params, const Cluster& cluster);

}  // namespace ddl::systems
