// Bounds by hand, and never above SimGrid's time for the same messages.
#include "sim/network/bounds.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/forked.hpp"
#include "tests/support/transfer.hpp"

using namespace ddl;
using namespace ddl::network;

using nlohmann::json;

namespace {

constexpr double model_bytes = 1e6;

Traffic parameter_server(Pace pace, int workers, int servers) {
  Traffic traffic{pace, {{}, {}}};
  for (int server = workers; server < workers + servers; ++server) {
    for (int worker = 0; worker < workers; ++worker) {
      traffic.phases[0].push_back({server, worker, 1.0 / servers});
      traffic.phases[1].push_back({worker, server, 1.0 / servers});
    }
  }
  return traffic;
}

Traffic ako(const std::vector<int>& partitions) {
  Traffic traffic{Pace::overlapped, {{}}};
  const int workers = static_cast<int>(partitions.size());
  for (int source = 0; source < workers; ++source) {
    for (int target = 0; target < workers; ++target) {
      if (source != target) traffic.phases[0].push_back({source, target, 1.0 / partitions[source]});
    }
  }
  return traffic;
}

json bounds(const scenario::Scenario& scenario, const Traffic& traffic, const std::vector<double>& compute_s,
            double header_bytes = 0) {
  return ddl::forked([&] {
    const platform::Fabric fabric(scenario);
    const Bounds found = ddl::network::bounds_of(fabric, traffic, compute_s, model_bytes, header_bytes);
    return json{{"bytes_per_step", found.bytes_per_step},
                {"bottleneck", found.bottleneck},
                {"bottleneck_bytes", found.bottleneck_bytes_per_step},
                {"network_s", found.network_s},
                {"compute_s", found.compute_s},
                {"step_s", found.step_s},
                {"network_bound", found.network_bound}};
  });
}

double number(const json& found, const char* key) { return found[key].get<double>(); }

void bounded(const std::string& what, const scenario::Scenario& over, const Traffic& traffic,
             const std::vector<double>& compute_s, const json& expected, double header_bytes = 0) {
  CAPTURE(what);
  const json found = bounds(over, traffic, compute_s, header_bytes);
  for (const auto& [key, value] : expected.items()) {
    CAPTURE(key);
    if (value.is_number()) CHECK(number(found, key.c_str()) == doctest::Approx(value.get<double>()));
    if (!value.is_number()) CHECK(found[key] == value);
  }
}

scenario::Scenario star(int workers, int servers, std::vector<ddl::BytesPerSecond> bandwidth, double latency_s = 0.01,
                        std::vector<ddl::BytesPerSecond> server_bandwidth = {}) {
  return ddl::on_platform({.workers = workers,
                           .servers = servers,
                           .bandwidth = std::move(bandwidth),
                           .server_bandwidth = std::move(server_bandwidth),
                           .latency = {latency_s}});
}

// One round of a synchronous parameter server in plain SimGrid: pull, compute, push, to the end of the last push.
double simulated_round(const scenario::Scenario& scenario, const std::vector<double>& compute_s) {
  namespace s4u = simgrid::s4u;
  return ddl::forked([&] {
           platform::Fabric fabric(scenario);
           double end_s = 0;
           for (int worker = 0; worker < fabric.worker_count(); ++worker) {
             ddl::simgrid_api::add_actor("worker", fabric.host(worker), [&, worker] {
               auto* const own = fabric.host(worker);
               auto* const server = fabric.host(fabric.worker_count());
               s4u::Comm::sendto(server, own, static_cast<std::uint64_t>(model_bytes));
               s4u::this_actor::sleep_for(compute_s[static_cast<std::size_t>(worker)]);
               s4u::Comm::sendto(own, server, static_cast<std::uint64_t>(model_bytes));
               end_s = std::max(end_s, s4u::Engine::get_clock());
             });
           }
           fabric.engine().run();
           return json(end_s);
         })
      .get<double>();
}

}  // namespace

