// Servers that go on without silent workers: the cost, the workers affected, and their return.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/laws/one_round.hpp"
#include "tests/support/same_run.hpp"
#include "tests/support/scenarios.hpp"
#include "tests/support/systems.hpp"

namespace ddl::time_out_test {

namespace {

using Steps = std::vector<std::int64_t>;

std::string time_out(const std::string& name, const std::string& timeout, const std::string& rest = "") {
  return fmt::format(R"({{"name": "{}", "on_failure": "time_out", "failure_timeout": "{}"{}}})", name, timeout, rest);
}

std::string go_on(const std::string& name, const std::string& rest = "") {
  return fmt::format(R"({{"name": "{}", "on_failure": "go_on"{}}})", name, rest);
}

scenario::HostCrash crash(const std::string& host, double at_s) {
  return {host, Seconds{at_s}, std::nullopt, scenario::HostState::lost};
}

// Messages take 1 s when alone on a link and gradients 100 ms, all in step.
run::RunResult in_step(const std::string& algorithm, int workers, int iterations,
                       const std::vector<scenario::Fault>& faults) {
  auto scenario = timing_only(algorithm, workers, 1, "0ms", fmt::format(R"({{"iterations": {}}})", iterations));
  scenario.faults = faults;
  return run::run(scenario);
}

// Nearly as quick as the gradients: messages take some milliseconds.
scenario::Scenario quick(const std::string& algorithm, int workers, int servers, int iterations,
                         const std::string& faults) {
  return learning(algorithm, workers, servers,
                  fmt::format(R"("data": {{"train": 400, "test": 50}}, "stop": {{"iterations": {}}}, "faults": [{}],
                                 "training": {{"batch_size": 10, "optimizer": {{"type": "sgd", "learning_rate": 0.02}}}})",
                              iterations, faults));
}

std::vector<std::string> servers_with_one() {
  std::vector<std::string> systems = {time_out("ps_sync", "2s", R"(, "backup_workers": 1)"),
                                      time_out("ps_ssp", "2s", R"(, "staleness_bound": 0)"),
                                      time_out("fedavg", "2s", R"(, "local_steps": 3)")};
  for (const std::string& name : names_of_systems(4, 1, {"failure_timeout"})) systems.push_back(time_out(name, "2s"));
  return systems;
}

}  // namespace

TEST_CASE("the round of a crash takes a synchronous server the time-out longer than a round of those left") {
  // Four pulls, a gradient and three pushes; then three pulls and three pushes a round.
  const double first_s = 4 + 0.1 + 3, other_s = 3 + 0.1 + 3;
  for (const int rounds : {1, 5}) {
    const double without_s = first_s + (rounds - 1) * other_s;
    const std::vector<scenario::Fault> faults = {crash("w3", 4.05)};
    CHECK(in_step(go_on("ps_sync"), 4, rounds, faults).simulated_s == doctest::Approx(without_s).epsilon(1e-9));
    const auto with = in_step(time_out("ps_sync", "7s"), 4, rounds, faults);
    CHECK(with.simulated_s == doctest::Approx(without_s + 7).epsilon(1e-9));
    REQUIRE(with.given_up.size() == 1);  // the time-out after the round's first gradient, which comes with the others
    CHECK(with.nodes[static_cast<std::size_t>(with.given_up[0].by)] == "ps0");
    CHECK(with.given_up[0].worker == 3);
    CHECK(with.given_up[0].time_s == doctest::Approx(first_s + 7).epsilon(1e-9));
  }
}

TEST_CASE("crashes in one round cost one time-out together and crashes in two rounds two") {
  // A time-out is as long as a round of three, so that the second crash finds all in their gradients with it or
  // without.
  const double round_s = 3 + 0.1 + 3, in_gradient_s = (4 + 0.1 + 3) + 10 * round_s + 3.05;
  const std::vector<scenario::Fault> together = {crash("w2", 4.02), crash("w3", 4.07)},
                                     apart = {crash("w2", 4.05), crash("w3", in_gradient_s)};
  // With it, one more of the rounds after the second crash is of two.
  const double two_s = 2 + 0.1 + 2, once_s = round_s, twice_s = 2 * round_s - (round_s - two_s);
  for (const auto& [faults, longer_s] : {std::pair{together, once_s}, std::pair{apart, twice_s}}) {
    const auto server = [&, &faults = faults](const std::string& algorithm) {
      return in_step(algorithm, 4, 40, faults).simulated_s;
    };
    CHECK(server(time_out("ps_sync", "6100ms")) - server(go_on("ps_sync")) == doctest::Approx(longer_s).epsilon(1e-6));
  }
}

