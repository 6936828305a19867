// Synchronous SGD by all-reduce of whole gradients (a system for each collective) or of one part per step (KungFu).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/codec/codec_params.hpp"
#include "core/comm/allreduce.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"
#include "core/systems/overlapped_allreduce.hpp"

namespace ddl::systems {

struct AllreduceParams : System {
  comm::CollectiveSettings settings;
  codec::CodecParams codec;
  OnFailure on_failure = OnFailure::wait;

  bool needs_rates() const override { return settings.by_rate(); }

  std::vector<SettingError> errors(const Surroundings&) const override { return errors_in(on_failure); }
  std::optional<Parts> summed_parts(const Cluster& cluster) const override;
};
// All-reduce of whole gradients.
template <comm::Collective how>
struct WholeAllreduceParams : AllreduceParams {
  AllreduceOverlap overlapped;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  void fill_defaults(const Cluster*) override {
    settings.fill_defaults(how);
    systems::fill_defaults(overlapped);
  }
  std::string all_hosts_for() const override { return overlapped.overlap != Overlap::none ? "overlap" : ""; }
  Phases bucketed_sum(const Cluster& cluster) const override;
  std::optional<Parts> summed_parts(const Cluster& cluster) const override;
  std::vector<std::string> notes(const Cluster& cluster) const override;
};
inline constexpr const char* allreduce_tuned[] = {codec::tuned, R"({"overlap": ["layers"]})"};

struct RingAllreduceParams : SystemOf<RingAllreduceParams, WholeAllreduceParams<comm::Collective::ring>> {
  static constexpr SystemFacts facts{.name = "ring_allreduce",
                                     .what = "synchronous SGD; gradients are summed chunk by chunk round a ring",
                                     .paper = "Patarasuk and Yuan, 2009",
                                     .equal_replicas = true,
                                     .timing_independent = true,
                                     .tuned = allreduce_tuned};
};
struct TreeAllreduceParams : SystemOf<TreeAllreduceParams, WholeAllreduceParams<comm::Collective::tree>> {
  static constexpr SystemFacts facts{.name = "tree_allreduce",
                                     .what = "synchronous SGD; gradients are summed up a binomial tree",
                                     .paper = "Thakur et al., 2005",
                                     .equal_replicas = true,
                                     .timing_independent = true,
                                     .tuned = allreduce_tuned};
};
struct StarAllreduceParams : SystemOf<StarAllreduceParams, WholeAllreduceParams<comm::Collective::star>> {
  static constexpr SystemFacts facts{.name = "star_allreduce",
                                     .what = "synchronous SGD; the first worker sums all gradients",
                                     .paper = "folklore",
                                     .equal_replicas = true,
                                     .timing_independent = true,
                                     .tuned = allreduce_tuned};
};
struct ButterflyAllreduceParams
    : SystemOf<ButterflyAllreduceParams, WholeAllreduceParams<comm::Collective::butterfly>> {
  static constexpr SystemFacts facts{.name = "butterfly_allreduce",
                                     .what = "synchronous SGD; each worker sums its part of all gradients",
                                     .paper = "Ryabinin et al., NeurIPS 2021 (hivemind)",
                                     .equal_replicas = true,
                                     .timing_independent = true,
                                     .tuned = allreduce_tuned};
};
struct HierarchicalAllreduceParams
    : SystemOf<HierarchicalAllreduceParams, WholeAllreduceParams<comm::Collective::hierarchical>> {
  static constexpr SystemFacts facts{.name = "hierarchical_allreduce",
                                     .what = "synchronous SGD; gradients are summed in each site, then between sites",
                                     .paper = "Cho et al., MLSys 2019",
                                     .equal_replicas = true,
                                     .timing_independent = true,
                                     .tuned = allreduce_tuned};
};
template <class Visitor>
void fields(Visitor& visit, AllreduceParams& params) {
  visit("codec", params.codec,
        Rule{.doc = "how gradients are made smaller; each is encoded once, forwarded as it is and summed by every "
                    "worker. Over sites, a hierarchical sum encodes what leaves a site: the sum of its gradients"});
  visit("on_failure", params.on_failure, on_failure_rule);
}
template <class Visitor, comm::Collective how>
void fields(Visitor& visit, WholeAllreduceParams<how>& params) {
  if constexpr (how == comm::Collective::ring || how == comm::Collective::hierarchical) {
    comm::slice_field(visit, params.settings);
  }
  if constexpr (how == comm::Collective::butterfly) comm::parts_field(visit, params.settings);
  fields(visit, static_cast<AllreduceParams&>(params));
  fields(visit, params.overlapped);
}

inline constexpr const char* partial_allreduce_tuned[] = {R"({"partitions": [2, 4, 16, 64]})", codec::tuned,
                                                          R"({"collective": ["hierarchical", "butterfly"]})"};

struct PartialAllreduceParams : SystemOf<PartialAllreduceParams, AllreduceParams> {
  static constexpr SystemFacts facts{.name = "partial_allreduce",
                                     .what = "all-reduce of one part of the gradient a step, the rest stays local",
                                     .paper = "Mai et al., OSDI 2020 (KungFu)",
                                     .timing_independent = true,
                                     .tuned = partial_allreduce_tuned};
  int partitions = 4;
  comm::Collective collective = comm::Collective::ring;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  void fill_defaults(const Cluster*) override { settings.fill_defaults(collective); }
  std::vector<std::string> notes(const Cluster& cluster) const override {
    return comm::notes_of({collective, settings}, cluster);
  }
};
template <class Visitor>
void fields(Visitor& visit, PartialAllreduceParams& params) {
  visit("partitions", params.partitions,
        Rule{.doc = "P: number of parts, one of which each step reduces in turn", .at_least = 1, .at_most = 1e6});
  visit("collective", params.collective, Rule{.doc = "how sums are made"});
  fields(visit, params.settings);
  fields(visit, static_cast<AllreduceParams&>(params));
}

}  // namespace ddl::systems
