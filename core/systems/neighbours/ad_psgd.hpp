// AD-PSGD: asynchronous decentralized SGD (Lian et al., ICML 2018).
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "core/base/field_value.hpp"
#include "core/base/fields.hpp"
#include "core/graph/mixing.hpp"
#include "core/graph/pairs.hpp"
#include "core/node/node.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

// Pace of an active worker's exchanges: continuous, whatever the gradients do, or one for every so many gradients.
enum class ExchangePace { per_gradient, continuous };
constexpr auto enum_names(ExchangePace) { return in_order<ExchangePace>("per_gradient", "continuous"); }
struct GossipRate {
  std::variant<ExchangePace, int> form = ExchangePace::per_gradient;

  bool continuous() const { return form == decltype(form)(ExchangePace::continuous); }
  int every() const { return std::holds_alternative<int>(form) ? std::get<int>(form) : 1; }
};
inline FieldValue form_of(GossipRate& rate) {
  return either(rate.form, "is no rate", "expected \"per_gradient\", \"continuous\" or a count of gradients");
}

enum class PartnerRule { random, cyclic };
constexpr auto enum_names(PartnerRule) { return in_order<PartnerRule>("random", "cyclic"); }

enum class UpdateOrder { average_then_update, update_then_average };
constexpr auto enum_names(UpdateOrder) { return in_order<UpdateOrder>("average_then_update", "update_then_average"); }

// When an active worker's own model takes a gradient that exchanges must not see yet.
enum class ApplyPending { after_exchange, at_once };
constexpr auto enum_names(ApplyPending) { return in_order<ApplyPending>("after_exchange", "at_once"); }

inline constexpr const char* ad_psgd_tuned[] = {R"({"gossip_rate": [1, 4, 16]})", R"({"apply": ["at_once"]})"};

struct AdPsgdParams : SystemOf<AdPsgdParams> {
  static constexpr SystemFacts facts{.name = "ad_psgd",
                                     .what = "averaging in pairs, beside gradients that wait for no other worker",
                                     .paper = "Lian et al., ICML 2018",
                                     .fetches_model = true,
                                     .tuned = ad_psgd_tuned};
  graph::PairTopology topology;
  GossipRate gossip_rate;
  PartnerRule peer = PartnerRule::random;
  UpdateOrder update_order = UpdateOrder::average_then_update;
  ApplyPending apply = ApplyPending::after_exchange;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  std::optional<graph::Consensus> consensus(const Cluster& cluster) const override;
  std::vector<SettingError> errors(const Surroundings& around) const override;
  void fill_defaults(const Cluster* cluster) override;
};

template <class Visitor>
void fields(Visitor& visit, AdPsgdParams& params) {
  visit("topology", params.topology, Rule{.doc = "which active worker may average with which passive one"});
  visit("gossip_rate", params.gossip_rate,
        Rule{.doc = "exchanges of an active worker: \"per_gradient\", \"continuous\", or one every so many gradients",
             .at_least = 1,
             .at_most = 1e6});
  visit("peer", params.peer, Rule{.doc = "which peer an active worker asks next"});
  visit("update_order", params.update_order, Rule{.doc = "whether a gradient waits for the averaging it calls for"});
  visit("apply", params.apply,
        Rule{.doc = "when an active worker's own model takes a gradient that waits for an averaging"});
}

}  // namespace ddl::systems
