// CHOCO-SGD: gossip of compressed differences (Koloskova et al., ICML 2019 and ICLR 2020).
#pragma once

#include <memory>
#include <optional>

#include "core/base/fields.hpp"
#include "core/graph/graph.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

enum class CompressionOperator { none, top_k, random_k };  // all values | the largest, with indices | random ones
constexpr auto enum_names(CompressionOperator) {
  return std::to_array<EnumName<CompressionOperator>>({{CompressionOperator::none, "none"},
                                                       {CompressionOperator::top_k, "top_k"},
                                                       {CompressionOperator::random_k, "random_k"}});
}

struct ChocoParams {
  static constexpr SystemFacts facts{.name = "choco",
                                     .what = "gossip of compressed differences to public copies of models",
                                     .paper = "Koloskova et al., ICML 2019 and ICLR 2020",
                                     .fetches_model = true};
  graph::GraphKind topology = graph::GraphKind::ring;
  std::optional<int> degree;
  CompressionOperator compressor = CompressionOperator::top_k;
  std::optional<double> fraction;        // of the values, that top_k and random_k keep; none: a tenth
  std::optional<double> consensus_rate;  // gamma; none: the share of the values that travels
  OnFailure on_failure = OnFailure::wait;

  std::unique_ptr<Program> program(Node& node) const;
  Traffic traffic(const Cluster& cluster) const;
  std::vector<SettingError> errors(const Surroundings& around) const;
};

template <class Visitor>
void fields(Visitor& visit, ChocoParams& params) {
  visit("topology", params.topology, Rule{.doc = "which workers average with which; undirected"});
  visit("degree", params.degree, Rule{.doc = "neighbours in a random_regular graph", .at_least = 1});
  visit("compressor", params.compressor, Rule{.doc = "which values of a difference travel"});
  visit("fraction", params.fraction,
        Rule{.doc = "of the values, that top_k and random_k keep; default 0.1", .above = 0, .at_most = 1});
  visit("consensus_rate", params.consensus_rate,
        Rule{.doc = "gamma, of a step towards the neighbours; default: the share of the values that travels",
             .above = 0,
             .at_most = 1});
  visit("on_failure", params.on_failure, on_failure_rule);
}

}  // namespace ddl::systems
