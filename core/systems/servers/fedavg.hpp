// Federated averaging (McMahan et al., AISTATS 2017): in a round the server has some of the workers train alone.
#pragma once

#include <optional>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

struct FedavgParams {
  static constexpr SystemFacts facts{.name = "fedavg",
                                     .what = "federated averaging: a server has some workers train alone in each round",
                                     .paper = "McMahan et al., AISTATS 2017",
                                     .needs_servers = true,
                                     .servers_agree = true};
  int local_steps = 8;
  std::optional<double> sampled;  // workers in a round: below 1 a share of all, else a count; none: all
  OnFailure on_failure = OnFailure::wait;
  std::optional<Seconds> failure_timeout;

  void worker(Node& node) const;
  void server(Node& node) const;
  Traffic traffic(const Cluster& cluster) const;
  // A round of H steps leaves nothing of the models' distance where it has all workers. Where some are left out, theirs
  // stay what they were, and there is no saying.
  std::optional<graph::Consensus> consensus(const Cluster& cluster) const;
  std::vector<SettingError> errors(const Surroundings& around) const;
};

template <class Visitor>
void fields(Visitor& visit, FedavgParams& params) {
  visit("local_steps", params.local_steps, Rule{.doc = "H: steps of a worker in a round", .at_least = 1});
  visit("sampled", params.sampled, Rule{.doc = "workers in a round: a share if below 1, else a count", .above = 0});
  server_failure_fields(visit, params.on_failure, params.failure_timeout);
}

}  // namespace ddl::systems
