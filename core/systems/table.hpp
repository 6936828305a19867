// Every training system, once. Adding one: its header and file, an alternative in AlgorithmParams, a row in table.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>

#include "core/ensemble/samme.hpp"
#include "core/node/node.hpp"
#include "core/node/traffic.hpp"
#include "core/parallel/early_exit.hpp"
#include "core/parallel/vertical.hpp"
#include "core/systems/ad_psgd.hpp"
#include "core/systems/ako.hpp"
#include "core/systems/allreduce.hpp"
#include "core/systems/choco.hpp"
#include "core/systems/d_psgd.hpp"
#include "core/systems/fedavg.hpp"
#include "core/systems/gossip.hpp"
#include "core/systems/local_sgd.hpp"
#include "core/systems/parameter_server.hpp"
#include "core/systems/sgp.hpp"
#include "core/systems/single.hpp"

namespace ddl::systems {

using AlgorithmParams =
    std::variant<SingleParams, PsAsyncParams, PsSyncParams, AkoParams, GossipParams, DPsgdParams, AdPsgdParams,
                 SgpParams, ChocoParams, RingAllreduceParams, TreeAllreduceParams, StarAllreduceParams,
                 PartialAllreduceParams, LocalSgdParams, FedavgParams, PsSspParams, parallel::VerticalParams,
                 parallel::EarlyExitParams, ensemble::SammeParams>;

}  // namespace ddl::systems

template <>
inline constexpr std::string_view ddl::tag_key<ddl::systems::AlgorithmParams> = "name";

namespace ddl::systems {

struct AlgorithmRow {
  const char* name;
  const char* what;  // one line
  const char* paper;
  bool needs_servers;  // at least one; otherwise servers of the platform stay idle
  int least_workers;
  bool one_model = false;        // which all workers share, and so each minibatch: a step is a step of all
  bool chooses_samples = false;  // every worker has the whole training set, and minibatches are the system's choice
};

std::span<const AlgorithmRow> algorithm_table();
const AlgorithmRow& row_of(const AlgorithmParams& params);
// Steps by which no worker may be ahead of the slowest, if the system bounds that whatever happens.
std::optional<int> staleness_bound_of(const AlgorithmParams& params);

// The program of one node, which keeps a reference to `node`.
std::unique_ptr<Program> make_program(const AlgorithmParams& params, Node& node);

// What one step of every worker sends.
Traffic traffic_of(const AlgorithmParams& params, const Cluster& cluster);

// Which parameters each worker holds, of systems whose workers share one model; empty: each holds all.
std::vector<std::vector<std::uint32_t>> held_of(const AlgorithmParams& params, const Cluster& cluster);
// Predictions it is asked for once training is over.
int requests_of(const AlgorithmParams& params);

// What is wrong with these settings on this cluster and optimizer, or "" ; `key` names the setting.
struct SettingError {
  std::string key;
  std::string what;
};
std::vector<SettingError> setting_errors(const AlgorithmParams& params, int workers, int servers,
                                         bool stateless_optimizer);

}  // namespace ddl::systems
