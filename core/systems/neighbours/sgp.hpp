// SGP: stochastic gradient push (Assran et al., ICML 2019), push-sum gossip on directed graphs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/fields.hpp"
#include "core/graph/mixing.hpp"
#include "core/graph/topology.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

inline constexpr const char* sgp_tuned[] = {R"({"overlap": [true]})"};

struct SgpParams : SystemOf<SgpParams> {
  static constexpr SystemFacts facts{.name = "sgp",
                                     .what = "push-sum averaging along directed graphs",
                                     .paper = "Assran et al., ICML 2019",
                                     .fetches_model = true,
                                     .timing_independent = true,
                                     .tuned = sgp_tuned};
  graph::Topology topology = graph::GraphKind::one_peer_exponential;
  std::optional<int> degree;
  bool overlap = false;
  OnFailure on_failure = OnFailure::wait;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  std::optional<graph::Consensus> consensus(const Cluster& cluster) const override;
  std::string all_hosts_for() const override;
  // After its last step a worker adds what is still under way, as it comes.
  std::optional<Parts> summed_parts(const Cluster&) const override {
    return overlap ? std::nullopt : std::optional(Parts());
  }
  std::vector<SettingError> errors(const Surroundings& around) const override;
  void fill_defaults(const Cluster* cluster) override;
};

template <class Visitor>
void fields(Visitor& visit, SgpParams& params) {
  visit("topology", params.topology,
        Rule{.doc = "which workers send to which: a graph, or several, one a round in turn"});
  visit("degree", params.degree, Rule{.doc = "neighbours in a random_regular graph", .at_least = 1});
  visit("overlap", params.overlap, Rule{.doc = "what is sent may arrive while the next gradient is computed"});
  visit("on_failure", params.on_failure, on_failure_rule);
}

}  // namespace ddl::systems