TEST_CASE("a server's bounds: the busiest link, or a worker's own cycle") {
  const auto all = [](double seconds) { return std::vector<double>(4, seconds); };
  bounded("a synchronous one: nN/B each way", star(4, 1, {{1e6}}), parameter_server(Pace::lockstep, 4, 1), all(0.5),
          {{"step_s", 4},
           {"bytes_per_step", 2e6},
           {"bottleneck", "ps0 down"},
           {"bottleneck_bytes", 4e6},
           {"network_s", 4},
           {"compute_s", 0.5},
           {"network_bound", true}});
  bounded("two halve what the network takes: four halves of a model each way", star(4, 2, {{1e6}}, 0),
          parameter_server(Pace::lockstep, 4, 2), all(0.5), {{"step_s", 2}});
  bounded("or compute, and half of a model each way", star(4, 2, {{1e6}}, 0), parameter_server(Pace::lockstep, 4, 2),
          all(3), {{"step_s", 3 + 2 * 0.5}});
  // No longer the servers, 4 sixteenths each way. A worker's pulls from some may overlap its pushes to others.
  bounded("sixteen leave a worker's own link, one model each way", star(4, 16, {{4e5}}, 0),
          parameter_server(Pace::lockstep, 4, 16), all(1), {{"step_s", 2.5}});
  bounded("one asynchronous worker: 1 + 2N/B + 2a", star(1, 1, {{1e6}}), parameter_server(Pace::free, 1, 1), {1},
          {{"step_s", 1 + 2 * 1.0 + 2 * 0.01}, {"network_bound", false}});
  bounded("four: the server's 4N/B each way", star(4, 1, {{1e6}}), parameter_server(Pace::free, 4, 1), all(1),
          {{"step_s", 4}});
  // w2: 0.25 MB/s, 4 s a model each way; the server's link of 4 MB/s would need 1 s.
  bounded("on unequal links the slowest worker's cycle", star(4, 1, {{1e6}, {0.5e6}, {0.25e6}}, 0.01, {{4e6}}),
          parameter_server(Pace::free, 4, 1), all(0.5),
          {{"step_s", 0.5 + 4 + 4 + 0.02}, {"bottleneck", "w2 down"}, {"network_s", 4}});
}

TEST_CASE("bounds of exchanges between workers: the longer of compute and the most loaded link") {
  const auto all = [](double seconds) { return std::vector<double>(4, seconds); };
  bounded("Ako: (n - 1) N / (P B)", star(4, 0, {{1e6}}), ako({1, 1, 1, 1}), all(1.5),
          {{"network_s", 3}, {"step_s", 3}, {"bytes_per_step", 3e6}, {"network_bound", true}});
  bounded("or its compute time", star(4, 0, {{1e6}}), ako({3, 3, 3, 3}), all(1.5),
          {{"network_s", 1}, {"step_s", 1.5}, {"bytes_per_step", 1e6}, {"network_bound", false}});
  // Into w2 at 0.25 MB/s: 1/2 + 1/4 + 1/2 models. Out of it at 1/5: 3/5.
  bounded("the slowest receiver takes a part of each other's", star(4, 0, {{1e6}, {0.5e6}, {0.25e6}}, 0),
          ako({2, 4, 5, 2}), all(1), {{"bottleneck", "w2 down"}, {"network_s", 1.25 / 0.25}, {"step_s", 5}});
  bounded("a header counts once per message", star(2, 0, {{1e6}}, 0), ako({2, 2}), {0.1, 0.1},
          {{"bytes_per_step", 501000}, {"network_s", 0.501}}, 1000);
  // a to b is two by two flows: 50 MB/s for each. A host's link of 125 MB/s takes three models, longer than one flow.
  bounded("a fat pipe holds back each flow alone", on_file("two_clusters.xml", {.workers = {"a0", "a1", "b0", "b1"}}),
          ako({1, 1, 1, 1}), all(0.001), {{"network_s", 3e6 / 125e6}});
  // Two by two flows there and as many back, 1 MB/s for all of them.
  bounded("a shared backbone all of them together", on_file("dogbone.xml"), ako({1, 1, 1, 1}), all(1),
          {{"bottleneck", "bridge both"}, {"network_s", 8}});
  bounded("where nothing travels a step is its compute time", star(2, 0, {{1e6}}), {Pace::free, {}}, {0.5, 0.75},
          {{"bottleneck", ""}, {"bytes_per_step", 0}, {"step_s", 0.75}, {"network_bound", false}});
  // A third of the time from each of three others: one model through its own link, one latency.
  Traffic gossip = ako({3, 3, 3, 3});
  gossip.pace = Pace::free;
  bounded("a gossiping worker waits for one model, whoever it comes from", star(4, 0, {{1e6}, {0.5e6}}), gossip, all(1),
          {{"step_s", 1 + 2 + 0.01}});
}

