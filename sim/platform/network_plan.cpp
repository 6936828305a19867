#include "sim/platform/network_plan.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"

namespace ddl::platform {
namespace {

using scenario::LinkSolver;
using scenario::NetworkModel;

// --- the decision, in plain values ---

// Why this model.
enum class ModelReason {
  named,             // in the scenario
  slow_routes,       // packets: a link is slow
  far_routes,        // packets: a route takes long
  usual,             // TCP: routes are near and quick, or nodes are many
  far_quick_routes,  // TCP: the routes that take long have too much bandwidth
                     // for packets
  many_segments,     // TCP: packets would be too many
  solver_asked,      // TCP: a test asks for a solver of links
  file_sharing,      // TCP: the platform file sets how links are shared
  file_factors       // CM02: the platform file sets latencies' factor, or factors by
                     // size
};

// Why it carries the messages.
enum class CarriedReason {
  model,               // packets: nothing else can
  asked,               // by a test
  few_nodes,           // SimGrid
  many_nodes,          // the accelerator
  factors_by_size,     // SimGrid: the accelerator knows none
  route_without_link,  // the accelerator: SimGrid counts no bytes there
  latency_back_alone,  // the accelerator, in TCP: SimGrid cannot count it
  latencies_change     // the accelerator: SimGrid cannot change them with the
                       // file's latency factor
};

struct Decision {
  NetworkModel model = NetworkModel::TCP;
  ModelReason why_model = ModelReason::usual;
  CarriedBy carried_by = CarriedBy::simgrid;
  CarriedReason why_carried = CarriedReason::few_nodes;
  std::size_t nodes = 0;
  double segments = 0;
  std::string route = "";  // "a to b", where one is the reason
};

bool is_for_connections(NetworkModel model) { return model == NetworkModel::TCP || model == NetworkModel::packets; }

// A file that sets these wants its own.
bool sets_factors(const NetworkFacts& facts) { return facts.sets_latency_factor || !facts.plain_factors; }

std::pair<NetworkModel, ModelReason> model_by_default(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  if (sets_factors(facts)) return {NetworkModel::CM02, ModelReason::file_factors};
  if (facts.nodes > most_nodes_of_packets_by_default || !facts.kind_of_routes) {
    return {NetworkModel::TCP, ModelReason::usual};
  }
  const RouteKind routes = facts.kind_of_routes();
  if (routes == RouteKind::near_and_quick) return {NetworkModel::TCP, ModelReason::usual};
  if (routes == RouteKind::far_and_quick) return {NetworkModel::TCP, ModelReason::far_quick_routes};
  if (network.solver) return {NetworkModel::TCP, ModelReason::solver_asked};
  if (facts.sets_sharing) return {NetworkModel::TCP, ModelReason::file_sharing};
  if (facts.segments > most_segments_by_default) return {NetworkModel::TCP, ModelReason::many_segments};
  return {NetworkModel::packets, routes == RouteKind::slow ? ModelReason::slow_routes : ModelReason::far_routes};
}

// Whether SimGrid carries the messages if it can.
bool is_for_simgrid(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  return network.solver ? *network.solver == LinkSolver::simgrid : facts.nodes <= most_nodes_of_simgrid;
}

// What keeps SimGrid from carrying messages, with the route that does; none
// where it can, or need not.
std::optional<std::pair<CarriedReason, std::string>> obstacle_of_simgrid(const scenario::NetworkSpec& network,
                                                                         const NetworkFacts& facts,
                                                                         NetworkModel model) {
  const bool is_wanted = is_for_simgrid(network, facts);
  if (facts.without_links && (is_wanted || !facts.plain_factors)) {
    if (const std::string route = facts.without_links(); !route.empty()) {
      return {{CarriedReason::route_without_link, route}};
    }
  }
  if (facts.latency_only_back && is_wanted && model == NetworkModel::TCP) {
    if (const std::string route = facts.latency_only_back(); !route.empty()) {
      return {{CarriedReason::latency_back_alone, route}};
    }
  }
  if (facts.sets_latency_factor && facts.latencies_change) return {{CarriedReason::latencies_change, ""}};
  return std::nullopt;
}

// --- its English ---

std::string text_of(CarriedReason why, const Decision& of) {
  switch (why) {
    case CarriedReason::model:
      return "";  // the model's reason says it
    case CarriedReason::asked:
      return of.carried_by == CarriedBy::simgrid ? "SimGrid was asked for" : "the accelerator was asked for";
    case CarriedReason::few_nodes:
      return fmt::format("{}; up to {} SimGrid's own solver is quick", counted(of.nodes, "node"),
                         most_nodes_of_simgrid);
    case CarriedReason::many_nodes:
      return fmt::format("{}; beyond {} SimGrid's own solver is slow", counted(of.nodes, "node"),
                         most_nodes_of_simgrid);
    case CarriedReason::factors_by_size:
      return "the platform file sets factors that depend on a message's size";
    case CarriedReason::route_without_link:
      return fmt::format("the route from {} has no link, and SimGrid counts no bytes over it", of.route);
    case CarriedReason::latency_back_alone:
      return fmt::format(
          "{} has latency on its way back alone, which SimGrid "
          "cannot count for TCP",
          of.route);
    case CarriedReason::latencies_change:
      return "latencies change, and the platform file sets "
             "network/latency-factor, which SimGrid cannot change then";
  }
  return "";
}

// Of packets, why; of another model, why not packets though some routes are
// slow or far.
std::string text_of(ModelReason why, double segments) {
  const auto closest = [](const char* what) { return fmt::format("{} this model is closest to measured times", what); };
  switch (why) {
    case ModelReason::named:
      return "the scenario's platform.network.model";
    case ModelReason::slow_routes:
      return closest("a link has at most 100 Mbit/s; on such links");
    case ModelReason::far_routes:
      return closest("a route takes 2 ms or more; over such routes");
    case ModelReason::far_quick_routes:
      return "all routes of 2 ms or more have more than 1 Gbit/s";
    case ModelReason::many_segments:
      return fmt::format("some {:.1g} segments would travel; expected at most {:.0e}", segments,
                         most_segments_by_default);
    case ModelReason::solver_asked:
      return "a solver of links was asked for";
    case ModelReason::file_sharing:
      return "the platform file sets how links are shared";
    case ModelReason::usual:
    case ModelReason::file_factors:
      break;
  }
  return "";
}

std::string why_of(const Decision& decision) {
  const std::string of_model = text_of(decision.why_model, decision.segments);
  if (decision.model == NetworkModel::packets) return of_model;
  const std::string of_carried = text_of(decision.why_carried, decision);
  const bool says_why_not = decision.why_model != ModelReason::named && !of_model.empty();
  return says_why_not ? of_carried + "; not packet by packet: " + of_model : of_carried;
}

// --- what cannot be ---

// Settings that the model does not have must not be set in vain.
void refuse_what_the_model_lacks(const scenario::NetworkSpec& network, const NetworkFacts& facts, NetworkModel model) {
  const auto refuse = [](const char* key, const std::string& what) {
    throw InputError(fmt::format("$.platform.network.{}: {}", key, what));
  };
  if (is_for_connections(model) && sets_factors(facts)) {
    refuse("model", fmt::format("{} computes latencies by itself, and the "
                                "platform file sets SimGrid's factors; "
                                "expected CM02",
                                name_of(model)));
  }
  if (model != NetworkModel::packets) {
    const scenario::NetworkSpec usual;
    const auto others = fmt::format("is of the models TCP and packets, and the model is {}", name_of(model));
    const bool is_tcp = model == NetworkModel::TCP;
    if (!is_tcp && network.queue.value != usual.queue.value) refuse("queue", others);
    if (!is_tcp && network.slow_start_after_idle != usual.slow_start_after_idle) {
      refuse("slow_start_after_idle", others);
    }
    return;
  }
  check(!network.solver, "packets without a solver of links");
  if (facts.sets_sharing) {
    refuse("model",
           "packets wait in queues, where network/bandwidth-factor "
           "and network/weight-S of the platform file would "
           "have no effect; expected TCP or CM02");
  }
  if (facts.nodes > most_nodes_of_packets) {
    refuse("model", fmt::format("packets are for {} at most, and there are {}; expected \"TCP\"",
                                counted(most_nodes_of_packets, "node"), facts.nodes));
  }
}

void refuse_all_ways(const Decision& decision, CarriedReason obstacle) {
  const bool is_latency = obstacle == CarriedReason::latencies_change;
  throw InputError(fmt::format("{}: {}, and {}; expected {}", is_latency ? "$.platform.profiles" : "$.platform.file",
                               text_of(obstacle, decision), text_of(CarriedReason::factors_by_size, decision),
                               is_latency ? "no profile of a latency"
                                          : "factors that do not depend on a message's "
                                            "size, or a link on each route"));
}

// --- all of it ---

Decision decide(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  Decision decision{.nodes = facts.nodes, .segments = facts.segments};
  std::tie(decision.model, decision.why_model) = network.model == NetworkModel::automatic
                                                     ? model_by_default(network, facts)
                                                     : std::pair(network.model, ModelReason::named);
  refuse_what_the_model_lacks(network, facts, decision.model);
  const auto by = [&](CarriedBy carried_by, CarriedReason why) {
    decision.carried_by = carried_by;
    decision.why_carried = why;
    return decision;
  };
  if (decision.model == NetworkModel::packets) return by(CarriedBy::packets, CarriedReason::model);
  const auto obstacle = obstacle_of_simgrid(network, facts, decision.model);
  if (obstacle) decision.route = obstacle->second;
  if (obstacle && !facts.plain_factors) refuse_all_ways(decision, obstacle->first);
  if (network.solver) {
    const bool asks_simgrid = *network.solver == LinkSolver::simgrid;
    by(asks_simgrid ? CarriedBy::simgrid : CarriedBy::accelerator, CarriedReason::asked);
    const std::string asked = text_of(CarriedReason::asked, decision);
    if (asks_simgrid && obstacle) throw InputError(asked + ": " + text_of(obstacle->first, decision));
    if (!asks_simgrid && !facts.plain_factors) {
      throw InputError(asked + ": " + text_of(CarriedReason::factors_by_size, decision));
    }
    return decision;
  }
  if (obstacle) return by(CarriedBy::accelerator, obstacle->first);
  if (!facts.plain_factors) return by(CarriedBy::simgrid, CarriedReason::factors_by_size);
  return is_for_simgrid(network, facts) ? by(CarriedBy::simgrid, CarriedReason::few_nodes)
                                        : by(CarriedBy::accelerator, CarriedReason::many_nodes);
}

}  // namespace

std::string text_of(const NetworkPlan& plan) {
  if (plan.carried_by == CarriedBy::packets) return "packets: TCP connections, packet by packet";
  return fmt::format("{}, carried by {}", name_of(plan.model),
                     plan.carried_by == CarriedBy::simgrid ? "SimGrid" : "the accelerator");
}

NetworkPlan plan_network(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  const Decision decision = decide(network, facts);
  return {.carried_by = decision.carried_by, .model = decision.model, .why = why_of(decision)};
}

}  // namespace ddl::platform
