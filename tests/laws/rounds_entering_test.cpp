// Nodes that enter the rounds of their neighbours in the middle: when all go on, and that all agree.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "tests/laws/decentralized.hpp"
#include "tests/support/run.hpp"
#include "tests/support/systems.hpp"

namespace ddl::rounds_entering_test {

namespace {

scenario::HostCrash crash(const char* host, double at_s, std::optional<double> restart_s = std::nullopt) {
  std::optional<Seconds> restart;
  if (restart_s) restart = Seconds{*restart_s};
  return {host, Seconds{at_s}, restart, scenario::HostState::kept};
}
scenario::HostJoin join(const char* host, double at_s) { return {host, Seconds{at_s}}; }

// Steps of 0.1 to 0.2 s until 30 s, of w1 thrice as long if it is `slow`.
scenario::Scenario long_run(const std::string& algorithm, int workers, const std::vector<scenario::Fault>& faults,
                            bool slow = false) {
  auto scenario = timing_only(algorithm, workers, 0, "1ms", R"({"time": "30s"})");
  scenario.wire.model_bytes = Bytes{10000};
  if (slow) scenario.compute.slowdown["w1"] = 3;
  scenario.faults = faults;
  return scenario;
}

// The longest time from the end of a step to that of the worker's next, or the end of the run, except for `gone`.
double longest_rest_s(const run::RunResult& result, double from_s, int gone = -1) {
  std::map<int, double> last_s;
  double longest_s = 0;
  for (const run::IterationRow& row : result.iterations) {
    const auto last = last_s.find(row.worker);
    if (last != last_s.end() && last->second > from_s) longest_s = std::max(longest_s, row.end_s - last->second);
    last_s[row.worker] = row.end_s;
  }
  for (const auto& [worker, end_s] : last_s) {
    if (worker != gone) longest_s = std::max(longest_s, result.simulated_s - end_s);
  }
  return longest_s;
}

std::string on(const char* topology, const std::string& name, const char* way) {
  return fmt::format(R"({{"name": "{}", "topology": "{}", "on_failure": "{}"}})", name, topology, way);
}

}  // namespace

TEST_CASE("whichever workers enter, and however many steps each has taken, none stands still for them") {
  struct Case {
    int workers;
    double from_s;  // all newcomers are there
    std::vector<scenario::Fault> faults;
  };
  const std::vector<Case> cases = {
      // A late w0 with both neighbours down; the same for w2; both, each of them alone.
      {4, 17, {crash("w1", 9, 16), crash("w3", 9, 16.5), join("w0", 15)}},
      {4, 17, {crash("w1", 9, 16), crash("w3", 9, 16.5), join("w2", 12)}},
      {4, 17, {crash("w1", 9, 16), crash("w3", 9, 16.5), join("w0", 15), join("w2", 15)}},
      // Neighbours that come in one instant, between a present one and an absent one.
      {5, 10.5, {join("w1", 10), join("w2", 10), join("w3", 29)}},
      {6, 11.5, {join("w3", 29.5), crash("w1", 10, 11), crash("w2", 10, 11)}},
      // One comes to w0, which is alone, and then one between it and a pair.
      {6, 12.5, {join("w1", 10), join("w2", 12), join("w5", 29.5)}},
  };
  // A pair with a slow w2 that is far behind w5. w0 hears the place of w5, which crashes before w0 has got its model;
  // or w0 falls behind with a slow w5, and is alone with newcomers once w5 crashes.
  const std::vector<scenario::Fault> gone = {join("w4", 29.5), join("w0", 10), join("w1", 10.5), crash("w5", 10.8)};
  const std::vector<scenario::Fault> behind = {join("w4", 29.5), join("w1", 10), crash("w5", 10.15)};
  for (const std::string& name : names_of_systems(4, 0, {"topology", "on_failure"})) {
    for (const Case& one : cases) {
      for (const char* way : {"wait", "go_on"}) {
        CAPTURE(name);
        CAPTURE(way);
        CAPTURE(&one - cases.data());
        CHECK(longest_rest_s(run::run(long_run(on("ring", name, way), one.workers, one.faults)), one.from_s) < 1);
      }
    }
    auto scenario = long_run(on("ring", name, "go_on"), 6, gone);
    scenario.wire.model_bytes = Bytes{1500000};
    scenario.compute.slowdown["w2"] = 5;
    CHECK(longest_rest_s(run::run(scenario), 11, 5) < 10);
    scenario = long_run(on("ring", name, "go_on"), 6, behind);
    scenario.compute.slowdown["w5"] = 5;
    CHECK(longest_rest_s(run::run(scenario), 10.5, 5) < 1);
  }
}

TEST_CASE("a newcomer is heard of at once, also by a node that still has much to read") {
  const std::vector<scenario::Fault> faults = {scenario::HostLeave{"w0", Seconds{5}}, join("w2", 6), join("w0", 29)};
  CHECK(longest_rest_s(run::run(long_run(on("directed_ring", "sgp", "go_on"), 5, faults, true)), 6) < 1);
}

TEST_CASE("CHOCO without compression is D-PSGD that combines after, whichever workers come and go") {
  struct Case {
    int workers;
    const char* slow;
    double slowdown;
    std::vector<scenario::Fault> faults;
  };
  const std::vector<Case> cases = {
      // w0 reads of both starts of w1 when the second is long past.
      {3, "w0", 10, {crash("w1", 0.05, 0.3), crash("w1", 1.2, 1.3)}},
      // w1 has sent to the earlier w0, and goes before it tells its place.
      {2, "w1", 1.2, {crash("w0", 0.37, 0.371), crash("w1", 0.49)}},
      {4, "w1", 1.5, {crash("w1", 0.5, 1.5), crash("w3", 0.55, 1.2), join("w0", 1)}},
      {5, "w4", 2, {join("w1", 1), join("w2", 1), crash("w4", 1.05, 1.3), scenario::HostLeave{"w3", Seconds{2}}}},
  };
  for (const Case& one : cases) {
    CAPTURE(&one - cases.data());
    const auto weights = [&](const std::string& algorithm) {
      auto scenario = learning_apart(algorithm, one.workers, 40);
      scenario.compute.slowdown[one.slow] = one.slowdown;
      scenario.faults = one.faults;
      return run::run(scenario).weights;
    };
    const Models d = weights(R"({"name": "d_psgd", "topology": "ring", "combine": "after", "on_failure": "go_on"})");
    const Models choco = weights(R"({"name": "choco", "topology": "ring", "codec": "none", "on_failure": "go_on"})");
    CHECK(largest_difference(choco, d) < 1e-4);
  }
}

TEST_CASE("with SGP, a worker that has lost its sources trains on as one that is alone") {
  // w1 has w0 as its only source, and w2 as its target; with D-PSGD both others have gone.
  const auto weights_of_w1 = [](const char* algorithm, std::vector<scenario::Fault> faults) {
    auto scenario = learning_apart(algorithm, 3, 100);
    scenario.faults = std::move(faults);
    return run::run(scenario).weights.at(1);
  };
  const auto alone = weights_of_w1(R"({"name": "d_psgd", "topology": "ring", "on_failure": "go_on"})",
                                   {crash("w0", 0.01), crash("w2", 0.01)});
  const auto sgp =
      weights_of_w1(R"({"name": "sgp", "topology": "directed_ring", "on_failure": "go_on"})", {crash("w0", 0.01)});
  CHECK(largest_difference(sgp, alone) < 1e-4);
}

TEST_CASE("with SGP, a fault that never comes changes nothing") {
  for (const char* overlap : {"true", "false"}) {
    for (const char* topology : {"ring", "directed_ring", "exponential", "one_peer_exponential", "complete"}) {
      CAPTURE(overlap);
      CAPTURE(topology);
      auto scenario = learning_apart(
          fmt::format(R"({{"name": "sgp", "topology": "{}", "overlap": {}}})", topology, overlap), 5, 12);
      const auto without = run::run(scenario).weights;
      scenario.faults = {crash("w1", 10000, 10001)};
      CHECK(run::run(scenario).weights == without);
    }
  }
}

TEST_CASE("with SGP, what has come from an earlier life of a source is kept when that starts again") {
  // w2 is slow: w0 has w1's part and waits for w2's when w1 starts again. All they do is to average, once.
  auto scenario = only_averaging(R"({"name": "sgp", "topology": "complete", "on_failure": "go_on"})", 3, 1);
  scenario.compute.slowdown["w2"] = 20;
  const Models start = initial_models(scenario, 3);
  const std::vector<float> mean = mean_of(start);
  const auto model_of_w0 = [&](double crash_s) {
    scenario.faults = {crash("w1", crash_s, crash_s + 0.1)};
    return run::run(scenario).weights.at(0);
  };
  CHECK(largest_difference(model_of_w0(20), mean) < 1e-5);
  // w1 gives once more after its start, so that its weight is more than a third; those of the others are alike.
  const std::vector<float> model = model_of_w0(0.5);
  double along = 0, length = 0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double to_w1 = start[1][i] - mean[i];
    along += to_w1 * (model[i] - mean[i]);
    length += to_w1 * to_w1;
  }
  const double more = along / length;
  CHECK(more > 0.05);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    CHECK(std::fabs(model[i] - mean[i] - more * (start[1][i] - mean[i])) < 1e-5);
  }
}

}  // namespace ddl::rounds_entering_test
