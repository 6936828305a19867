// DiLoCo (Douillard et al., 2023): many inner steps alone, then an outer step along the mean of all workers' moves.
// Streaming DiLoCo (Douillard et al., 2025): the outer step is taken fragment by fragment, while the inner steps go on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/fields.hpp"
#include "core/codec/codec_params.hpp"
#include "core/comm/allreduce.hpp"
#include "core/comm/partitions.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

// The memory of the outer step's velocity u: moves; or gradients, moves over the inner rate, so that it shrinks
// and grows with that rate.
enum class OuterVelocity { moves, gradients };
constexpr auto enum_names(OuterVelocity) { return in_order<OuterVelocity>("moves", "gradients"); }

// The outer step A = A - rate d of a fragment by the mean move D of it. The momentum u is kept between two of them.
// With gradients u is first multiplied by r, the rate of the last inner step in D over that of the outer step before.
struct OuterMomentum {
  double learning_rate = 0.7, momentum = 0.9;
  OuterVelocity velocity = OuterVelocity::moves;
};
struct OuterNesterov : OuterMomentum {  // u = mu u + D; d = D + mu u
  static constexpr const char* tag = "nesterov";
  static constexpr bool tag_optional = true;
};
struct OuterHeavyBall : OuterMomentum {  // u = mu u + D; d = u
  static constexpr const char* tag = "heavy_ball";
};
struct OuterSgd {  // d = D
  static constexpr const char* tag = "sgd";
  double learning_rate = 0.7;
};
using OuterParams = std::variant<OuterNesterov, OuterHeavyBall, OuterSgd>;

// paper: a fragment is sent at its boundary and applied after the delay. torchft: it is sent earlier by the delay, and
// applied at its boundary.
enum class FragmentPhase { paper, torchft };
constexpr auto enum_names(FragmentPhase) { return in_order<FragmentPhase>("paper", "torchft"); }

// A replica is alone between two outer steps: a worker, or all workers of a site, which take inner steps together.
enum class Replica { worker, site };
constexpr auto enum_names(Replica) { return in_order<Replica>("worker", "site"); }

// The weights of a mean over sites.
enum class SiteWeight { replicas, workers };
constexpr auto enum_names(SiteWeight) { return in_order<SiteWeight>("replicas", "workers"); }

// layers: a layer is sent when its gradient in the step before is known, and waited for before its next forward pass.
enum class FragmentOverlap { layers, none };
constexpr auto enum_names(FragmentOverlap) { return in_order<FragmentOverlap>("layers", "none"); }

inline constexpr Preset diloco_presets[] = {
    {"SlowMo", R"({"outer": {"type": "heavy_ball", "learning_rate": 1, "momentum": 0.7, "velocity": "gradients"}})",
     "Wang et al., ICLR 2020, on local SGD, whose inner optimizers keep their state"},
    {"BMUF", R"({"outer": {"type": "nesterov", "learning_rate": 1, "momentum": 0.75}})",
     "Chen and Huo, ICASSP 2016, Nesterov block momentum for four workers: 1 - 1/n"},
    {"Lookahead", R"({"sync_every": 5, "outer": {"type": "sgd", "learning_rate": 0.5}})",
     "Zhang et al., NeurIPS 2019, for one worker; several follow their mean"},
};

inline constexpr const char* diloco_tuned[] = {
    R"({"sync_every": [10, 30, 100]})",
    R"({"fragments": [1, 2, 2, 2], "fragment_sync_delay": [0, 2, 6, 18], "fragment_update_alpha": [0, 0.5, 0.5, 0.5]})",
    codec::tuned,
    R"({"outer": ["sgd", {"type": "nesterov", "learning_rate": 0.4}, {"type": "nesterov", "learning_rate": 1}]})",
    R"({"overlap": ["layers", "none"]})",
    R"({"collective": ["hierarchical", "butterfly"]})",
    R"({"replica": ["site"]})"};

