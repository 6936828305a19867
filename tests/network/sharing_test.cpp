// Fair sharing by hand and by SimGrid.
#include "sim/network/sharing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/network/arrivals.hpp"

using namespace ddl;
using namespace ddl::network;

using nlohmann::json;

namespace {

struct Firsts {
  double predicted_s = 0, simulated_s = 0;
};

Firsts firsts(const scenario::Scenario& scenario, const std::vector<Sent>& messages) {
  const json found = ddl::forked([&] {
    platform::Fabric fabric(scenario);
    std::vector<ddl::network::Transfer> transfers;
    for (const Sent& sent : messages) transfers.push_back({&fabric.route(sent.source, sent.target), sent.bytes});
    return json{ddl::network::first_finished_s(fabric, transfers), std::ranges::min(ddl::arrivals(fabric, messages))};
  });
  return {found[0].get<double>(), found[1].get<double>()};
}

// A server of 1 MB/s that sends to four workers at once.
const std::vector<Sent> from_server = {{4, 0, 1e6}, {4, 1, 1e6}, {4, 2, 1e6}, {4, 3, 1e6}};

scenario::Scenario server_with(std::vector<ddl::BytesPerSecond> bandwidth, scenario::NetworkModel model) {
  return ddl::on_platform(
      {.workers = 4, .servers = 1, .bandwidth = std::move(bandwidth), .server_bandwidth = {{1e6}}, .latency = {0.02}},
      model);
}

}  // namespace

TEST_CASE("the first of equal flows, and of flows of which a slow host cannot take its share, is foreseen") {
  // Quarters of the server's link; or thirds of 0.9 MB/s, since w2 takes 0.1 MB/s.
  for (const auto& [bandwidth, first_s] :
       {std::pair{std::vector<BytesPerSecond>{{1e6}}, 4.02}, {{{1e6}, {1e6}, {0.1e6}, {1e6}}, 0.02 + 1 / 0.3}}) {
    const Firsts found = firsts(server_with(bandwidth, scenario::NetworkModel::CM02), from_server);
    CHECK(found.predicted_s == doctest::Approx(first_s));
    CHECK(found.simulated_s == doctest::Approx(first_s));
  }
}

TEST_CASE("the smaller claim of flows over slow links is foreseen, where a platform file weights them so") {
  std::string zone = R"(<zone id="z" routing="Full">)", routes;
  const std::vector<std::pair<std::string, std::string>> hosts = {
      {"w0", "8MBps"}, {"w1", "500kBps"}, {"w2", "300kBps"}, {"w3", "1MBps"}, {"ps0", "1MBps"}};
  for (const auto& [name, bandwidth] : hosts) {
    zone +=
        fmt::format(R"(<host id="{0}" speed="1Gf"/><link id="l{0}" bandwidth="{1}" latency="10ms"/>)", name, bandwidth);
    if (name == "ps0") continue;
    routes += fmt::format(R"(<route src="ps0" dst="{0}"><link_ctn id="lps0"/><link_ctn id="l{0}"/></route>)", name);
  }
  const std::string config = "<config>" + property("weight-S", "20537") + "</config>";
  const Firsts found =
      firsts(on_elements(config + zone + routes + "</zone>", scenario::NetworkModel::CM02, {"ps0"}), from_server);
  CHECK(found.predicted_s < 0.02 + 4);  // the fastest has more than a quarter
  CHECK(found.simulated_s == doctest::Approx(found.predicted_s).epsilon(1e-4));
}

TEST_CASE("in the model TCP windows decide when flows start, so they are taken to be alone") {
  // Sharing equally from the start, the first would need 4.02 s.
  const scenario::Scenario scenario = server_with({{1e6}}, scenario::NetworkModel::TCP);
  CHECK(firsts(scenario, from_server).predicted_s == doctest::Approx(1.02));
}

TEST_CASE("flows that do not start together are taken to be alone") {
  const scenario::Scenario scenario = ddl::on_platform({.topology = ddl::scenario::Topology::two_sites,
                                                        .workers = 4,
                                                        .servers = 1,
                                                        .bandwidth = {{1e6}},
                                                        .latency = {0.02}});
  CHECK(firsts(scenario, from_server).predicted_s == doctest::Approx(1.02));
}