TEST_CASE("no time-out is paid for as many crashes as there are backup workers") {
  const std::vector<scenario::Fault> faults = {crash("w3", 4.05)};
  const auto with = in_step(time_out("ps_sync", "7s", R"(, "backup_workers": 1)"), 4, 5, faults);
  const auto without = in_step(go_on("ps_sync", R"(, "backup_workers": 1)"), 4, 5, faults);
  CHECK(with.simulated_s == without.simulated_s);
  CHECK(with.bytes_sent == without.bytes_sent);
  CHECK(with.given_up.empty());
}

TEST_CASE("a stale-synchronous gate is held up by a crash for the time-out after its bound and never again") {
  for (const int bound : {0, 1, 3}) {
    const std::string rest = fmt::format(R"(, "staleness_bound": {})", bound);
    const std::vector<scenario::Fault> faults = {
        crash("w1", 2.05)};  // in its first gradient, so that w0 is alone from then on
    const auto with = in_step(time_out("ps_ssp", "7s", rest), 2, 10, faults);
    const auto without = in_step(go_on("ps_ssp", rest), 2, 10, faults);
    CHECK(with.steps[0] == 10);
    CHECK(with.simulated_s - without.simulated_s == doctest::Approx(7).epsilon(1e-9));
    const auto longest = std::ranges::max_element(with.iterations, {},
                                                  [](const run::IterationRow& row) { return row.end_s - row.start_s; });
    CHECK(longest->iteration == bound + 1);  // the first that w1's absence holds up
  }
}

TEST_CASE("workers that crash at one clock cost a stale-synchronous gate one time-out and at two clocks two") {
  // w0 is at its bound first when w1 is missed, and a few steps later when w2 is.
  const std::string rest = R"(, "staleness_bound": 9)";
  for (const auto& [second_s, timeouts] : {std::pair{3.07, 1}, std::pair{25.0, 2}}) {
    const std::vector<scenario::Fault> faults = {crash("w1", 3.05), crash("w2", second_s)};
    const auto with = in_step(time_out("ps_ssp", "7s", rest), 3, 30, faults);
    const auto without = in_step(go_on("ps_ssp", rest), 3, 30, faults);
    CHECK(with.steps[0] == 30);
    CHECK((with.steps[1] < with.steps[2]) == (timeouts == 2));
    CHECK(with.simulated_s - without.simulated_s == doctest::Approx(7 * timeouts).epsilon(1e-9));
  }
}

TEST_CASE("a round of federated averaging in which a worker crashes takes the time-out from its beginning") {
  // Three models down, five gradients, three models up.
  const auto result = in_step(time_out("fedavg", "20s", R"(, "local_steps": 5)"), 4, 15, {crash("w3", 4.05)});
  CHECK(result.simulated_s == doctest::Approx(20 + 2 * (3 + 0.5 + 3)).epsilon(1e-9));
}

TEST_CASE("a gradient later than the time-out is left out of its round and has no effect") {
  // w3's only gradient takes 3 s, and the others stop after their round.
  const auto in_time = one_round(time_out("ps_sync", "4s")), late = one_round(time_out("ps_sync", "2s"));
  CHECK(late.steps == Steps(4, 1));
  CHECK(late.bytes_sent == in_time.bytes_sent);
  CHECK(in_time.weights[0] == one_round(R"("ps_sync")").weights[0]);
  CHECK(largest_difference(late.weights[0], in_time.weights[0]) > 1e-3);
  CHECK(largest_difference(late.weights[0], three_batches_as_one().weights[0]) < 1e-6);
}

TEST_CASE("a worker that was too slow once is back in the rounds that follow") {
  auto scenario = quick(time_out("ps_sync", "1s"), 4, 1, 20,
                        R"({"type": "host_slowed", "host": "w3", "until": "2.9s", "factor": 30})");
  const auto result = run::run(scenario);
  CHECK(result.steps == Steps(4, 20));
  for (const run::IterationRow& row : result.iterations) {
    CAPTURE(row.worker);
    CAPTURE(row.iteration);
    CHECK((row.staleness > 0) == (row.worker == 3 && row.iteration == 0));
  }
}

TEST_CASE("a gradient that comes after its worker was given up is applied once by a stale-synchronous server") {
  // w1 takes 10 s a gradient. At the gate w0 waits for 1 s and then ends long before w1's first is there: the order of
  // updates is that of a server without a gate.
  const auto with = [](const std::string& algorithm) {
    auto scenario = quick(algorithm, 2, 1, 2, "");
    scenario.compute.slowdown = {{"w1", 100}};
    return run::run(scenario);
  };
  const auto gate = with(time_out("ps_ssp", "1s", R"(, "staleness_bound": 0)"));
  CHECK(gate.weights[0] == with(R"("ps_async")").weights[0]);
  CHECK(gate.weights[0] != with(R"({"name": "ps_ssp", "staleness_bound": 0})").weights[0]);
}

