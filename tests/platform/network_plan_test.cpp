// The solver that shares the links, and refusals.
#include "sim/platform/network_plan.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "core/base/check.hpp"
#include "tests/support/examples.hpp"

namespace ddl::platform {

using scenario::LinkSolver;
using scenario::NetworkModel;
using scenario::NetworkSpec;

namespace {

constexpr std::size_t few = most_nodes_of_simgrid, many = few + 1;
constexpr auto simgrid = CarriedBy::simgrid, accelerator = CarriedBy::accelerator, by_packets = CarriedBy::packets;
constexpr auto TCP = NetworkModel::TCP, CM02 = NetworkModel::CM02, packets = NetworkModel::packets;

std::string a_to_b() { return "a to b"; }
NetworkFacts with(std::size_t nodes, RouteKind routes) {
  return {.nodes = nodes, .kind_of_routes = [routes] { return routes; }};
}

void plans(const NetworkSpec& network, const NetworkFacts& facts, CarriedBy carried_by, NetworkModel model,
           const std::string& why = "...") {
  const NetworkPlan plan = plan_network(network, facts);
  CHECK(plan.carried_by == carried_by);
  CHECK(plan.model == model);
  CHECK_MESSAGE(is_like(plan.why, why), plan.why);
}

void refuses(const NetworkSpec& network, const NetworkFacts& facts, const char* text) {
  CHECK_THROWS_WITH_AS(plan_network(network, facts), doctest::Contains(text), InputError);
}

}  // namespace

TEST_CASE("small networks are SimGrid's and large ones the accelerator's, but for what only one of them knows") {
  for (const NetworkModel model : {TCP, CM02}) {
    for (const bool change : {false, true}) {
      plans({.model = model}, {.nodes = few, .latencies_change = change}, simgrid, model, "...own solver is quick...");
    }
    const NetworkFacts without_links{.nodes = 2, .without_links = a_to_b};
    plans({.model = model}, without_links, accelerator, model, "...the route from a to b has no link...");
    refuses({.model = model, .solver = LinkSolver::simgrid}, without_links, "SimGrid was asked for");
  }
  plans({}, {.nodes = many}, accelerator, TCP, "...slow...");
  plans({.model = TCP, .connections = 2}, {.nodes = few}, accelerator, TCP, "...several connections...");
  plans({}, {.nodes = many, .plain_factors = false}, simgrid, CM02, "...message's size...");
  plans({.solver = LinkSolver::simgrid}, {.nodes = 5000}, simgrid, TCP);
  plans({.solver = LinkSolver::accelerator}, {.nodes = 2}, accelerator, TCP);
  refuses({.model = CM02}, {.nodes = 2, .plain_factors = false, .without_links = a_to_b}, "$.platform.file: ");
  refuses({.solver = LinkSolver::accelerator}, {.nodes = 2, .plain_factors = false}, "the accelerator was asked for");
  // A file's factor for latencies leaves latencies that change to the accelerator.
  NetworkFacts factor{.nodes = 2, .sets_latency_factor = true};
  plans({}, factor, simgrid, CM02);
  factor.latencies_change = true;
  plans({}, factor, accelerator, CM02);
  refuses({.solver = LinkSolver::simgrid}, factor, "SimGrid was asked for");
  factor.plain_factors = false;
  refuses({}, factor, "expected no profile of a latency");
  // Latency on the way back alone matters in TCP's model, and in no other.
  const NetworkFacts back{.nodes = 2, .latency_only_back = a_to_b};
  plans({}, back, accelerator, TCP, "...a to b has latency on its way back alone...");
  plans({.model = CM02}, back, simgrid, CM02);
  refuses({.solver = LinkSolver::simgrid}, back, "SimGrid was asked for");
}

TEST_CASE("routes without links are looked for only where SimGrid would carry messages") {
  int searches = 0;
  const auto search = [&] { return ++searches, a_to_b(); };
  plans({.model = packets}, {.nodes = 2, .without_links = search}, by_packets, packets);
  plans({}, {.nodes = many, .without_links = search}, accelerator, TCP);
  plans({.solver = LinkSolver::accelerator}, {.nodes = 2, .without_links = search}, accelerator, TCP);
  CHECK(searches == 0);
}

TEST_CASE("routes are searched for latency on the way back alone only where SimGrid would count it") {
  int searches = 0;
  const auto searches_of = [&](const scenario::NetworkSpec& network, std::size_t nodes) {
    searches = 0;
    const NetworkPlan plan = plan_network(network, {.nodes = nodes, .latency_only_back = [&] {
                                                      ++searches;
                                                      return std::string();
                                                    }});
    const bool is_simgrids =
        network.solver == LinkSolver::simgrid || (!network.solver && nodes <= most_nodes_of_simgrid);
    CHECK((plan.carried_by == CarriedBy::simgrid) == is_simgrids);
    return searches;
  };
  CHECK(searches_of({}, few) == 1);
  CHECK(searches_of({}, many) == 0);
  CHECK(searches_of({.solver = LinkSolver::simgrid}, many) == 1);
  CHECK(searches_of({.solver = LinkSolver::accelerator}, few) == 0);
  CHECK(searches_of({.model = NetworkModel::CM02}, few) == 0);
}

TEST_CASE("SimGrid's solver carries no rates that it can fail to round, unless it is asked for") {
  plans({.model = CM02}, {.nodes = few, .quickest_bytes_per_s = 50e9}, accelerator, CM02, "a link has 400 Gbit/s, ...");
  plans({.model = CM02}, {.nodes = few, .quickest_bytes_per_s = 12.5e9}, simgrid, CM02);
  plans({.solver = LinkSolver::simgrid}, {.nodes = few, .quickest_bytes_per_s = 50e9}, simgrid, TCP);
}

TEST_CASE("the model is TCP unless a platform file sets factors of its own, and has settings that no other has") {
  plans({.queue = {0.2}, .slow_start_after_idle = false}, {.nodes = 2, .latencies_change = true}, simgrid, TCP);
  CHECK(text_of(plan_network({}, {.nodes = 2})) == "TCP, carried by SimGrid");
  for (const NetworkFacts& facts :
       {NetworkFacts{.nodes = 2, .plain_factors = false}, NetworkFacts{.nodes = 2, .sets_latency_factor = true}}) {
    CHECK(plan_network({}, facts).model == CM02);
    refuses({.model = TCP}, facts, "expected CM02");
    refuses({.model = packets}, facts, "$.platform.network.model: packets computes latencies by itself");
    refuses({.model = packets}, facts, "expected CM02");
  }
  refuses({.model = CM02, .queue = {0.2}}, {.nodes = 2},
          "$.platform.network.queue: is of the models TCP and packets, and the model is CM02");
  refuses({.model = CM02, .slow_start_after_idle = false}, {.nodes = 2},
          "slow_start_after_idle: is of the models TCP and packets");
  refuses({.model = packets}, {.nodes = 2, .sets_sharing = true}, "expected TCP or CM02");
  refuses({.model = packets}, {.nodes = most_nodes_of_packets + 1}, "for 1,000 nodes at most, and there are 1001");
}

TEST_CASE("packets are the model of slow or far routes, unless there are many nodes or another has what is set") {
  const std::size_t most = most_nodes_of_packets_by_default;
  NetworkFacts far = with(2, RouteKind::far);
  for (const NetworkSpec& network : {NetworkSpec{}, NetworkSpec{.queue = {0.2}, .slow_start_after_idle = false}}) {
    plans(network, with(most, RouteKind::far), by_packets, packets,
          "a route takes 2 ms or more; over such routes this model is closest to measured times");
  }
  plans({}, with(2, RouteKind::slow), by_packets, packets,
        "a link has at most 100 Mbit/s; on such links this model is closest to measured times");
  plans({}, with(most + 1, RouteKind::far), accelerator, TCP);
  plans({}, with(2, RouteKind::near_and_quick), simgrid, TCP);
  plans({.solver = LinkSolver::simgrid}, far, simgrid, TCP);
  // The plan names the obstacle.
  plans({}, with(2, RouteKind::far_and_quick), simgrid, TCP,
        "...the links of all routes of 2 ms or more have more than 1 Gbit/s, whatever windows allow");
  far.segments = most_segments_by_default;
  plans({}, far, by_packets, packets);
  far.segments *= 1.5;
  plans({}, far, simgrid, TCP, "...; not packet by packet: some 3e+08 segments would travel; expected at most 2e+08");
  plans({.model = packets}, far, by_packets, packets);
  far.segments = 0;
  plans({.model = TCP}, far, simgrid, TCP, plan_network({}, {.nodes = 2}).why);
  far.sets_sharing = true;
  plans({}, far, simgrid, TCP, "...; not packet by packet: the platform file sets how links are shared");
  far.plain_factors = false;
  plans({}, far, simgrid, CM02);
  // Routes are not examined if that decides nothing.
  const auto unasked = []() -> RouteKind { throw std::logic_error("asked"); };
  CHECK_NOTHROW(plan_network({.model = TCP}, {.nodes = 2, .kind_of_routes = unasked}));
  CHECK_NOTHROW(plan_network({}, {.nodes = most + 1, .kind_of_routes = unasked}));
}

TEST_CASE("packets are carried one by one where that is asked for, whatever changes") {
  const NetworkSpec network{.model = packets, .queue = {0.2}, .slow_start_after_idle = false};
  for (const std::size_t nodes : {std::size_t{2}, many}) {
    for (const bool change : {false, true}) {
      plans(network, {.nodes = nodes, .latencies_change = change, .latency_only_back = a_to_b}, by_packets, packets,
            "the scenario's platform.network.model");
    }
  }
  CHECK(text_of(plan_network(network, {.nodes = 2})) == "packets: TCP connections, packet by packet");
}

}  // namespace ddl::platform
