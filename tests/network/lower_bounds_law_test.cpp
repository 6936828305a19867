// The least time of a step listed by `check`: no system beats it in the long run, and a system with a wrong traffic()
// is found out.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/comm/sharded_model.hpp"
#include "core/systems/servers/ps_async.hpp"
#include "core/systems/single.hpp"
#include "core/systems/table.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/support/lower_bound.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::lower_bounds_law_test {
namespace {

constexpr int steps = 150;
constexpr int steps_with_random_peers = 1200;  // free_steps() grows as the square root

// Needs a model, because its outputs decide which messages are sent.
constexpr const char* not_for_timing = "early_exit";
constexpr const char* one_backup = R"("backup_workers": 1)";

// A gradient of 0.1 s, and models that take from a thousandth of that to ten times as long over different links.
const char* const networks[] = {
    R"("topology": "star", "bandwidth": "8Gbps", "latency": "1ms")",
    R"("topology": "star", "bandwidth": ["80Mbps", "40Mbps", "20Mbps"], "latency": "5ms")",
    R"("topology": "star", "bandwidth": ["200Mbps", "8Mbps", "100Mbps"], "latency": "30ms")",
    R"("topology": "star", "bandwidth": "8Mbps", "latency": "1ms")",
    R"("topology": "two_sites", "bandwidth": "200Mbps", "site_bandwidth": "20Mbps", "site_latency": "20ms")"};

// The same over hosts that have a fat pipe each, and a server that has not.
const std::string over_fat_pipes =
    R"("file": ")" DDLSIM_SOURCE_DIR R"(/tests/platform/data/fat_pipes.xml", "workers": ["w0", "w1", "w2", "w3"])";

struct Case {
  std::string network, model, slowdown;
  int workers = 4;
  std::string model_bytes = "1MB";
  std::string windows = "";  // settings of connections
};

// Quick links over which windows bind: 200 kB a connection and 40 ms, 5 MB/s.
constexpr const char* far = R"("topology": "star", "bandwidth": "8Gbps", "latency": "20ms")";
const std::string narrow = R"(, "tcp_window": "200kB")", two_narrow = R"(, "tcp_window": "100kB", "connections": 2)";

// Every network in all models, with one slow worker or another, or none.
std::vector<Case> cases() {
  const char* const slowdowns[] = {"{}", R"({"w0": 6})", R"({"w1": 6})"};
  std::vector<Case> list;
  std::size_t number = 0;
  for (const char* network : networks) {
    list.push_back({network, "CM02", slowdowns[number % 3]});
    list.push_back({network, "TCP", slowdowns[(number + 2) % 3]});
    ++number;
  }
  list.push_back({over_fat_pipes, "CM02", "{}"});
  list.push_back({over_fat_pipes, "TCP", R"({"w1": 6})"});
  for (const char* model : {"CM02", "TCP"}) {
    list.push_back({far, model, "{}", 4, "1MB", narrow});
    list.push_back({far, model, slowdowns[1], 4, "250kB", two_narrow});
  }
  // Few workers, whose messages never meet: there bounds are tight.
  for (const int workers : {1, 2}) list.push_back({networks[3], "CM02", "{}", workers});
  return list;
}

scenario::Scenario scenario_on(const Case& on, const std::string& algorithm, int its_steps) {
  const std::string hosts =
      on.network == over_fat_pipes ? R"("servers": ["w5"])" : fmt::format(R"("workers": {}, "servers": 1)", on.workers);
  return scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{{}, {}, "network": {{"model": "{}"{}}}}},
          "model": "none", "wire": {{"model_bytes": "{}"}},
          "compute": {{"seconds_per_batch": "100ms", "jitter": 0, "slowdown": {}}},
          "algorithm": {}, "stop": {{"iterations": {}}}}})",
      on.network, hosts, on.model, on.windows, on.model_bytes, on.slowdown, algorithm, its_steps));
}

