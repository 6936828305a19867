// One model divided over all workers by output channels, like IDDL's vertical partitions: activations and their
// gradients travel, weights never do.
#pragma once

#include <memory>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/node/node.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"
#include "core/split/exits/serving.hpp"

namespace ddl::split {

struct VerticalParams : SystemOf<VerticalParams> {
  static constexpr SystemFacts facts{.name = "vertical",
                                     .what = "one model whose channels are dealt over the workers: activations travel",
                                     .paper = "Dean et al., NIPS 2012; Sultana, 2020 (IDDL)",
                                     .one_model = true};
  std::vector<Bytes> meetings;  // timing only: of all workers' pieces of one batch, at each gathering
  ServingParams serving;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic split_traffic(const nn::Model* model, const Cluster& cluster) const override;
  std::vector<SettingError> errors(const Surroundings& around) const override;
  MemoryUse split_memory(const nn::Model* model, int workers) const override;
  std::vector<std::vector<std::uint32_t>> split_parts(const nn::Model& model, const Cluster& cluster) const override;
  int requests() const override { return serving.requests; }
};
template <class Visitor>
void fields(Visitor& visit, VerticalParams& params) {
  visit("meetings", params.meetings,
        Rule{.doc = "model \"none\": a batch's activations wherever workers gather them", .above = 0});
  visit("serving", params.serving, Rule{.doc = "predictions once training is over"});
}

}  // namespace ddl::split
