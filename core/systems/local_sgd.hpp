// Local SGD (Stich, ICLR 2019; McMahan et al., AISTATS 2017): some steps alone, then the mean of all models.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/comm/allreduce.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

struct LocalSgdParams : SystemOf<LocalSgdParams> {
  static constexpr SystemFacts facts{.name = "local_sgd",
                                     .what = "some steps alone, then the mean of all models",
                                     .paper = "Stich, ICLR 2019",
                                     .equal_replicas = true};
  int local_steps = 8;
  comm::Collective collective = comm::Collective::ring;
  OnFailure on_failure = OnFailure::wait;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  int period() const override { return local_steps; }
  // The mean of all is everybody's after H steps.
  std::optional<graph::Consensus> consensus(const Cluster&) const override {
    return graph::Consensus{.factor = 0, .period = local_steps};
  }
  std::vector<SettingError> errors(const Surroundings& around) const override;
  std::vector<std::string> notes(const Cluster& cluster) const override { return comm::notes_of(collective, cluster); }
};

template <class Visitor>
void fields(Visitor& visit, LocalSgdParams& params) {
  visit("local_steps", params.local_steps, Rule{.doc = "H: steps between two averagings", .at_least = 1});
  visit("collective", params.collective, Rule{.doc = "how models are summed"});
  visit("on_failure", params.on_failure, on_failure_rule);
}

}  // namespace ddl::systems
