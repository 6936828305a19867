// Gossip averaging of models: pull (Cui 2019), push and pairwise exchange (Boyd et al., 2006).
#pragma once

#include <memory>
#include <optional>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/graph/mixing.hpp"
#include "core/graph/topology.hpp"
#include "core/node/node.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

enum class GossipMode { pull, push, pair };
constexpr auto enum_names(GossipMode) { return in_order<GossipMode>("pull", "push", "pair"); }

enum class PeerRule { random, ring, round_robin };
constexpr auto enum_names(PeerRule) { return in_order<PeerRule>("random", "ring", "round_robin"); }

enum class Merge { half, loss_weighted };  // loss_weighted: the model with the smaller loss weighs more
constexpr auto enum_names(Merge) { return in_order<Merge>("half", "loss_weighted"); }

enum class ExchangeOrder { sequential, overlap };  // overlap: ask before the gradient, get the answer during it
constexpr auto enum_names(ExchangeOrder) { return in_order<ExchangeOrder>("sequential", "overlap"); }

enum class Threshold { none, abs_mean, signed_mean };  // drop values below the tensor's mean (magnitude)
constexpr auto enum_names(Threshold) { return in_order<Threshold>("none", "abs_mean", "signed_mean"); }

inline constexpr const char* gossip_tuned[] = {R"({"mode": ["push", "pair"]})",
                                               R"({"threshold": ["abs_mean"], "error_feedback": [true]})"};

struct GossipParams : SystemOf<GossipParams> {
  static constexpr SystemFacts facts{.name = "gossip",
                                     .what = "model averaging with one peer a step: pull, push or pairwise",
                                     .paper = "Cui 2019; Boyd et al., 2006",
                                     .fetches_model = true,
                                     .tuned = gossip_tuned};
  GossipMode mode = GossipMode::pull;
  PeerRule peer = PeerRule::random;
  Merge merge = Merge::half;
  ExchangeOrder order = ExchangeOrder::sequential;
  Threshold threshold = Threshold::none;
  bool error_feedback = false;              // dropped gradient values are added to the next gradient
  std::optional<Seconds> timeout;           // none: wait for the answer; else skip averaging after this time
  std::optional<graph::Topology> topology;  // none: any other worker

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  std::optional<graph::Consensus> consensus(const Cluster& cluster) const override;
  std::vector<SettingError> errors(const Surroundings& around) const override;
  void fill_defaults(const Cluster* cluster) override;
};

template <class Visitor>
void fields(Visitor& visit, GossipParams& params) {
  visit("mode", params.mode, Rule{.doc = "pull a model, push one's own, or exchange both"});
  visit("peer", params.peer, Rule{.doc = "which peer to exchange with"});
  visit("topology", params.topology,
        Rule{.doc = "which workers may ask which: an undirected graph; default: all of them all others"});
  visit("merge", params.merge, Rule{.doc = "how two models become one"});
  visit("order", params.order, Rule{.doc = "exchange after the gradient, or while it is computed"});
  visit("threshold", params.threshold, Rule{.doc = "drop gradient values below their tensor's mean"});
  visit("error_feedback", params.error_feedback, Rule{.doc = "what the threshold drops is added to the next gradient"});
  visit("timeout", params.timeout, Rule{.doc = "give up on a peer's answer", .above = 0});
  visit.relation("error_feedback", Relation::needs, "threshold=abs_mean|signed_mean");
  visit.relation("timeout", Relation::excludes, "mode=pair");  // both must move
}

}  // namespace ddl::systems
