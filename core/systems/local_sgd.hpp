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

// 300 epochs of CIFAR-10 at 16 workers with 128 images each: the rate first falls after 150.
inline constexpr Preset local_sgd_presets[] = {
    {"post-local SGD", R"({"local_steps": 16, "local_from": 3660})", "Lin et al., ICLR 2020, on CIFAR-10"},
};

inline constexpr const char* local_sgd_tuned[] = {R"({"local_steps": [4, 16, 64]})",
                                                  R"({"collective": ["hierarchical", "butterfly"]})"};

struct LocalSgdParams : SystemOf<LocalSgdParams> {
  static constexpr SystemFacts facts{.name = "local_sgd",
                                     .what = "some steps alone, then the mean of all models",
                                     .paper = "Stich, ICLR 2019",
                                     .equal_replicas = true,
                                     .timing_independent = true,
                                     .presets = local_sgd_presets,
                                     .tuned = local_sgd_tuned};
  int local_steps = 8;
  int local_from = 0;
  comm::Collective collective = comm::Collective::ring;
  comm::CollectiveSettings settings;
  OnFailure on_failure = OnFailure::wait;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  void fill_defaults(const Cluster*) override { settings.fill_defaults(collective); }
  bool needs_rates() const override { return settings.by_rate(); }
  std::string all_hosts_for() const override { return local_from > 0 ? "local_from" : ""; }
  int period() const override { return local_steps; }
  // All models equal the mean after H steps.
  std::optional<graph::Consensus> consensus(const Cluster&) const override {
    return graph::Consensus{.factor = 0, .period = local_steps};
  }
  std::vector<SettingError> errors(const Surroundings& around) const override;
  std::vector<std::string> notes(const Cluster& cluster) const override;
};

template <class Visitor>
void fields(Visitor& visit, LocalSgdParams& params) {
  visit("local_steps", params.local_steps, Rule{.doc = "H: steps between two averagings", .at_least = 1});
  visit("local_from", params.local_from,
        Rule{.doc = "steps at first after each of which models are averaged, before H counts (post-local SGD); no host "
                    "may come or go then",
             .at_least = 0,
             .at_most = 1e9});
  visit("collective", params.collective,
        Rule{.doc = "how models are summed; each weighs alike, whatever the size of its site"});
  fields(visit, params.settings);
  visit("on_failure", params.on_failure, on_failure_rule);
}

}  // namespace ddl::systems
