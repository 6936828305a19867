#include "sim/platform/layout.hpp"

#include <doctest/doctest.h>

#include <ctime>
#include <functional>
#include <memory>
#include <simgrid/s4u.hpp>

#include "sim/platform/hosts.hpp"
#include "tests/support/forked.hpp"

using namespace ddl;
using namespace ddl::platform;

using nlohmann::json;

TEST_CASE("a ring's routes are those that SimGrid finds, between neighbours and others") {
  for (const int workers : {2, 3, 4, 7}) {
    CAPTURE(workers);
    const json equal = ddl::forked([&] {
      const Fabric fabric(ddl::on_platform(
          {.topology = scenario::Topology::ring, .workers = workers, .bandwidth = {{1e6}, {2e6}}, .latency = {0.01}}));
      int same = 0;
      for (int source = 0; source < workers; ++source) {
        for (int target = 0; target < workers; ++target) {
          if (source == target) continue;
          const auto found = way_between(fabric.host(source), fabric.host(target));
          const Route route = fabric.find_route(source, target);
          bool is_same = route.links.size() == found->links.size() && route.latency_s == found->latency_s;
          for (std::size_t i = 0; is_same && i < route.links.size(); ++i) {
            const LinkInfo& link = fabric.links()[static_cast<std::size_t>(route.links[i])];
            is_same = found->links[i]->get_name() == link.name + (link.direction == "up" ? "_UP" : "_DOWN");
          }
          same += is_same ? 1 : 0;
        }
      }
      return json(same);
    });
    CHECK(equal == workers * (workers - 1));
  }
}

// SimGrid looks at all hosts for each of these routes. Twenty such searches take some hundred times as long as finding
// all routes that are known.
TEST_CASE("neighbours in a ring of many hosts are found without a walk round it") {
  constexpr int workers = 4000, searches = 20;
  const json processor_s = ddl::forked([] {
    const Fabric fabric(
        ddl::on_platform({.topology = scenario::Topology::ring, .workers = workers, .bandwidth = {{1e6}}}));
    std::size_t links = 0;
    const auto seconds_of = [&](const std::function<void()>& work) {
      const std::clock_t start = std::clock();
      work();
      return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    };
    const double searched_s = seconds_of([&] {
      for (int node = 0; node < searches; ++node) {
        links += way_between(fabric.host(100 * node), fabric.host(100 * node + 1))->links.size();
      }
    });
    const double known_s = seconds_of([&] {
      for (int node = 0; node < workers; ++node) {
        const int next = (node + 1) % workers;
        links += fabric.find_route(node, next).links.size() + fabric.find_route(next, node).links.size();
      }
    });
    return json{{"searched", searched_s}, {"known", known_s}, {"links", links}};
  });
  CHECK(processor_s["links"] == searches + 2 * workers);
  CHECK(processor_s["known"] < processor_s["searched"]);
}

// Looking for each server's host among all workers, by names that are made for it, takes minutes.
TEST_CASE("servers on the hosts of very many workers are found at once") {
  constexpr int workers = 100000;
  scenario::GeneratedPlatform hosts{.workers = workers, .bandwidth = {{1e6}}};
  for (int worker = workers - 1; worker >= 0; --worker) hosts.servers_on.push_back("w" + std::to_string(worker));
  const std::clock_t start = std::clock();
  const Layout layout = layout_of({hosts});
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 10);
  REQUIRE(layout.servers_on.size() == workers);
  for (std::size_t server = 0; server < workers; ++server) {
    if (layout.servers_on[server] != workers - 1 - server) FAIL("server " << server << " is on another host");
  }
}

TEST_CASE("speeds are dealt round over workers, then servers") {
  const json speeds = ddl::forked([] {
    const Fabric fabric(
        ddl::on_platform({.workers = 2, .servers = 2, .bandwidth = {{1e6}}, .speed = {{1e9}, {2e9}, {3e9}}}));
    return json{fabric.speed_flops(0), fabric.speed_flops(1), fabric.speed_flops(2), fabric.speed_flops(3)};
  });
  CHECK(speeds == json{1e9, 2e9, 3e9, 1e9});
}

