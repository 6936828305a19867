// Several faults of one host, one after the other or in each other's way.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/scenarios.hpp"
#include "tests/support/systems.hpp"

namespace ddl::host_lives_test {

namespace {

using Steps = std::vector<std::int64_t>;

// Four workers with 100 ms a gradient, in a network quick enough for a step of 0.1 to 0.2 s.
scenario::Scenario with_faults(const std::string& algorithm, const std::vector<scenario::Fault>& faults,
                               int iterations = 30) {
  auto scenario = learning(algorithm, 4, 1,
                           fmt::format(R"("data": {{"train": 400, "test": 50}}, "stop": {{"iterations": {}}},
                                          "training": {{"batch_size": 10}})",
                                       iterations));
  scenario.faults = faults;
  return scenario;
}

scenario::HostCrash crash(double at_s, double restart_s) {
  return {"w1", Seconds{at_s}, Seconds{restart_s}, scenario::HostState::kept};
}
scenario::HostLeave leave(double at_s) { return {"w1", Seconds{at_s}}; }
scenario::HostJoin join(double at_s) { return {"w1", Seconds{at_s}}; }

// Up for ever, until the first crash at a time that no node knows, and then down for ever.
scenario::HostChurn churn(double mean_up_s, double mean_down_s) {
  return {{"w1"}, Seconds{mean_up_s}, Seconds{mean_down_s}, scenario::HostState::kept, Seconds{0}, Seconds{60}};
}

// Steps of w1 that overlap the interval.
std::int64_t steps_within(const run::RunResult& result, double from_s, double until_s) {
  return std::ranges::count_if(result.iterations, [&](const run::IterationRow& row) {
    return row.worker == 1 && row.start_s < until_s && row.end_s > from_s;
  });
}

const std::vector<std::string> all = systems_in_faults(4, 1, {R"({"name": "ako", "staleness_bound": 1})"});

}  // namespace

TEST_CASE("whatever becomes of a worker, the others do all their steps, and it does those for which it is there") {
  struct Life {
    const char* what;
    std::vector<scenario::Fault> faults;
    int iterations;
    double slowdown;     // w1's
    std::int64_t steps;  // w1's
    run::FaultCounts counts;
    double away_from_s = 0, away_until_s = 0;  // when it takes no step
  };
  const scenario::HostCrash late = {"w1", Seconds{20}, std::nullopt, scenario::HostState::kept};
  const std::vector<Life> lives = {
      {"it joins late", {join(1)}, 30, 1, 30, {.joins = 1}, 0, 1 - 1e-9},  // the clock is a sum of tenths, rounded
      {"it leaves and joins again", {leave(1), join(4)}, 30, 1, 30, {.joins = 1, .leaves = 1}, 2, 4},
      // Its gradient takes 5 s: the one that begins at 0 s ends after both.
      {"it is to join before it is gone", {leave(1), join(2)}, 4, 50, 4, {.joins = 1, .leaves = 1}},
      // Down within some milliseconds, and then for longer than the run.
      {"it leaves while it is down", {churn(0.01, 1000), leave(2)}, 30, 1, 0, {.crashes = 1, .leaves = 1}, 0.2, 9},
      // Each of its gradients takes 10 s; churn meets it in the step that it was to end. No node waits for it.
      {"it crashes while it leaves", {leave(0.001), churn(0.01, 0.01)}, 4, 100, 0, {.crashes = 1, .leaves = 1}, 0, 5},
      {"it crashes when its steps are over",
       {late, scenario::HostJoin{"w0", Seconds{25}}},
       30,
       1,
       30,
       {.crashes = 1, .joins = 1},
       20,
       99}};
  for (const std::string& system : all) {
    for (const Life& life : lives) {
      CAPTURE(system);
      CAPTURE(life.what);
      auto scenario = with_faults(system, life.faults, life.iterations);
      scenario.compute.slowdown = {{"w1", life.slowdown}};
      const auto result = run::run(scenario);
      CHECK(result.steps == Steps{life.iterations, life.steps, life.iterations, life.iterations});
      CHECK(result.faults->crashes == life.counts.crashes);
      CHECK(result.faults->restarts == life.counts.restarts);
      CHECK(result.faults->joins == life.counts.joins);
      CHECK(result.faults->leaves == life.counts.leaves);
      CHECK((life.counts.crashes > 0 || result.faults->steps_lost == 0));
      CHECK(steps_within(result, life.away_from_s, life.away_until_s) == 0);
      if (life.slowdown == 100) CHECK(result.simulated_s < 5);
    }
  }
}

