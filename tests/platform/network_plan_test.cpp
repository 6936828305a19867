// Which solver shares the links, and what is refused.
#include "sim/platform/network_plan.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "core/base/check.hpp"

namespace ddl::platform {

using scenario::LinkSolver;
using scenario::NetworkModel;
using scenario::NetworkSpec;

TEST_CASE("small networks are SimGrid's in both of its models, whatever changes") {
  for (const NetworkModel model : {NetworkModel::TCP, NetworkModel::CM02}) {
    for (const bool latencies_change : {false, true}) {
      const NetworkPlan plan =
          plan_network({.model = model}, {.nodes = most_nodes_of_simgrid, .latencies_change = latencies_change});
      CHECK(plan.carried_by == CarriedBy::simgrid);
      CHECK(plan.model == model);
      CHECK(plan.why.find("SimGrid's own solver is quick") != std::string::npos);
    }
  }
}

TEST_CASE("large networks are the accelerator's, but for what only SimGrid knows") {
  const std::size_t many = most_nodes_of_simgrid + 1;
  CHECK(plan_network({}, {.nodes = many}).carried_by == CarriedBy::accelerator);
  CHECK(plan_network({}, {.nodes = many}).why.find("slow") != std::string::npos);
  const NetworkPlan by_size = plan_network({}, {.nodes = many, .plain_factors = false});
  CHECK(by_size.carried_by == CarriedBy::simgrid);
  CHECK(by_size.why.find("message's size") != std::string::npos);
}

TEST_CASE("either solver can be asked for") {
  CHECK(plan_network({.solver = LinkSolver::simgrid}, {.nodes = 5000}).carried_by == CarriedBy::simgrid);
  CHECK(plan_network({.solver = LinkSolver::accelerator}, {.nodes = 2}).carried_by == CarriedBy::accelerator);
}

TEST_CASE("a factor for latencies in the platform file leaves latencies that change to the accelerator") {
  const NetworkFacts facts{.nodes = 2, .latencies_change = true, .sets_latency_factor = true};
  CHECK(plan_network({}, facts).carried_by == CarriedBy::accelerator);
  CHECK(plan_network({}, {.nodes = 2, .sets_latency_factor = true}).carried_by == CarriedBy::simgrid);
}

TEST_CASE("latency on the way back alone is the accelerator's in TCP's model, and matters in no other") {
  const NetworkFacts facts{.nodes = 2, .latency_only_back = [] { return std::string("a to b"); }};
  const NetworkPlan plan = plan_network({}, facts);
  CHECK(plan.carried_by == CarriedBy::accelerator);
  CHECK(plan.why.find("a to b has latency on its way back alone") != std::string::npos);
  CHECK(plan_network({.model = NetworkModel::CM02}, facts).carried_by == CarriedBy::simgrid);
  CHECK_THROWS_WITH_AS(plan_network({.solver = LinkSolver::simgrid}, facts), doctest::Contains("SimGrid was asked for"),
                       InputError);
}

TEST_CASE("a route without a link is the accelerator's in every model of SimGrid's, and looked for only there") {
  int searches = 0;
  const auto facts = [&](std::size_t nodes) {
    return NetworkFacts{.nodes = nodes, .without_links = [&] { return ++searches, std::string("a to b"); }};
  };
  for (const NetworkModel model : {NetworkModel::TCP, NetworkModel::CM02}) {
    const NetworkPlan plan = plan_network({.model = model}, facts(2));
    CHECK(plan.carried_by == CarriedBy::accelerator);
    CHECK(plan.why.find("the route from a to b has no link") != std::string::npos);
    CHECK_THROWS_WITH_AS(plan_network({.model = model, .solver = LinkSolver::simgrid}, facts(100)),
                         doctest::Contains("SimGrid was asked for"), InputError);
  }
  NetworkFacts by_size = facts(2);
  by_size.plain_factors = false;
  CHECK_THROWS_WITH_AS(plan_network({.model = NetworkModel::CM02}, by_size), doctest::Contains("$.platform.file: "),
                       InputError);
  searches = 0;
  CHECK(plan_network({.model = NetworkModel::packets}, facts(2)).carried_by == CarriedBy::packets);
  CHECK(plan_network({}, facts(most_nodes_of_simgrid + 1)).carried_by == CarriedBy::accelerator);
  CHECK(plan_network({.solver = LinkSolver::accelerator}, facts(2)).carried_by == CarriedBy::accelerator);
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
  const std::size_t few = most_nodes_of_simgrid, many = few + 1;
  CHECK(searches_of({}, few) == 1);
  CHECK(searches_of({}, many) == 0);
  CHECK(searches_of({.solver = LinkSolver::simgrid}, many) == 1);
  CHECK(searches_of({.solver = LinkSolver::accelerator}, few) == 0);
  CHECK(searches_of({.model = NetworkModel::CM02}, few) == 0);
}

TEST_CASE("what cannot be is refused with what can") {
  const auto refused = [](const scenario::NetworkSpec& network, const NetworkFacts& facts, const char* text) {
    CHECK_THROWS_WITH_AS(plan_network(network, facts), doctest::Contains(text), InputError);
  };
  refused({.solver = LinkSolver::accelerator}, {.nodes = 2, .plain_factors = false}, "the accelerator was asked for");
  const NetworkFacts both{.nodes = 2, .plain_factors = false, .latencies_change = true, .sets_latency_factor = true};
  refused({}, both, "expected no profile of a latency");
  refused({.solver = LinkSolver::simgrid}, {.nodes = 2, .latencies_change = true, .sets_latency_factor = true},
          "SimGrid was asked for");
}

TEST_CASE("the model is TCP unless a platform file sets factors of its own, and has settings that no other has") {
  const auto refused = [](const scenario::NetworkSpec& network, const NetworkFacts& facts, const char* text) {
    CHECK_THROWS_WITH_AS(plan_network(network, facts), doctest::Contains(text), InputError);
  };
  const NetworkPlan plan =
      plan_network({.queue = {0.2}, .slow_start_after_idle = false}, {.nodes = 2, .latencies_change = true});
  CHECK(text_of(plan) == "TCP, carried by SimGrid");
  for (const NetworkFacts& facts :
       {NetworkFacts{.nodes = 2, .plain_factors = false}, NetworkFacts{.nodes = 2, .sets_latency_factor = true}}) {
    CHECK(plan_network({}, facts).model == NetworkModel::CM02);
    refused({.model = NetworkModel::TCP}, facts, "expected CM02");
  }
  refused({.model = NetworkModel::CM02, .queue = {0.2}}, {.nodes = 2},
          "$.platform.network.queue: is of the models TCP and packets, and the model is CM02");
  refused({.model = NetworkModel::CM02, .slow_start_after_idle = false}, {.nodes = 2},
          "slow_start_after_idle: is of the models TCP and packets");
}

TEST_CASE("packets are the model of slow or far routes, unless there are many nodes or another has what is set") {
  const auto with = [](std::size_t nodes, RouteKind routes) {
    return NetworkFacts{.nodes = nodes, .kind_of_routes = [routes] { return routes; }};
  };
  const auto far = [&](std::size_t nodes) { return with(nodes, RouteKind::far); };
  for (const NetworkSpec& network : {NetworkSpec{}, NetworkSpec{.queue = {0.2}, .slow_start_after_idle = false}}) {
    const NetworkPlan plan = plan_network(network, far(most_nodes_of_packets_by_default));
    CHECK(plan.carried_by == CarriedBy::packets);
    CHECK(plan.model == NetworkModel::packets);
    CHECK(plan.why == "a route takes 2 ms or more; over such routes this model is closest to measured times");
  }
  CHECK(plan_network({}, with(2, RouteKind::slow)).why ==
        "a link has at most 100 Mbit/s; on such links this model is closest to measured times");
  CHECK(plan_network({}, far(most_nodes_of_packets_by_default + 1)).model == NetworkModel::TCP);
  CHECK(plan_network({}, with(2, RouteKind::near_and_quick)).model == NetworkModel::TCP);
  CHECK(plan_network({.model = NetworkModel::TCP}, far(2)).model == NetworkModel::TCP);
  CHECK(plan_network({.solver = LinkSolver::simgrid}, far(2)).model == NetworkModel::TCP);
  // The plan says what is in the way.
  const auto why = [&](const NetworkSpec& network, NetworkFacts facts) { return plan_network(network, facts).why; };
  CHECK(why({}, with(2, RouteKind::far_and_quick)).ends_with("all routes of 2 ms or more have more than 1 Gbit/s"));
  CHECK(why({.model = NetworkModel::TCP}, far(2)) == why({}, {.nodes = 2}));
  // Routes are not looked at where that decides nothing.
  const auto unasked = [](std::size_t nodes) {
    return NetworkFacts{.nodes = nodes, .kind_of_routes = []() -> RouteKind { throw std::logic_error("asked"); }};
  };
  CHECK_NOTHROW(plan_network({.model = NetworkModel::TCP}, unasked(2)));
  CHECK_NOTHROW(plan_network({}, unasked(most_nodes_of_packets_by_default + 1)));
  NetworkFacts facts = far(2);
  facts.sets_sharing = true;
  CHECK(plan_network({}, facts).model == NetworkModel::TCP);
  CHECK(why({}, facts).ends_with("; not packet by packet: the platform file sets how links are shared"));
  facts.plain_factors = false;
  CHECK(plan_network({}, facts).model == NetworkModel::CM02);
}

TEST_CASE("packets are carried one by one where that is asked for, and on local networks not otherwise") {
  const NetworkSpec packets{.model = NetworkModel::packets, .queue = {0.2}, .slow_start_after_idle = false};
  for (const std::size_t nodes : {std::size_t{2}, most_nodes_of_simgrid + 1}) {
    for (const bool latencies_change : {false, true}) {
      const NetworkPlan plan =
          plan_network(packets, {.nodes = nodes, .latencies_change = latencies_change, .latency_only_back = [] {
                                   return std::string("a to b");
                                 }});
      CHECK(plan.carried_by == CarriedBy::packets);
      CHECK(plan.model == NetworkModel::packets);
      CHECK(text_of(plan) == "packets: TCP connections, packet by packet");
      CHECK(plan.why == "the scenario's platform.network.model");
    }
  }
  CHECK(plan_network({}, {.nodes = 2}).carried_by != CarriedBy::packets);
}

TEST_CASE("settings of what SimGrid carries are refused where packets are carried, and so are a file's factors") {
  const auto refused = [](NetworkSpec network, const NetworkFacts& facts, const char* text) {
    network.model = NetworkModel::packets;
    CHECK_THROWS_WITH_AS(plan_network(network, facts), doctest::Contains(text), InputError);
  };
  refused({}, {.nodes = most_nodes_of_packets + 1}, "packets are for 1,000 nodes at most, and there are 1001");
  for (const NetworkFacts& facts :
       {NetworkFacts{.nodes = 2, .plain_factors = false}, NetworkFacts{.nodes = 2, .sets_latency_factor = true}}) {
    refused({}, facts, "$.platform.network.model: packets computes latencies by itself");
    refused({}, facts, "expected CM02");
  }
  refused({}, {.nodes = 2, .sets_sharing = true}, "expected TCP or CM02");
}

}  // namespace ddl::platform
