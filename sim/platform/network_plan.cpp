#include "sim/platform/network_plan.hpp"

#include <fmt/format.h>

#include "core/base/check.hpp"

namespace ddl::platform {
namespace {

using scenario::LinkSharing;
using scenario::LinkSolver;

// In the words of an error; nothing where it can.
std::string why_not_simgrid(const NetworkFacts& facts) {
  if (!facts.latencies_change || !facts.sets_latency_factor) return "";
  return "latencies change, and the platform file sets network/latency-factor, which SimGrid cannot change then";
}

std::string why_not_accelerator(const NetworkFacts& facts) {
  if (!facts.plain_factors) return "the platform file sets factors that depend on a message's size";
  return "";
}

LinkSharing sharing_of(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  if (network.sharing == LinkSharing::tcp && !facts.plain_factors) {
    throw InputError(
        "$.platform.network.sharing: \"tcp\" divides messages, and the platform file sets factors that depend on a "
        "message's size; expected \"fair\"");
  }
  if (network.sharing != LinkSharing::automatic) return network.sharing;
  return network.model == scenario::NetworkModel::LV08 && facts.plain_factors ? LinkSharing::tcp : LinkSharing::fair;
}

}  // namespace

std::string text_of(const NetworkPlan& plan) {
  return fmt::format("{}, {} sharing, carried by {}", name_of(plan.model), name_of(plan.sharing),
                     plan.carried_by == CarriedBy::simgrid ? "SimGrid" : "the accelerator");
}

NetworkPlan plan_network(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  NetworkPlan plan{.model = network.model, .sharing = sharing_of(network, facts), .why = ""};
  const std::string not_simgrid = why_not_simgrid(facts), not_accelerator = why_not_accelerator(facts);
  const auto carry = [&](CarriedBy by, std::string why) {
    plan.carried_by = by;
    plan.why = std::move(why);
    return plan;
  };
  if (!not_simgrid.empty() && !not_accelerator.empty()) {
    throw InputError("$.platform.profiles: " + not_simgrid + "; expected no profile of a latency");
  }
  if (network.solver == LinkSolver::simgrid) {
    if (!not_simgrid.empty()) {
      throw InputError("$.platform.network.solver: " + not_simgrid + R"(; expected "auto")");
    }
    return carry(CarriedBy::simgrid, "the scenario's platform.network.solver");
  }
  if (network.solver == LinkSolver::accelerator) {
    if (!not_accelerator.empty()) {
      throw InputError("$.platform.network.solver: " + not_accelerator + R"(; expected "auto")");
    }
    return carry(CarriedBy::accelerator, "the scenario's platform.network.solver");
  }
  if (!not_simgrid.empty()) return carry(CarriedBy::accelerator, not_simgrid);
  if (!not_accelerator.empty()) return carry(CarriedBy::simgrid, not_accelerator);
  if (facts.nodes > most_nodes_of_simgrid) {
    return carry(CarriedBy::accelerator,
                 fmt::format("{} nodes; beyond {} SimGrid's own solver is slow", facts.nodes, most_nodes_of_simgrid));
  }
  return carry(CarriedBy::simgrid, fmt::format("{} node{}; up to {} SimGrid's own solver is quick", facts.nodes,
                                               facts.nodes == 1 ? "" : "s", most_nodes_of_simgrid));
}

}  // namespace ddl::platform
