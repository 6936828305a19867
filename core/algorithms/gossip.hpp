// Gossip averaging of models: pull (Cui 2019), push and pairwise exchange (Boyd et al., 2006).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/algorithms/node.hpp"
#include "core/algorithms/traffic.hpp"
#include "core/base/fields.hpp"
#include "core/base/units.hpp"

namespace ddl {

enum class GossipMode { pull, push, pair };
template <>
inline constexpr EnumName<GossipMode> enum_names<GossipMode>[] = {
    {GossipMode::pull, "pull"}, {GossipMode::push, "push"}, {GossipMode::pair, "pair"}};

enum class PeerRule { random, ring, round_robin };
template <>
inline constexpr EnumName<PeerRule> enum_names<PeerRule>[] = {
    {PeerRule::random, "random"}, {PeerRule::ring, "ring"}, {PeerRule::round_robin, "round_robin"}};

enum class Merge { half, loss_weighted };  // x = (x + y) / 2 | the model with the smaller loss weighs more
template <>
inline constexpr EnumName<Merge> enum_names<Merge>[] = {{Merge::half, "half"}, {Merge::loss_weighted, "loss_weighted"}};

enum class ExchangeOrder { sequential, overlap };  // after the gradient | while it is computed
template <>
inline constexpr EnumName<ExchangeOrder> enum_names<ExchangeOrder>[] = {{ExchangeOrder::sequential, "sequential"},
                                                                        {ExchangeOrder::overlap, "overlap"}};

enum class Threshold { none, abs_mean, signed_mean };  // drop gradients below the tensor's mean (magnitude)
template <>
inline constexpr EnumName<Threshold> enum_names<Threshold>[] = {
    {Threshold::none, "none"}, {Threshold::abs_mean, "abs_mean"}, {Threshold::signed_mean, "signed_mean"}};

struct GossipParams {
  static constexpr const char* tag = "gossip";
  GossipMode mode = GossipMode::pull;
  PeerRule peer = PeerRule::random;
  Merge merge = Merge::half;
  ExchangeOrder order = ExchangeOrder::sequential;
  Threshold threshold = Threshold::none;
  bool residual = false;                        // dropped gradient values are added to the next gradient
  std::optional<Seconds> timeout;               // none: wait for the answer; else skip averaging once it is over
  std::map<std::string, Seconds> late_joiners;  // workers that start later, from a peer's model; until then they refuse
};

template <class Visitor>
void fields(Visitor& visit, GossipParams& params) {
  visit("mode", params.mode, Rule{.doc = "pull a model, push one's own, or exchange both"});
  visit("peer", params.peer, Rule{.doc = "whom to exchange with"});
  visit("merge", params.merge, Rule{.doc = "how two models become one"});
  visit("order", params.order, Rule{.doc = "exchange after the gradient, or while it is computed"});
  visit("threshold", params.threshold, Rule{.doc = "drop gradient values below their tensor's mean"});
  visit("residual", params.residual, Rule{.doc = "add what the threshold drops to the next gradient"});
  visit("timeout", params.timeout, Rule{.doc = "give up on a peer's answer", .above = 0});
  visit("late_joiners", params.late_joiners,
        Rule{.doc = "when workers start that come later, by host name; each begins with a peer's model", .above = 0});
}

// When a worker starts: 0 for most. Throws InputError when late joiners are no workers, or all of them.
double late_start_s(const GossipParams& params, const Cluster& cluster, int worker);

std::unique_ptr<Program> make_program(const GossipParams& params, Node& node);
Traffic traffic_of(const GossipParams& params, const Cluster& cluster);

}  // namespace ddl