// A queue of a message, the last step's own messages, and the settings that count steps, such as a period; random peers
// scatter as the square root.
double free_steps(const scenario::Scenario& scenario, const run::RunResult& result) {
  const auto counts = sum_of_counts(nlohmann::json::parse(scenario::describe(scenario))["algorithm"]);
  const double samples = static_cast<double>(steps_with_random_peers) * result.workers;
  return 3 + counts + (result.bounds.random_peers ? 4 * std::sqrt(samples) : 0);
}

// Runs the system long enough for its bound to count, and checks that. Returns the message of a beaten bound, or "".
std::string beaten_on(const Case& on, const std::string& algorithm) {
  scenario::Scenario scenario = scenario_on(on, algorithm, steps);
  auto result = run::run(scenario);
  if (result.bounds.random_peers) {
    scenario = scenario_on(on, algorithm, steps_with_random_peers);
    result = run::run(scenario);
  }
  const double free = free_steps(scenario, result);
  CHECK(free < 0.4 * static_cast<double>(*std::ranges::max_element(result.steps)));
  return beaten_bound(result, free);
}

// Each way of a system that has several bounds.
std::vector<std::string> settings_of(const std::string& system) {
  const std::map<std::string, std::vector<std::string>> more = {
      {"gossip",
       {R"("mode": "push", "peer": "ring")", R"("mode": "pair", "peer": "ring")", R"("mode": "pull", "peer": "ring")",
        R"("mode": "push", "peer": "round_robin")", R"("order": "overlap", "peer": "ring")",
        R"("timeout": "50ms", "peer": "ring")"}},
      {"ako",
       {R"("partitions": 2, "overflow": "block")", R"("partitions": 2, "overflow": "merge")",
        R"("partitions": "adaptive")", R"("partitions": 2, "tf_ako": {"publish": "blocking"})"}},
      {"ad_psgd", {R"("peer": "cyclic")", R"("gossip_rate": 3)", R"("gossip_rate": "continuous")"}},
      {"ps_sync", {one_backup}},
      {"diloco",
       {R"("sync_every": 3)", R"("sync_every": 4, "fragments": 2, "fragment_sync_delay": 1)",
        R"("sync_every": 2, "eager": true)", R"("sync_every": 3, "replica": "site")",
        R"("sync_every": 5, "codec": {"type": "e3m0", "bucket": 16})",
        R"("sync_every": 30, "codec": {"type": "e3m0", "bucket": 16})"}},
      {"hierarchical_allreduce", {R"("codec": {"type": "e3m0", "bucket": 16})"}},
      {"d_psgd", {R"("overlap": true)"}}};
  if (system == "vertical") return {R"({"name": "vertical", "meetings": ["400kB"]})"};
  std::vector<std::string> list = {fmt::format(R"({{"name": "{}"}})", system)};
  if (const auto found = more.find(system); found != more.end()) {
    for (const std::string& settings : found->second) {
      list.push_back(fmt::format(R"({{"name": "{}", {}}})", system, settings));
    }
  }
  return list;
}

// A system whose author believes that a cycle moves 1.3 models each way.
struct WrongParams : SystemOf<WrongParams, systems::PsAsyncParams> {
  static constexpr SystemFacts facts = systems::PsAsyncParams::facts;
  Traffic traffic(const Cluster& cluster) const override {
    return comm::pull_and_push(cluster, Pace::free, 1.3, codec);
  }
};
// Its author believes that each step waits for a fiftieth of a model.
struct ForgetfulParams : SystemOf<ForgetfulParams, systems::AloneParams> {
  static constexpr SystemFacts facts = systems::AloneParams::facts;
  Traffic traffic(const Cluster&) const override {
    return {Pace::lockstep, {{{.source = 0, .target = 1, .models = 0.02}}}, {}};
  }
};

template <class Params>
int beaten_on(const std::string& algorithm) {
  int beaten = 0;
  for (const Case& on : cases()) {
    scenario::Scenario scenario = scenario_on(on, algorithm, steps);
    scenario.algorithm = systems::SystemChoice(Params{});
    const auto result = run::run(scenario);
    beaten += !beaten_bound(result, 3).empty();
  }
  return beaten;
}

}  // namespace