TEST_CASE("links are listed in natural order, and a node's way to itself is empty") {
  const json result = ddl::forked([] {
    const Fabric fabric(ddl::on_platform({.workers = 11, .bandwidth = {{1e6}}}));
    json names = json::array();
    for (const auto& link : fabric.links()) names.push_back(link.name + " " + link.direction);
    return json{{"names", names}, {"self", ddl::way(fabric, 3, 3)["links"]}};
  });
  CHECK(result["names"][4] == "w2 down");
  CHECK(result["names"][5] == "w2 up");
  CHECK(result["names"][20] == "w10 down");
  CHECK(result["self"].empty());
}

TEST_CASE("a star of ten thousand hosts is made at once") {
  const json result = ddl::forked([] {
    const Fabric fabric(ddl::on_platform({.workers = 10000, .bandwidth = {{1e6}}, .latency = {0.01}}));
    return json{{"nodes", fabric.node_count()}, {"way", ddl::way(fabric, 9999, 1)["links"]}};
  });
  CHECK(result == json{{"nodes", 10000}, {"way", {"w9999 up", "w1 down"}}});
}

TEST_CASE("by default networks with a slow link, or a route of 2 ms or more, travel packet by packet, others as TCP") {
  const auto model = [](scenario::GeneratedPlatform spec, double bytes_per_s = 20e6, double other_bytes_per_s = 0) {
    spec.bandwidth = {{bytes_per_s}};
    if (other_bytes_per_s > 0) spec.bandwidth.push_back({other_bytes_per_s});
    scenario::Scenario scenario = ddl::on_platform(spec);
    scenario.platform.network = {};
    return ddl::forked([&] { return json(ddl::name_of(Fabric(scenario).network_plan().model)); });
  };
  using scenario::Topology;
  CHECK(model({.workers = 2, .latency = {0.0001}}, 12.5e6) == "packets");
  CHECK(model({.workers = 2, .latency = {0.0001}}, 12.6e6) == "TCP");
  CHECK(model({.workers = 5, .latency = {0.0001}}, 1e9, 12.5e6) == "packets");
  CHECK(model({.workers = 5, .latency = {0.002}}, 1e9, 12.5e6) == "packets");
  CHECK(model({.workers = 5, .latency = {0.002}}, 1e9, 1e8) == "packets");
  CHECK(model({.workers = 2, .latency = {0.002}}) == "packets");
  CHECK(model({.workers = 2, .latency = {0.0019}}) == "TCP");
  CHECK(model({.workers = 2, .latency = {0.002}}, 125e6) == "packets");
  CHECK(model({.workers = 2, .latency = {0.002}}, 126e6) == "TCP");
  CHECK(model({.topology = Topology::mesh, .workers = 3, .latency = {0.02}}) == "packets");
  CHECK(model({.topology = Topology::two_sites, .workers = 4}) == "packets");
  CHECK(model({.topology = Topology::two_sites, .workers = 4, .site_latency = {{0.0001}}}) == "TCP");
  // A sum of latencies is rounded: two of 0.005 ms and one of 1.99 are no less than 2.
  CHECK(model({.topology = Topology::two_sites, .workers = 4, .latency = {0.00001}, .site_latency = {{0.00199}}}) ==
        "packets");
  // The opposite worker of a ring is half of it away.
  CHECK(model({.topology = Topology::ring, .workers = 8, .latency = {0.0008}}) == "packets");
  CHECK(model({.topology = Topology::ring, .workers = 4, .latency = {0.0008}}) == "TCP");
}

TEST_CASE("the first of two sites has half of the workers, or one more, and the servers") {
  const auto sites = [](const scenario::GeneratedPlatform& spec) {
    return ddl::forked([&] {
      const Fabric fabric(ddl::on_platform(spec));
      std::vector<int> found;
      for (int node = 0; node < fabric.node_count(); ++node) found.push_back(fabric.site(node));
      return json(found);
    });
  };
  using scenario::Topology;
  const std::vector<ddl::BytesPerSecond> rate{{1e6}};
  CHECK(sites({.topology = Topology::two_sites, .workers = 5, .servers = 2, .bandwidth = rate}) ==
        json({0, 0, 0, 1, 1, 0, 0}));
  CHECK(sites({.topology = Topology::star, .workers = 2, .servers = 1, .bandwidth = rate}) == json({0, 0, 0}));
}