TEST_CASE("a worker that restarts sends at once, whenever what it had lost was to be sent again") {
  auto scenario = timing_only(R"({"name": "ps_async"})", 2, 1, "1ms", R"({"time": "60s"})");
  scenario.wire.model_bytes = Bytes{1e3};
  scenario.compute.seconds_per_batch = Seconds{1};
  // w1's first message is lost, and would be sent again after 30 s.
  scenario.faults = {
      scenario::MessageLoss{.probability = 0.999, .retry_after = Seconds{30}, .source = "w1", .until = Seconds{0.5}},
      crash(2, 3)};
  const auto result = run::run(scenario);
  CHECK(result.faults->messages_lost == 1);
  CHECK(result.faults->messages_sent_again == 0);
  CHECK(steps_within(result, 0, 3) == 0);
  CHECK(steps_within(result, 3, 10.5) == 8);  // the last of them has begun
}

TEST_CASE("a worker that is to join while its last messages travel is gone first") {
  // Models take two seconds on the servers' link that two share: w1's gradient ends at 2.1 s, its push at 4.1 s.
  auto scenario = timing_only(R"("ps_async")", 2, 1, "0ms", R"({"iterations": 5})");
  scenario.faults = {leave(2.05), join(3)};
  const auto result = run::run(scenario);
  CHECK(result.steps == Steps{5, 5});
  CHECK(result.faults->joins == 1);
  CHECK(result.faults->messages_lost == 0);
  const auto second = std::ranges::find_if(
      result.iterations, [](const run::IterationRow& row) { return row.worker == 1 && row.iteration == 1; });
  CHECK(second->start_s == doctest::Approx(4.1));
}

TEST_CASE("a worker that crashes between leaving and joining does its steps once it is back") {
  auto scenario = timing_only(R"("ps_async")", 2, 1, "0ms", R"({"iterations": 5})");
  scenario.faults = {leave(2.05), join(3), crash(3.5, 100)};
  const auto result = run::run(scenario);
  CHECK(result.steps == Steps{5, 5});
  CHECK(result.faults->restarts == 1);
}

TEST_CASE("a host is down while any of its outages lasts and has lost its state if by any of them") {
  // Churn takes w1 up and down every few milliseconds, except during the 3 s of the other crash.
  for (const std::vector<scenario::Fault>& faults : {std::vector<scenario::Fault>{crash(1, 4), churn(0.5, 0.01)},
                                                     std::vector<scenario::Fault>{churn(0.5, 0.01), crash(1, 4)}}) {
    const auto result = run::run(with_faults(R"("gossip")", faults, 60));
    CHECK(result.steps[1] == 60);
    CHECK(steps_within(result, 1.05, 4) == 0);
    CHECK(result.faults->crashes == result.faults->restarts);
    CHECK(result.faults->crashes > 3);
  }
}

