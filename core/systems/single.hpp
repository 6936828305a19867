// Minibatch SGD without a network: the baseline of every distributed scheme. One worker with all the data, or every
// worker with its own shard.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/node/node.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

struct SingleParams : SystemOf<SingleParams> {
  static constexpr SystemFacts facts{.name = "single",
                                     .what = "minibatch SGD on one worker, with all the data; the others idle",
                                     .paper = "Robbins and Monro, 1951",
                                     .one_trains = true,
                                     .timing_independent = true};
  std::optional<std::string> worker_name;  // none: the first

  void worker(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  std::vector<SettingError> errors(const Surroundings& around) const override;
  void fill_defaults(const Cluster* cluster) override;
  int training_worker(const std::vector<std::string>& worker_names) const override;
  std::vector<int> model_holders(const Cluster& cluster) const override {
    return {training_worker(cluster.worker_names)};
  }
};
template <class Visitor>
void fields(Visitor& visit, SingleParams& params) {
  visit("worker", params.worker_name, Rule{.doc = "host name of the worker that trains; default the first"});
}

struct AloneParams : SystemOf<AloneParams> {
  static constexpr SystemFacts facts{.name = "alone",
                                     .what = "every worker trains on its own shard, and nothing travels",
                                     .paper = "Robbins and Monro, 1951",
                                     .timing_independent = true};

  void worker(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
};
template <class Visitor>
void fields(Visitor&, AloneParams&) {}

}  // namespace ddl::systems
