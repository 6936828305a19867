#include "sim/platform/network_plan.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"

namespace ddl::platform {
namespace {

using scenario::LinkSolver;
using scenario::NetworkModel;

constexpr const char* factors_by_size = "the platform file sets factors that depend on a message's size";

struct Model {
  NetworkModel model = NetworkModel::TCP;
  std::string why = "";              // packets
  std::string why_not_packets = "";  // if some routes are slow or far
};

struct SolverChoice {
  CarriedBy by = CarriedBy::simgrid;
  std::string why;
};

// A reason why SimGrid cannot carry messages, and what to write where the accelerator cannot either.
struct Obstacle {
  std::string what;
  const char* key = "$.platform.file";
  const char* expected = "factors that do not depend on a message's size, or a link on each route";
};

// A file that sets these wants its own.
bool sets_factors(const NetworkFacts& facts) { return facts.sets_latency_factor || !facts.plain_factors; }

Model model_of(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  const auto tcp_because = [](std::string why_not) { return Model{NetworkModel::TCP, "", std::move(why_not)}; };
  if (network.model != NetworkModel::automatic) return {network.model, "the scenario's platform.network.model"};
  if (sets_factors(facts)) return {NetworkModel::CM02};
  if (facts.nodes > most_nodes_of_packets_by_default || !facts.kind_of_routes) return {NetworkModel::TCP};
  const RouteKind routes = facts.kind_of_routes();
  if (routes == RouteKind::near_and_quick) return {NetworkModel::TCP};
  if (routes == RouteKind::far_and_quick)
    return tcp_because("the links of all routes of 2 ms or more have more than 1 Gbit/s, whatever windows allow");
  if (network.solver) return tcp_because("a solver of links was asked for");
  if (facts.sets_sharing) return tcp_because("the platform file sets how links are shared");
  if (facts.segments > most_segments_by_default) {
    return tcp_because(fmt::format("some {:.1g} segments would travel; expected at most {:.0e}", facts.segments,
                                   most_segments_by_default));
  }
  const char* const where = routes == RouteKind::slow ? "a link has at most 100 Mbit/s; on such links"
                                                      : "a route takes 2 ms or more; over such routes";
  return {NetworkModel::packets, fmt::format("{} this model is closest to measured times", where)};
}

// Settings that the model does not have must not be set in vain.
void refuse_what_the_model_lacks(const scenario::NetworkSpec& network, const NetworkFacts& facts, NetworkModel model) {
  const auto refuse = [](const char* key, const std::string& what) {
    throw InputError(fmt::format("$.platform.network.{}: {}", key, what));
  };
  if (model != NetworkModel::CM02 && sets_factors(facts)) {
    refuse("model", fmt::format("{} computes latencies by itself, and the platform file sets SimGrid's factors; "
                                "expected CM02",
                                name_of(model)));
  }
  if (model == NetworkModel::CM02) {
    const scenario::NetworkSpec usual;
    const std::string others = "is of the models TCP and packets, and the model is CM02";
    if (network.queue.value != usual.queue.value) refuse("queue", others);
    if (network.slow_start_after_idle != usual.slow_start_after_idle) refuse("slow_start_after_idle", others);
  }
  if (model != NetworkModel::packets) return;
  check(!network.solver, "packets without a solver of links");
  if (facts.sets_sharing) {
    refuse("model",
           "packets wait in queues, where network/bandwidth-factor and network/weight-S of the platform file would "
           "have no effect; expected TCP or CM02");
  }
  if (facts.nodes > most_nodes_of_packets) {
    refuse("model", fmt::format("packets are for {} at most, and there are {}; expected \"TCP\"",
                                counted(most_nodes_of_packets, "node"), facts.nodes));
  }
  const auto connections = static_cast<std::size_t>(network.connections);
  if (facts.nodes * facts.nodes * connections > most_nodes_of_packets * most_nodes_of_packets) {
    refuse("connections", fmt::format("are {} between each two of {} nodes; expected fewer in the model packets, or "
                                      "\"TCP\"",
                                      connections, facts.nodes));
  }
}

// True if SimGrid is the first choice to carry the messages.
bool is_for_simgrid(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  return network.solver ? *network.solver == LinkSolver::simgrid : facts.nodes <= most_nodes_of_simgrid;
}

std::optional<Obstacle> obstacle_of_simgrid(const scenario::NetworkSpec& network, const NetworkFacts& facts,
                                            NetworkModel model) {
  const bool is_wanted = is_for_simgrid(network, facts);
  if (facts.without_links && (is_wanted || !facts.plain_factors)) {
    if (const std::string route = facts.without_links(); !route.empty()) {
      return Obstacle{fmt::format("the route from {} has no link, and SimGrid counts no bytes over it", route)};
    }
  }
  if (facts.latency_only_back && is_wanted && model == NetworkModel::TCP) {
    if (const std::string route = facts.latency_only_back(); !route.empty()) {
      return Obstacle{fmt::format("{} has latency on its way back alone, which SimGrid cannot count for TCP", route)};
    }
  }
  if (facts.sets_latency_factor && facts.latencies_change) {
    return Obstacle{
        "latencies change, and the platform file sets network/latency-factor, which SimGrid cannot change then",
        "$.platform.profiles", "no profile of a latency"};
  }
  return std::nullopt;
}

// SimGrid and the accelerator carry the same models: SimGrid where it is quick, unless only one of them can.
SolverChoice solver_of(const scenario::NetworkSpec& network, const NetworkFacts& facts, NetworkModel model) {
  const std::optional<Obstacle> obstacle = obstacle_of_simgrid(network, facts, model);
  const bool simgrid_only = !facts.plain_factors, is_for_it = is_for_simgrid(network, facts);
  if (obstacle && simgrid_only) {
    throw InputError(
        fmt::format("{}: {}, and {}; expected {}", obstacle->key, obstacle->what, factors_by_size, obstacle->expected));
  }
  if (network.solver) {
    const SolverChoice asked = is_for_it ? SolverChoice{CarriedBy::simgrid, "SimGrid was asked for"}
                                         : SolverChoice{CarriedBy::accelerator, "the accelerator was asked for"};
    if (is_for_it && obstacle) throw InputError(asked.why + ": " + obstacle->what);
    if (!is_for_it && simgrid_only) throw InputError(asked.why + ": " + factors_by_size);
    return asked;
  }
  if (obstacle) return {CarriedBy::accelerator, obstacle->what};
  if (simgrid_only) return {CarriedBy::simgrid, factors_by_size};
  if (network.connections > 1) {
    return {CarriedBy::accelerator,
            "messages go over several connections, whose rates SimGrid's solver can fail to round"};
  }
  if (is_for_it && facts.quickest_bytes_per_s > most_bytes_per_s_of_simgrid) {
    return {CarriedBy::accelerator, fmt::format("a link has {:.6g} Gbit/s, which SimGrid's solver can fail to round",
                                                facts.quickest_bytes_per_s * 8 / 1e9)};
  }
  return {is_for_it ? CarriedBy::simgrid : CarriedBy::accelerator,
          fmt::format("{}; {} {} SimGrid's own solver is {}", counted(facts.nodes, "node"),
                      is_for_it ? "up to" : "beyond", most_nodes_of_simgrid, is_for_it ? "quick" : "slow")};
}

}  // namespace

std::string text_of(const NetworkPlan& plan) {
  if (plan.carried_by == CarriedBy::packets) return "packets: TCP connections, packet by packet";
  return fmt::format("{}, carried by {}", name_of(plan.model),
                     plan.carried_by == CarriedBy::simgrid ? "SimGrid" : "the accelerator");
}

NetworkPlan plan_network(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  const Model chosen = model_of(network, facts);
  refuse_what_the_model_lacks(network, facts, chosen.model);
  if (chosen.model == NetworkModel::packets) return {CarriedBy::packets, chosen.model, chosen.why};
  SolverChoice solver = solver_of(network, facts, chosen.model);
  if (!chosen.why_not_packets.empty()) solver.why += "; not packet by packet: " + chosen.why_not_packets;
  return {solver.by, chosen.model, solver.why};
}

}  // namespace ddl::platform