TEST_CASE("two churns of one host have crashes of their own") {
  const auto crashes = [](const std::vector<scenario::Fault>& faults) {
    auto scenario = timing_only(R"("gossip")", 4, 0, "0ms", R"({"time": "4000s"})");
    scenario.compute.seconds_per_batch = Seconds{1};
    scenario.wire.model_bytes = Bytes{1e3};
    scenario.faults = faults;
    return static_cast<double>(run::run(scenario).faults->crashes);
  };
  const scenario::HostChurn one = {{"w1"},     Seconds{20},  Seconds{0.1}, scenario::HostState::kept,
                                   Seconds{0}, Seconds{4000}};
  // 200 crashes by each, up to deviations of some twentieths.
  CHECK(crashes({one}) == doctest::Approx(200).epsilon(0.35));
  CHECK(crashes({one, one}) == doctest::Approx(2 * crashes({one})).epsilon(0.35));
}

TEST_CASE("neighbours that start while others do agree with them on rounds") {
  for (const std::string& system : names_of_systems(4, 1, {"topology", "on_failure"})) {
    for (const std::string on_failure : {"wait", "go_on"}) {
      const std::string algorithm = with_policy(system, on_failure);
      CAPTURE(algorithm);
      // w2 is back while w3 is down, and w3 soon after, while w2 asks for a model.
      const auto lost = [](const char* host, double at_s, double restart_s) {
        return scenario::HostCrash{host, Seconds{at_s}, Seconds{restart_s}, scenario::HostState::lost};
      };
      auto scenario = with_faults(algorithm, {lost("w3", 0.4, 1.05), lost("w2", 0.9, 1.03)});
      CHECK(run::run(scenario).steps == Steps(4, 30));
      for (const std::uint64_t seed : {1, 2, 3}) {
        scenario.seed = seed;
        scenario.faults = {
            scenario::HostChurn{{}, Seconds{0.5}, Seconds{0.25}, scenario::HostState::lost, Seconds{0}, Seconds{2}}};
        CHECK(run::run(scenario).steps == Steps(4, 30));
      }
    }
  }
}

TEST_CASE("hosts that come and go faster than a joiner finds a model do their steps all the same") {
  const std::string neighbours = R"({"name": "d_psgd", "topology": "random_regular", "degree": 4})";
  for (const std::uint64_t seed : {1, 3, 5}) {
    CAPTURE(seed);
    auto scenario = timing_only(neighbours, 12, 0, "500us", R"({"iterations": 2})");
    scenario.compute.seconds_per_batch = Seconds{0.01};
    scenario.wire.model_bytes = Bytes{1e5};
    scenario.seed = seed;
    scenario.faults = {
        scenario::HostChurn{{}, Seconds{1e-3}, Seconds{1e-3}, scenario::HostState::lost, Seconds{0}, Seconds{0.06}},
        scenario::HostJoin{"w10", Seconds{1e-3}}};
    CHECK(run::run(scenario).steps == Steps(12, 2));
  }
}

TEST_CASE("a worker that is alone for a while lets the others in again, and all work on") {
  const auto down = [](const char* host, double at_s, double restart_s) {
    return scenario::HostCrash{host, Seconds{at_s}, Seconds{restart_s}, scenario::HostState::kept};
  };
  // Three of four at once; and w0 starts while both its neighbours on the ring are down.
  const std::vector<std::vector<scenario::Fault>> all_faults = {
      {down("w0", 2, 4), down("w1", 2, 5), down("w3", 2, 4.5)},
      {down("w1", 2, 5), down("w3", 2.5, 4), down("w0", 3, 3.5)},
  };
  for (const std::string& system : all) {
    for (const auto& faults : all_faults) {
      CAPTURE(system);
      auto scenario = with_faults(system, faults);
      scenario.stop = {};
      scenario.stop.time = Seconds{9};
      const auto result = run::run(scenario);
      std::vector<std::int64_t> at_the_end(4, 0);  // steps of the last two seconds, each of 0.1 to 0.2 s
      for (const run::IterationRow& row : result.iterations) {
        if (row.end_s > 7) ++at_the_end[static_cast<std::size_t>(row.worker)];
      }
      CHECK(*std::ranges::min_element(at_the_end) >= 8);
    }
  }
}

}  // namespace ddl::host_lives_test
