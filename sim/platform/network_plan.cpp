#include "sim/platform/network_plan.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"

namespace ddl::platform {
namespace {

using scenario::LinkSolver;
using scenario::NetworkModel;

// A file that sets these wants its own.
bool sets_factors(const NetworkFacts& facts) { return facts.sets_latency_factor || !facts.plain_factors; }

bool follows_connections(NetworkModel model) { return model == NetworkModel::TCP || model == NetworkModel::packets; }

// Why messages do not travel packet by packet by default though some routes are slow or far; empty where they do, or
// where none is.
std::string why_no_packets(const scenario::NetworkSpec& network, const NetworkFacts& facts, RouteKind routes) {
  if (routes == RouteKind::near_and_quick) return "";
  if (routes == RouteKind::far_and_quick) return "all routes of 2 ms or more have more than 1 Gbit/s";
  if (network.solver) return "a solver of links was asked for";
  if (facts.sets_sharing) return "the platform file sets how links are shared";
  return "";
}

struct ChosenModel {
  NetworkModel model;
  std::string why;  // packets, or why not, where something is in the way of that default
};

ChosenModel default_model(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  if (sets_factors(facts)) return {NetworkModel::CM02, ""};
  if (facts.nodes > most_nodes_of_packets_by_default || !facts.kind_of_routes) return {NetworkModel::TCP, ""};
  const RouteKind routes = facts.kind_of_routes();
  const std::string why_not = why_no_packets(network, facts, routes);
  if (routes == RouteKind::near_and_quick || !why_not.empty()) return {NetworkModel::TCP, why_not};
  const char* slow = "a link has at most 100 Mbit/s; on such links";
  const char* far = "a route takes 2 ms or more; over such routes";
  return {NetworkModel::packets,
          fmt::format("{} this model is closest to measured times", routes == RouteKind::slow ? slow : far)};
}

ChosenModel model_of(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  if (network.model == NetworkModel::automatic) return default_model(network, facts);
  if (follows_connections(network.model) && sets_factors(facts)) {
    throw InputError(
        fmt::format("$.platform.network.model: {} computes latencies by itself, and the platform file sets SimGrid's "
                    "factors; expected CM02",
                    name_of(network.model)));
  }
  return {network.model, network.model == NetworkModel::packets ? "the scenario's platform.network.model" : ""};
}

// Whether SimGrid carries the messages if it can.
bool is_for_simgrid(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  if (network.solver) return network.solver == LinkSolver::simgrid;
  return facts.nodes <= most_nodes_of_simgrid;
}

// In the words of an error; empty where nothing is in the way.
struct Obstacle {
  std::string why;
  const char* key = "";       // where an error says so, if nothing else can carry messages
  const char* expected = "";  // there
};

// Nothing where SimGrid can carry messages, or need not.
Obstacle why_not_simgrid(const scenario::NetworkSpec& network, const NetworkFacts& facts, NetworkModel model) {
  const bool is_asked = is_for_simgrid(network, facts) || !facts.plain_factors;
  if (const std::string route = is_asked && facts.without_links ? facts.without_links() : ""; !route.empty()) {
    return {fmt::format("the route from {} has no link, and SimGrid counts no bytes over it", route), "$.platform.file",
            "factors that do not depend on a message's size, or a link on each route"};
  }
  if (model == NetworkModel::TCP && facts.latency_only_back && is_for_simgrid(network, facts)) {
    const std::string route = facts.latency_only_back();
    if (!route.empty()) {
      return {fmt::format("{} has latency on its way back alone, which SimGrid cannot count for TCP", route)};
    }
  }
  if (!facts.sets_latency_factor || !facts.latencies_change) return {};
  return {"latencies change, and the platform file sets network/latency-factor, which SimGrid cannot change then",
          "$.platform.profiles", "no profile of a latency"};
}

std::string why_not_accelerator(const NetworkFacts& facts) {
  if (!facts.plain_factors) return "the platform file sets factors that depend on a message's size";
  return "";
}

// What only one model has must not be set in vain.
void refuse_settings_of_others(const scenario::NetworkSpec& network, NetworkModel model) {
  if (follows_connections(model)) return;
  const scenario::NetworkSpec usual;
  const auto refuse = [&](const std::string& key) {
    throw InputError(fmt::format("$.platform.network.{}: is of the models TCP and packets, and the model is {}", key,
                                 name_of(model)));
  };
  if (network.queue.value != usual.queue.value) refuse("queue");
  if (network.slow_start_after_idle != usual.slow_start_after_idle) refuse("slow_start_after_idle");
}

// Nor what is SimGrid's, where it carries nothing.
void refuse_settings_of_simgrid(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  check(!network.solver, "packets without a solver of links");
  if (facts.sets_sharing) {
    throw InputError(
        "$.platform.network.model: packets wait in queues, where network/bandwidth-factor and network/weight-S of the "
        "platform file would have no effect; expected TCP or CM02");
  }
}

}  // namespace

std::string text_of(const NetworkPlan& plan) {
  if (plan.carried_by == CarriedBy::packets) return "packets: TCP connections, packet by packet";
  const std::string by = plan.carried_by == CarriedBy::simgrid ? "SimGrid" : "the accelerator";
  return fmt::format("{}, carried by {}", name_of(plan.model), by);
}

NetworkPlan plan_network(const scenario::NetworkSpec& network, const NetworkFacts& facts) {
  const auto [model, why_model] = model_of(network, facts);
  refuse_settings_of_others(network, model);
  if (model == NetworkModel::packets) {
    refuse_settings_of_simgrid(network, facts);
    if (facts.nodes > most_nodes_of_packets) {
      throw InputError(
          fmt::format("$.platform.network.model: packets are for {} at most, and there are {}; expected \"TCP\"",
                      counted(most_nodes_of_packets, "node"), facts.nodes));
    }
    return {.carried_by = CarriedBy::packets, .model = model, .why = why_model};
  }
  NetworkPlan plan{.model = model, .why = ""};
  const Obstacle obstacle = why_not_simgrid(network, facts, model);
  const std::string not_simgrid = obstacle.why, not_accelerator = why_not_accelerator(facts);
  const auto carry = [&, &not_packets = why_model](CarriedBy by, std::string why) {
    plan.carried_by = by;
    plan.why = std::move(why);
    if (!not_packets.empty()) plan.why += "; not packet by packet: " + not_packets;
    return plan;
  };
  if (!not_simgrid.empty() && !not_accelerator.empty()) {
    throw InputError(
        fmt::format("{}: {}, and {}; expected {}", obstacle.key, not_simgrid, not_accelerator, obstacle.expected));
  }
  if (network.solver == LinkSolver::simgrid) {
    if (!not_simgrid.empty()) throw InputError("SimGrid was asked for: " + not_simgrid);
    return carry(CarriedBy::simgrid, "SimGrid was asked for");
  }
  if (network.solver == LinkSolver::accelerator) {
    if (!not_accelerator.empty()) throw InputError("the accelerator was asked for: " + not_accelerator);
    return carry(CarriedBy::accelerator, "the accelerator was asked for");
  }
  if (!not_simgrid.empty()) return carry(CarriedBy::accelerator, not_simgrid);
  if (!not_accelerator.empty()) return carry(CarriedBy::simgrid, not_accelerator);
  if (!is_for_simgrid(network, facts)) {
    return carry(CarriedBy::accelerator, fmt::format("{}; beyond {} SimGrid's own solver is slow",
                                                     counted(facts.nodes, "node"), most_nodes_of_simgrid));
  }
  return carry(CarriedBy::simgrid, fmt::format("{}; up to {} SimGrid's own solver is quick",
                                               counted(facts.nodes, "node"), most_nodes_of_simgrid));
}

}  // namespace ddl::platform