TEST_CASE("no system that takes timing only beats its bound, on any network, whichever worker is slow") {
  for (const auto& system : systems::built_in()) {
    const std::string name = system->facts().name;
    if (name == not_for_timing) continue;
    CAPTURE(name);
    for (const std::string& algorithm : settings_of(name)) {
      CAPTURE(algorithm);
      for (const Case& on : cases()) {
        if (on.workers == 1 && algorithm.find(one_backup) != std::string::npos) continue;  // no gradient would be left
        CAPTURE(on.network);
        CAPTURE(on.model);
        CAPTURE(on.slowdown);
        CHECK(beaten_on(on, algorithm) == "");
      }
    }
  }
}

// With small models, because a simulation takes as long as it has packets.
TEST_CASE("nor does one whose messages are carried packet by packet") {
  const Case network_bound{networks[3], "packets", "{}", 4, "100kB"},
      window_bound{far, "packets", "{}", 4, "100kB", R"(, "tcp_window": "20kB")"};
  for (const auto& system : systems::built_in()) {
    const std::string name = system->facts().name;
    if (name == not_for_timing) continue;
    const std::string algorithm = settings_of(name).front();
    CAPTURE(algorithm);
    CHECK(beaten_on(network_bound, algorithm) == "");
    CHECK(beaten_on(window_bound, algorithm) == "");
  }
}

// A worker alone pulls and pushes a megabyte in each step: 100 ms of computing and, with 40 ms there and back, 200 ms
// each way at 5 MB/s, and 20 ms. Of a window TCP waits for no acknowledgement, but then for a sixth one, of few
// segments.
TEST_CASE("where windows bind, the bound is theirs, names the pair, and says that the network binds") {
  for (const auto& [model, step_s] : {std::pair("CM02", 0.54), std::pair("TCP", 0.46), std::pair("packets", 0.46)}) {
    for (const std::string& windows : {narrow, two_narrow}) {
      CAPTURE(model);
      const auto result = run::run(scenario_on({far, model, "{}", 1, "1MB", windows}, R"("ps_async")", steps));
      CHECK(result.bounds.network_s == doctest::Approx(0.2));
      CHECK(result.bounds.bottleneck == "window w0 to ps0");
      CHECK(result.bounds.bottleneck_bytes_per_step == doctest::Approx(1e6));
      CHECK(result.bounds.network_bound);
      CHECK(result.bounds.step_s == doctest::Approx(step_s));
      const double taken_s = result.simulated_s / steps;
      CHECK(taken_s >= step_s * (1 - 1e-9));
      CHECK(taken_s <= step_s * 1.23);
    }
  }
}

TEST_CASE("a system that lists more traffic than it sends, or waits for less than it says, is found out") {
  CHECK(beaten_on<systems::PsAsyncParams>(R"("ps_async")") == 0);
  CHECK(beaten_on<WrongParams>(R"("ps_async")") > 0);
  CHECK(beaten_on<systems::AloneParams>(R"("alone")") == 0);
  CHECK(beaten_on<ForgetfulParams>(R"("alone")") > 0);
}

TEST_CASE("the closing table compares the bound with the slowest worker's step, including its last wait") {
  // Two workers on unlike links, and exchanges of 1 s: w1, active, computes 0.1 s and waits; w0 never waits.
  const auto result =
      run::run(timing_only(R"({"name": "ad_psgd", "topology": "ring"})", 2, 0, "0ms", R"({"time": "101s"})"));
  const auto [fewest, most] = std::ranges::minmax(result.steps);
  CHECK(most > 900);    // a step per gradient
  CHECK(fewest < 110);  // a step per exchange
  CHECK(result.bounds.step_s == doctest::Approx(1.0));
  CHECK(result.simulated_s / static_cast<double>(fewest) >= 0.97 * result.bounds.step_s);
}

}  // namespace ddl::lower_bounds_law_test
