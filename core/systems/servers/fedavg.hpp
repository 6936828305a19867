// Federated averaging (McMahan et al., AISTATS 2017): in each round the server has some of the workers train alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

enum class Weigh { samples, workers };  // a model's weight: its worker's samples, or the same for all
constexpr auto enum_names(Weigh) { return in_order<Weigh>("samples", "workers"); }

inline constexpr const char* fedavg_tuned[] = {R"({"local_steps": [8, 32, 128]})"};

struct FedavgParams : SystemOf<FedavgParams> {
  static constexpr SystemFacts facts{.name = "fedavg",
                                     .what = "federated averaging: a server has some workers train alone in each round",
                                     .paper = "McMahan et al., AISTATS 2017",
                                     .needs_servers = true,
                                     .servers_agree = true,
                                     .tuned = fedavg_tuned};
  std::optional<int> local_steps;       // H, per round; 8 unless epochs are given
  std::optional<int> local_epochs;      // E, in place of H: passes through the worker's own shard
  std::optional<ShareOrCount> sampled;  // C: workers in a round; none: all
  Weigh weigh = Weigh::samples;
  OnFailure on_failure = OnFailure::wait;
  std::optional<Seconds> failure_timeout;

  void worker(Node& node) const override;
  void server(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  int period() const override { return local_steps.value_or(8); }  // epochs depend on shards
  // With all workers, a round of H steps leaves no distance between models. Workers that are left out keep their
  // distance, so it is unknown.
  std::optional<graph::Consensus> consensus(const Cluster& cluster) const override;
  std::vector<SettingError> errors(const Surroundings& around) const override;
  void fill_defaults(const Cluster* cluster) override;
  double steps_per_iteration(const Cluster& cluster) const override;
};

int workers_in_round(const FedavgParams& params, int workers);
std::int64_t steps_in_round(const FedavgParams& params, const Cluster& cluster, int worker);

template <class Visitor>
void fields(Visitor& visit, FedavgParams& params) {
  visit("local_steps", params.local_steps, Rule{.doc = "H: steps of a worker in a round; default: 8", .at_least = 1});
  visit("local_epochs", params.local_epochs,
        Rule{.doc = "E, instead of H: passes through the worker's shard in a round", .at_least = 1});
  visit("sampled", params.sampled,
        Rule{.doc = "C: workers in a round, as a share (0.5; 1.0 is all) or as a count (2); default: all"});
  visit("weigh", params.weigh, Rule{.doc = "a model weighs by its worker's samples, or as every other"});
  server_failure_fields(visit, params.on_failure, params.failure_timeout);
  visit.relation("local_epochs", Relation::excludes, "local_steps");
}

}  // namespace ddl::systems
