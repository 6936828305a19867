// Elastic averaging SGD (Zhang, Choromanska and LeCun, NIPS 2015): workers train models of their own, which an elastic
// force draws to a center on the servers, and the center to them.
#pragma once

#include <optional>

#include "core/base/fields.hpp"
#include "core/node/node.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace elastic {

using namespace ddl;

struct EasgdParams : SystemOf<EasgdParams> {
  static constexpr SystemFacts facts{.name = "easgd",
                                     .what = "elastic averaging: workers and a center on servers attract each other",
                                     .paper = "Zhang et al., NIPS 2015",
                                     .needs_servers = true};
  int tau = 10;
  std::optional<double> alpha = std::nullopt;  // none: 0.9 / n, as in the paper

  void worker(Node& node) const override;
  void server(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  int period() const override { return tau; }
  // Consensus of the workers' models and the center together.
  std::optional<graph::Consensus> consensus(const Cluster& cluster) const override;
};

template <class Visitor>
void fields(Visitor& visit, EasgdParams& params) {
  visit("tau", params.tau, Rule{.doc = "communication period: steps between exchanges with the center", .at_least = 1});
  visit("alpha", params.alpha,
        Rule{.doc = "moving rate: share of the difference that an exchange takes; default: 0.9 / workers",
             .above = 0,
             .at_most = 1});
}

}  // namespace elastic
