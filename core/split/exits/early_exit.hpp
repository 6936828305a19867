// A model in stages on device, edge and cloud, with exits between them: a sample leaves at the first exit that is sure
// enough (BranchyNet, Teerapittayanon et al., ICPR 2016; DDNN, ICDCS 2017; IDDL's horizontal partitions).
#pragma once

#include <memory>
#include <vector>

#include "core/base/fields.hpp"
#include "core/node/node.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"
#include "core/split/exits/serving.hpp"
#include "core/split/exits/uncertainty.hpp"

namespace ddl::split {

struct EarlyExitParams : SystemOf<EarlyExitParams> {
  static constexpr SystemFacts facts{.name = "early_exit",
                                     .what = "stages of one model on device, edge and cloud, with exits between them",
                                     .paper = "Teerapittayanon et al., ICPR 2016 and ICDCS 2017",
                                     .least_workers = 2,
                                     .one_model = true};
  std::vector<int> cuts;  // layers before worker 1, 2, ...; empty: equal shares of the operations
  int exit_filters = 32;  // in an exit's convolution; 0: no convolution
  double exit_learning_rate = 0.01;
  Uncertainty uncertainty = Uncertainty::entropy;
  std::vector<double> thresholds = {0.5};
  ServingParams serving;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic split_traffic(const nn::Model* model, const Cluster& cluster) const override;
  std::vector<SettingError> errors(const Surroundings& around) const override;
  MemoryUse split_memory(const nn::Model* model, int workers) const override;
  std::vector<std::vector<std::uint32_t>> split_parts(const nn::Model& model, const Cluster& cluster) const override;
  int requests() const override { return serving.requests; }
};
template <class Visitor>
void fields(Visitor& visit, EarlyExitParams& params) {
  visit("cuts", params.cuts,
        Rule{.doc = "the model's layers (a relu belongs to the dense or conv before it) in front of worker 1, 2, ...; "
                    "default: operations fall evenly",
             .at_least = 0,
             .at_most = 1e6});
  visit("exit_filters", params.exit_filters,
        Rule{.doc = "of the 3x3 convolution of an exit from an image; 0 for none", .at_least = 0, .at_most = 16384});
  visit("exit_learning_rate", params.exit_learning_rate, Rule{.doc = "of the exits' plain SGD", .above = 0});
  visit("uncertainty", params.uncertainty, Rule{.doc = "what is held against the threshold"});
  visit("thresholds", params.thresholds,
        Rule{.doc = "a sample at least this uncertain goes further; several are tried one after the other; 0: all go, "
                    "1: none; []: each exit in turn, and the last stage, answers all",
             .at_least = 0,
             .at_most = 1,
             .empty_is_kept = true});
  visit("serving", params.serving, Rule{.doc = "predictions once training is over, for each threshold"});
}

}  // namespace ddl::split