struct DilocoParams : SystemOf<DilocoParams> {
  static constexpr SystemFacts facts{.name = "diloco",
                                     .what = "many steps alone, then an outer step along the mean of all moves",
                                     .paper = "Douillard et al., 2023 and 2025",
                                     .equal_replicas = true,  // the outer models, unless they are eager
                                     .timing_independent = true,
                                     .presets = diloco_presets,
                                     .tuned = diloco_tuned};
  int sync_every = 30;
  int fragments = 1;
  comm::LayerOrder fragment_order = comm::LayerOrder::strided;
  int fragment_sync_delay = 0;
  double fragment_update_alpha = 0;
  FragmentPhase phase = FragmentPhase::paper;
  bool eager = false;
  std::optional<FragmentOverlap> overlap;
  OuterParams outer;
  Replica replica = Replica::worker;
  SiteWeight weight = SiteWeight::replicas;
  std::optional<comm::Collective> collective;
  comm::CollectiveSettings settings;
  codec::CodecParams codec;
  OnFailure on_failure = OnFailure::wait;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  Phases bucketed_sum(const Cluster& cluster) const override;
  std::optional<Parts> summed_parts(const Cluster& cluster) const override;
  std::vector<SettingError> errors(const Surroundings& around) const override;
  void fill_defaults(const Cluster* cluster) override;
  bool needs_rates() const override { return settings.by_rate(); }
  std::string all_hosts_for() const override { return eager ? "eager" : ""; }
  std::string whole_sites_for() const override { return replica == Replica::site ? "replica site" : ""; }
  int period() const override { return sync_every; }
  std::vector<std::string> notes(const Cluster& cluster) const override;
  // Every worker keeps the outer model and its momentum.
  MemoryUse memory(std::size_t parameters, int workers) const override;
};

template <class Visitor>
void outer_rate_field(Visitor& visit, double& rate) {
  visit("learning_rate", rate, Rule{.doc = "of the outer step", .above = 0});
}
template <class Visitor>
void fields(Visitor& visit, OuterMomentum& outer) {
  outer_rate_field(visit, outer.learning_rate);
  visit("momentum", outer.momentum, Rule{.doc = "share of the outer velocity kept", .at_least = 0, .below = 1});
  visit("velocity", outer.velocity,
        Rule{.doc = "what it sums: moves; gradients: moves over the rate of their last inner step, by which the outer "
                    "step multiplies again, so that it follows warm-up and schedule"});
}
template <class Visitor>
void fields(Visitor& visit, OuterSgd& outer) {
  outer_rate_field(visit, outer.learning_rate);
}
template <class Visitor>
void fields(Visitor& visit, DilocoParams& params) {
  visit("sync_every", params.sync_every,
        Rule{.doc = "H: inner steps between two outer steps of a fragment; a run that is shorter exchanges nothing, "
                    "and is judged by the outer model, where it began",
             .at_least = 1,
             .at_most = 1e9});
  visit("fragments", params.fragments,
        Rule{.doc = "P: parts of the model, whole layers, which travel at different steps; even parts where there are "
                    "no layers",
             .at_least = 1,
             .at_most = 1e6});
  visit("fragment_order", params.fragment_order, Rule{.doc = "strided: layer l is in fragment l mod P; or neighbours"});
  visit("fragment_sync_delay", params.fragment_sync_delay,
        Rule{.doc = "tau: inner steps from sending a fragment to applying it; a worker waits only if it comes later",
             .at_least = 0});
  visit(
      "fragment_update_alpha", params.fragment_update_alpha,
      Rule{.doc = "share of a worker's own value that stays when the outer model comes", .at_least = 0, .at_most = 1});
  visit(
      "phase", params.phase,
      Rule{.doc =
               "paper: sent at the boundary, applied tau steps later; torchft: sent tau steps before, applied at it"});
  visit("eager", params.eager,
        Rule{.doc = "applies at once what the others moved in the round before, and its own move of this round"});
  visit("overlap", params.overlap,
        Rule{.doc = "layers: layers leave when their backward passes in the step before are over, and only their own "
                    "next forward passes wait for them, in buckets of as many layers as make a round quickest, each "
                    "alone where links have no latency; after that step where a model none has no compute.layers, or "
                    "the optimizer needs whole gradients (clip_norm); none: fragments leave and are waited for between "
                    "steps; default: layers, or none if a replica is a site"});
  visit("outer", params.outer, Rule{.doc = "the outer step; default: nesterov, 0.7, 0.9"});
  visit(
      "replica", params.replica,
      Rule{.doc = "what is alone between outer steps: a worker, or all of a site, whose gradients are summed in every "
                  "step, round a ring"});
  visit(
      "weight", params.weight,
      Rule{.doc = "what the mean of moves weighs by: replicas, each alike, as in the papers; or the workers of each"});
  visit("collective", params.collective,
        Rule{.doc = "how moves are summed; default: ring, or hierarchical if a replica is a site"});
  fields(visit, params.settings);
  visit(
      "codec", params.codec,
      Rule{.doc =
               "how moves are made smaller; each is encoded once, forwarded as it is and summed by every worker. Over "
               "sites, a hierarchical sum encodes what leaves a site: the sum of its moves"});
  visit("on_failure", params.on_failure, on_failure_rule);
}

}  // namespace ddl::systems