TEST_CASE("a time-out also gives up a worker that is cut off and takes it back where the others are") {
  const std::string cut_off = R"({"type": "link_down", "link": "w3", "from": "1s", "until": "20s"})";
  const auto steps_meanwhile = [](const run::RunResult& result) {
    return std::ranges::count_if(result.iterations, [](const run::IterationRow& row) {
      return row.worker != 3 && row.end_s > 5 && row.end_s < 19;
    });
  };
  for (const char* name : {"ps_sync", "ps_ssp", "fedavg"}) {
    CAPTURE(name);
    const auto given_up = run::run(quick(time_out(name, "2s"), 4, 1, 60, cut_off));
    CHECK(steps_meanwhile(given_up) > 60);
    CHECK(steps_meanwhile(run::run(quick(go_on(name), 4, 1, 60, cut_off))) == 0);
    CHECK(given_up.steps == Steps(4, 60));
    CHECK(given_up.faults->messages_lost == 0);  // messages under way arrive late
    CHECK(given_up.bytes_delivered == given_up.bytes_sent);
  }
}

TEST_CASE("workers that crash under a time-out end without them, and those that come back do all their steps") {
  const auto crash = [](const char* host, const char* rest) {
    return fmt::format(R"({{"type": "host_crash", "host": "{}", "at": "1.23s"{}}})", host, rest);
  };
  std::vector<std::pair<std::string, Steps>> faults = {
      {R"({"type": "join", "host": "w1", "at": "1s"})", Steps(4, 30)},
      {R"({"type": "leave", "host": "w1", "at": "1s"})", {30, 12, 30, 30}},
      {crash("w1", ""), {30, 13, 30, 30}}};
  for (const char* state : {"kept", "lost"}) {
    for (const char* back : {"1.3s", "2.5s", "9s"}) {  // before and after it is given up
      const auto restart = fmt::format(R"(, "restart": "{}", "state": "{}")", back, state);
      faults.emplace_back(crash("w1", restart.c_str()), Steps(4, 30));
    }
    faults.emplace_back(crash("ps0", fmt::format(R"(, "restart": "3s", "state": "{}")", state).c_str()), Steps(4, 30));
  }
  for (const std::string& system : servers_with_one()) {
    for (const int servers : {1, 3}) {
      if (servers > 1 && system.find("fedavg") != std::string::npos) continue;
      for (const auto& [fault, most] : faults) {
        CAPTURE(system);
        CAPTURE(servers);
        CAPTURE(fault);
        const auto steps = run::run(quick(system, 4, servers, 30, fault)).steps;
        CHECK(steps[1] <= most[1]);
        CHECK((most[1] < 30 || steps[1] == 30));
        for (const std::size_t other : {0, 2, 3}) CHECK(steps[other] == 30);
      }
    }
  }
}

TEST_CASE("both wires and any number of threads time out alike") {
  const std::string fault = R"({"type": "churn", "hosts": ["w2"], "mean_up": "2s", "mean_down": "3s", "until": "8s"})";
  for (const std::string& system : servers_with_one()) {
    CAPTURE(system);
    check_same_with_any_threads_and_transport(quick(system, 4, 1, 30, fault));
  }
}

TEST_CASE("a time-out is refused without its length, with no use for it, and where no server decides") {
  const auto refused = [](const std::string& algorithm, int servers, const std::string& line) {
    CAPTURE(algorithm);
    CHECK_THROWS_WITH_AS(quick(algorithm, 4, servers, 1, ""), doctest::Contains(line.c_str()),
                         scenario::ScenarioErrors);
  };
  refused(R"({"name": "ps_sync", "on_failure": "time_out"})", 1, "$.algorithm.failure_timeout: is missing");
  refused(R"({"name": "ps_ssp", "on_failure": "go_on", "failure_timeout": "1s"})", 1,
          "$.algorithm.failure_timeout: goes with on_failure \"time_out\" alone");
  refused(time_out("ps_sync", "0s"), 1, "$.algorithm.failure_timeout");
  refused(time_out("fedavg", "1s"), 2, "$.algorithm.on_failure: \"time_out\" at several servers");
  for (const std::string& name : names_of_systems(4, 0, {"on_failure"})) {
    refused(fmt::format(R"({{"name": "{}", "on_failure": "time_out"}})", name), 0,
            "$.algorithm.on_failure: \"time_out\" needs a server that decides for all");
  }
}

}  // namespace ddl::time_out_test
