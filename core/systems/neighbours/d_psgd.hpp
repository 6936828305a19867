// D-PSGD: decentralized synchronous SGD (Lian et al., NIPS 2017).
#pragma once

#include <memory>
#include <optional>

#include "core/base/fields.hpp"
#include "core/graph/mixing.hpp"
#include "core/graph/topology.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

enum class Combine { before, after };  // models are averaged before the gradient is applied (as published), or after
constexpr auto enum_names(Combine) { return in_order<Combine>("before", "after"); }

inline constexpr const char* d_psgd_tuned[] = {R"({"overlap": [true]})"};

struct DPsgdParams : SystemOf<DPsgdParams> {
  static constexpr SystemFacts facts{.name = "d_psgd",
                                     .what = "synchronous averaging with all neighbours of a graph",
                                     .paper = "Lian et al., NIPS 2017",
                                     .fetches_model = true,
                                     .timing_independent = true,
                                     .tuned = d_psgd_tuned};
  graph::Topology topology = graph::GraphKind::ring;
  std::optional<int> degree;
  bool overlap = false;
  Combine combine = Combine::before;
  OnFailure on_failure = OnFailure::wait;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  std::optional<graph::Consensus> consensus(const Cluster& cluster) const override;
  std::vector<SettingError> errors(const Surroundings& around) const override;
  void fill_defaults(const Cluster* cluster) override;
};

template <class Visitor>
void fields(Visitor& visit, DPsgdParams& params) {
  visit("topology", params.topology,
        Rule{.doc = "which workers average with which: a graph, or several, one a round in turn"});
  visit("degree", params.degree, Rule{.doc = "neighbours in a random_regular graph", .at_least = 1});
  visit("overlap", params.overlap, Rule{.doc = "models travel while the gradient is computed"});
  visit("combine", params.combine, Rule{.doc = "average models before the gradient is applied, or after"});
  visit("on_failure", params.on_failure, on_failure_rule);
}

}  // namespace ddl::systems