namespace {

// Nodes with their sites, links, and ways between all pairs.
json all_of(const scenario::Scenario& scenario) {
  return ddl::forked([&] {
    const Fabric fabric(scenario);
    json result = {{"nodes", ddl::nodes(fabric)}, {"links", fabric.links().size()}, {"names", fabric.site_names()}};
    for (int source = 0; source < fabric.node_count(); ++source) {
      result["speeds"].push_back(fabric.speed_flops(source));
      if (!fabric.site_names().empty()) result["sites"].push_back(fabric.site(source));
      for (int target = 0; target < fabric.node_count(); ++target) {
        if (source != target) result["ways"].push_back(ddl::way(fabric, source, target));
      }
    }
    return result;
  });
}

// The same, with settings that a file lacks put as in the generated network.
json with(const json& all, const std::string& words, const std::string& instead) {
  std::string text = all.dump();
  for (std::size_t at = 0; (at = text.find(words, at)) != std::string::npos;) {
    text.replace(at, words.size(), instead);
  }
  return json::parse(text);
}

}  // namespace

// A link with two rates becomes two in a file, NAME_UP and NAME_DOWN.
TEST_CASE("sites written as a platform file are the same sites, with the same ways between them") {
  const auto link = [](const char* from, const char* to, double up, std::optional<ddl::BytesPerSecond> down) {
    return scenario::SiteLink{.from = from, .to = to, .up = {up}, .down = down, .latency = {0.01}};
  };
  scenario::SitesPlatform spec;
  spec.sites = {{"ams", 2, 1, {5e6}, {0.001}}, {"us-east-1", 1, 0, {6e6}, {0.002}}, {"nyc", 2, 1, {1e7 / 3}, {0}}};
  spec.links = {link("ams", "us-east-1", 1e6, {}), link("nyc", "us-east-1", 2e6, {{3e6}})};
  spec.speed = {{1e9}, {2.5e9}};
  scenario::Scenario scenario = ddl::on_platform({});
  scenario.platform.hosts = spec;
  const json given = all_of(scenario);
  CHECK(given["ways"].size() == 42);
  CHECK(given["sites"] == json{0, 0, 1, 2, 2, 0, 2});
  CHECK(given["names"] == json{"ams", "us-east-1", "nyc"});
  const auto text = std::make_shared<const std::string>(platform_xml(layout_of({spec})));
  const json found = all_of(ddl::on_file("sites.xml", {.servers = {"ps0", "ps1"}, .text = text}));
  CHECK(with(with(found, "_UP both", " up"), "_DOWN both", " down") == given);
}

TEST_CASE("a generated network written as a platform file is the same network") {
  const scenario::GeneratedPlatform common{.workers = 5,
                                           .servers = 2,
                                           .bandwidth = {{5e6}, {1e7 / 3}},
                                           .server_bandwidth = {{9e6}},
                                           .latency = {0.0007},
                                           .speed = {{1e9}, {2.5e9}}};
  for (const auto topology :
       {scenario::Topology::star, scenario::Topology::mesh, scenario::Topology::ring, scenario::Topology::two_sites}) {
    scenario::GeneratedPlatform spec = common;
    spec.topology = topology;
    const auto text = std::make_shared<const std::string>(platform_xml(layout_of({spec})));
    const json given = all_of(ddl::on_platform(spec));
    CHECK(given["ways"].size() == 42);
    const json found = all_of(ddl::on_file("generated.xml", {.servers = {"ps0", "ps1"}, .text = text}));
    // A link of one way is shared both ways as far as a file says.
    CHECK((topology == scenario::Topology::mesh ? with(found, " both", " up") : found) == given);
  }
}
