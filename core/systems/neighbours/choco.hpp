// CHOCO-SGD: gossip of compressed differences (Koloskova et al., ICML 2019 and ICLR 2020).
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/base/fields.hpp"
#include "core/codec/codec_params.hpp"
#include "core/graph/mixing.hpp"
#include "core/graph/topology.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

// Choice of the values that travel. The rest stays in the difference, so no codec needs error feedback here.
struct LargestDifferences {  // with their indices
  static constexpr const char* tag = "top_k";
  double fraction = 0.1;
};
struct RandomDifferences {  // at coordinates that sender and receiver draw alike
  static constexpr const char* tag = "random_k";
  double fraction = 0.1;
};
struct AllDifferences {
  static constexpr const char* tag = "none";
};
using DifferenceCodec = std::variant<LargestDifferences, RandomDifferences, AllDifferences>;

template <class Visitor>
void fields(Visitor& visit, LargestDifferences& params) {
  codec::fraction_field(visit, params.fraction);
}
template <class Visitor>
void fields(Visitor& visit, RandomDifferences& params) {
  codec::fraction_field(visit, params.fraction);
}
template <class Visitor>
void fields(Visitor&, AllDifferences&) {}

inline constexpr const char* choco_tuned[] = {
    R"({"codec":[{"type":"top_k","fraction":0.1},{"type":"top_k","fraction":0.02},{"type":"top_k","fraction":0.004}]})"};

struct ChocoParams : SystemOf<ChocoParams> {
  static constexpr SystemFacts facts{.name = "choco",
                                     .what = "gossip of compressed differences to public copies of models",
                                     .paper = "Koloskova et al., ICML 2019 and ICLR 2020",
                                     .fetches_model = true,
                                     .timing_independent = true,
                                     .tuned = choco_tuned};
  graph::Topology topology = graph::GraphKind::ring;
  std::optional<int> degree;
  DifferenceCodec codec;
  std::optional<double> consensus_rate;  // gamma; none: the share of values sent
  OnFailure on_failure = OnFailure::wait;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  std::optional<graph::Consensus> consensus(const Cluster& cluster) const override;
  std::vector<SettingError> errors(const Surroundings& around) const override;
  void fill_defaults(const Cluster* cluster) override;
};

double sent_share(const ChocoParams& params);  // share of a difference's values that travel
double wire_share(const ChocoParams& params);  // their share of a model's bytes on the wire

template <class Visitor>
void fields(Visitor& visit, ChocoParams& params) {
  visit("topology", params.topology, Rule{.doc = "which workers average with which; undirected"});
  visit("degree", params.degree, Rule{.doc = "neighbours in a random_regular graph", .at_least = 1});
  visit("codec", params.codec, Rule{.doc = "which values of a difference travel; default: top_k"});
  visit("consensus_rate", params.consensus_rate,
        Rule{.doc = "gamma, of a step towards the neighbours; default: the share of the values that travels",
             .above = 0,
             .at_most = 1});
  visit("on_failure", params.on_failure, on_failure_rule);
}

}  // namespace ddl::systems