TEST_CASE("the bound of a synchronous round is never above a simulated one") {
  const Traffic traffic = parameter_server(Pace::lockstep, 4, 1);
  const auto ratio = [&](const scenario::Scenario& scenario, const std::vector<double>& compute_s) {
    return number(bounds(scenario, traffic, compute_s), "step_s") / simulated_round(scenario, compute_s);
  };
  const std::vector<std::vector<double>> computes = {
      {0.5, 0.5, 0.5, 0.5}, {0.1, 5, 0.1, 0.1}, {0.2, 0.4, 0.8, 12}, {3, 2, 1, 0.1}};
  const std::vector<scenario::Scenario> networks = {
      star(4, 1, {{1e6}}),
      star(4, 1, {{1e6}, {0.5e6}, {0.25e6}}, 0.02, {{1e6}}),
      star(4, 1, {{1e6}, {0.5e6}, {0.125e6}}, 0.02, {{4e6}}),
      star(4, 1, {{8e6}, {0.5e6}, {1e6}, {2e6}}, 0.3, {{2e6}}),
      ddl::on_platform(
          {.topology = ddl::scenario::Topology::two_sites, .workers = 4, .servers = 1, .bandwidth = {{1e6}}}),
      ddl::on_platform(
          {.topology = ddl::scenario::Topology::ring, .workers = 4, .servers = 1, .bandwidth = {{1e6}, {3e6}}}),
      ddl::on_platform(
          {.topology = ddl::scenario::Topology::mesh, .workers = 4, .servers = 1, .bandwidth = {{1e6}, {3e6}}}),
  };
  for (const scenario::Scenario& textbook : networks) {
    scenario::Scenario corrected = textbook;
    corrected.platform.network = {};
    for (const auto& compute_s : computes) {
      CHECK(ratio(textbook, compute_s) <= 1 + 1e-4);
      CHECK(ratio(textbook, compute_s) > 0.3);
      CHECK(ratio(corrected, compute_s) <= 1 + 1e-4);
    }
  }
}

TEST_CASE("an exchange between all workers takes as long as the most loaded link on one's way") {
  const json uniform = ddl::forked(
      [] { return json(ddl::network::exchange_seconds(platform::Fabric(star(4, 1, {{1e6}})), model_bytes)); });
  for (const json& seconds : uniform) CHECK(seconds.get<double>() == doctest::Approx(3));
  // In a mesh each link has one model: 1 s, or 2 s on a slow link. Dealt by source, then target, w0 has fast, slow; w1
  // fast, fast; w2 slow, fast.
  const json mesh = ddl::forked([] {
    return json(ddl::network::exchange_seconds(
        platform::Fabric(ddl::on_platform({.topology = ddl::scenario::Topology::mesh,
                                           .workers = 3,
                                           .bandwidth = {{1e6}, {0.5e6}, {1e6}, {1e6}, {0.5e6}, {1e6}}})),
        model_bytes));
  });
  CHECK(mesh[0].get<double>() == doctest::Approx(2));
  CHECK(mesh[1].get<double>() == doctest::Approx(1));
  CHECK(mesh[2].get<double>() == doctest::Approx(2));
}
