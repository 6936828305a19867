// Hosts that crash, restart, join and leave: each training system's reaction, losses, and invariants.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/laws/decentralized.hpp"
#include "tests/support/same_run.hpp"
#include "tests/support/scenarios.hpp"
#include "tests/support/systems.hpp"

namespace ddl::crash_test {

namespace {

// Four workers with 100 ms a gradient, in a network quick enough for a step of 0.1 to 0.2 s.
scenario::Scenario with_fault(const std::string& algorithm, const std::string& fault, int iterations = 30) {
  return learning(algorithm, 4, 1,
                  fmt::format(R"("data": {{"train": 400, "test": 50}}, "stop": {{"iterations": {}}}, "faults": [{}],
                                 "training": {{"batch_size": 10, "optimizer": {{"type": "sgd", "learning_rate": 0.02}}}})",
                              iterations, fault));
}

std::string crash(const std::string& host, const std::string& rest = "") {
  return fmt::format(R"({{"type": "host_crash", "host": "{}", "at": "1.23s"{}}})", host, rest);
}

const std::string kept = R"(, "restart": "2.5s", "state": "kept")", lost = R"(, "restart": "2.5s", "state": "lost")";

std::string go_on(const std::string& name) { return with_policy(name, "go_on"); }

const std::vector<std::string> variants = {R"({"name": "ako", "partitions": 3, "staleness_bound": 1})",
                                           R"({"name": "ako", "staleness_bound": 1, "tf_ako": {"clock": "ping_pong"}})",
                                           R"({"name": "gossip", "mode": "pair"})",
                                           R"({"name": "ad_psgd", "gossip_rate": "continuous"})"};
const std::vector<std::string> all = systems_in_faults(4, 1, variants);

// The error of a run that cannot go on; "" if it can.
std::string stall(const scenario::Scenario& scenario) {
  try {
    run::run(scenario);
    return "";
  } catch (const process::RunFailed& failure) {
    return failure.what();
  }
}

}  // namespace

TEST_CASE("a worker or server that never comes back: those that wait for it stall, and say what waits for what") {
  for (const std::string& name : names_of_systems(4, 1, {"on_failure"})) {
    CAPTURE(name);
    const std::string asked_to_wait = stall(with_fault(with_policy(name, "wait"), crash("w1")));
    CHECK(asked_to_wait.find("w1 crashed at 1.23 s and does not come back") != std::string::npos);
    CHECK(asked_to_wait.find(" (w1)") != std::string::npos);  // they wait for it
    CHECK(asked_to_wait.find("w1 waits") == std::string::npos);
    const std::string by_default = stall(with_fault("\"" + name + "\"", crash("w1")));
    CHECK(by_default.find("; w0 waits for ") != std::string::npos);
    CHECK(by_default.find("port") == std::string::npos);
  }
  for (const auto& system : systems::built_in()) {
    if (!system->facts().needs_servers) continue;
    const std::string said = stall(with_fault(quoted(system->facts().name), crash("ps0")));
    CHECK_MESSAGE(said.find("ps0 crashed at 1.23 s") != std::string::npos, said);
  }
}

TEST_CASE("a single worker's crash costs the time until it is back and what it had done of its step") {
  const auto scenario = [](const std::string& faults) {
    return learning(R"("single")", 1, 0,
                    R"("data": {"train": 400, "test": 50}, "stop": {"iterations": 10}, "faults": )" + faults);
  };
  CHECK(run::run(scenario("[]")).simulated_s == doctest::Approx(1.0));
  // Half of the third step is done at 0.25 s.
  const auto at_once =
      run::run(scenario(R"([{"type": "host_crash", "host": "w0", "at": "250ms", "restart": "250ms"}])"));
  CHECK(at_once.simulated_s == doctest::Approx(1.05));
  CHECK(at_once.faults->steps_lost == 1);
  CHECK(run::run(scenario(R"([{"type": "host_crash", "host": "w0", "at": "250ms", "restart": "4s"}])")).simulated_s ==
        doctest::Approx(4.8));
  CHECK(stall(scenario(R"([{"type": "host_crash", "host": "w0", "at": "250ms"}])")) ==
        "no node can go on: w0 crashed at 0.25 s and does not come back");
}

TEST_CASE("once one of n workers has crashed an asynchronous server's others are as quick as n - 1 workers") {
  const auto rate = [](int workers, const std::vector<scenario::Fault>& faults) {
    auto scenario = timing_only(R"("ps_async")", workers, 1, "0ms", R"({"time": "600s"})");
    scenario.compute.jitter = 0.3;
    scenario.faults = faults;
    const auto result = run::run(scenario);
    return static_cast<double>(std::ranges::count_if(
               result.iterations, [](const run::IterationRow& row) { return row.worker != 5 && row.end_s > 220; })) /
           380;
  };
  const double after = rate(6, {scenario::HostCrash{"w5", Seconds{200}, std::nullopt, scenario::HostState::lost}});
  CHECK(after == doctest::Approx(rate(5, {})).epsilon(0.03));
}

TEST_CASE("a synchronous server that goes on takes the mean over those left, as an all-reduce of them does") {
  // The crash is in the middle of a gradient, with nothing of it under way.
  const std::string fault = R"({"type": "host_crash", "host": "w1", "at": "50ms"})";
  const auto server = run::run(with_fault(go_on("ps_sync"), fault));
  for (const char* name :
       {"ring_allreduce", "tree_allreduce", "star_allreduce", "hierarchical_allreduce", "butterfly_allreduce"}) {
    CHECK(largest_difference(run::run(with_fault(go_on(name), fault)).weights[0], server.weights[0]) < 1e-5);
  }
  CHECK(largest_difference(run::run(with_fault(R"("ps_sync")", "")).weights[0], server.weights[0]) > 1e-4);
}

TEST_CASE("replicas of an all-reduce are one again after a restart, even of a worker that has lost its model") {
  for (const char* name :
       {"ring_allreduce", "tree_allreduce", "star_allreduce", "hierarchical_allreduce", "butterfly_allreduce"}) {
    for (const std::string& state : {kept, lost}) {
      for (const char* policy : {"go_on", "wait"}) {
        const std::string system = with_policy(name, policy);
        CAPTURE(system);
        const auto result = run::run(with_fault(system, crash("w1", state)));
        for (const auto& replica : result.weights) CHECK(replica == result.weights[0]);
      }
    }
  }
}

TEST_CASE("Ako: all survivors have applied the same gradients, those of the crashed worker included") {
  // Crashed during a gradient, when all its messages have arrived: only messages to it are lost.
  for (const char* how : {"", R"(, "tf_ako": {"receive_threads": 2})"}) {
    auto scenario = with_fault(fmt::format(R"({{"name": "ako", "partitions": 1, "apply": "on_arrival"{}}})", how),
                               R"({"type": "host_crash", "host": "w1", "at": "1.05s"})");
    const auto result = run::run(scenario);
    CHECK(result.faults->bytes_lost == 0);
    CHECK(result.faults->messages_lost > 0);
    for (const int other : {2, 3}) {
      CHECK(largest_difference(result.weights[static_cast<std::size_t>(other)], result.weights[0]) < 1e-5);
    }
  }
}

TEST_CASE("AD-PSGD keeps the sum of all models through a crash in which no model is lost") {
  for (const char* at : {"1.05s", "1.55s", "2.05s"}) {
    auto scenario = only_averaging(R"("ad_psgd")", 4, 60);
    const Models start = initial_models(scenario, 4);
    scenario.faults = {scenario::HostCrash{"w1", Seconds{std::stod(at)}, Seconds{4}, scenario::HostState::kept}};
    const auto result = run::run(scenario);
    REQUIRE(result.faults->messages_lost == 0);
    CHECK(largest_difference(mean_of(start), mean_of(result.weights)) < 1e-6);
  }
}

TEST_CASE("both wires lose the same, and any number of threads gives the same") {
  const std::string fault = crash("w1", kept) + R"(, {"type": "churn", "hosts": ["w2"], "mean_up": "700ms",
                                                      "mean_down": "300ms", "until": "3s"})";
  for (const std::string& system : {std::string(R"("ps_async")"), std::string(R"({"name": "ako", "partitions": 2})"),
                                    go_on("ring_allreduce"), go_on("d_psgd"), std::string(R"("ad_psgd")")}) {
    CAPTURE(system);
    check_same_with_any_threads_and_transport(with_fault(system, fault));
  }
}

TEST_CASE("churn: up and down times have the means that were asked for, and each host its own") {
  auto scenario = timing_only(R"("gossip")", 8, 0, "0ms", R"({"time": "4000s"})");
  scenario.wire.model_bytes = Bytes{1e3};
  scenario.compute.seconds_per_batch = Seconds{1};
  scenario.faults = {
      scenario::HostChurn{{}, Seconds{30}, Seconds{10}, scenario::HostState::kept, Seconds{0}, std::nullopt}};
  const auto result = run::run(scenario);
  // 8 hosts x 4000 s / 40 s a cycle; the count's deviation is below the root of that.
  CHECK(result.faults->crashes == doctest::Approx(800).epsilon(5 / std::sqrt(800.0)));
  double computing_s = 0;
  for (const double seconds : result.compute_s) computing_s += seconds;
  CHECK(computing_s / (8 * 4000) == doctest::Approx(0.75).epsilon(0.05));
  CHECK(std::set<std::int64_t>(result.steps.begin(), result.steps.end()).size() > 1);
}

TEST_CASE("a run whose workers have all gone for good fails, and says which went") {
  std::string faults;
  for (const char* worker : {"w0", "w1", "w2", "w3"}) faults += (faults.empty() ? "" : ", ") + crash(worker);
  CHECK(stall(with_fault(R"("gossip")", faults)).find("w3 crashed at 1.23 s") != std::string::npos);
}

TEST_CASE("the mean of an evaluation leaves out workers that are not there") {
  auto scenario = with_fault(R"("gossip")", R"({"type": "join", "host": "w1", "at": "2s"})");
  scenario.evaluate.every = Seconds{1};
  const auto result = run::run(scenario);
  double of_others = 0;
  for (const run::CurveRow& row : result.curve) {
    if (row.time_s != 1) continue;
    if (row.worker == "w0" || row.worker == "w2" || row.worker == "w3") of_others += *row.test_accuracy / 3;
    if (row.worker == "mean") CHECK(*row.test_accuracy == doctest::Approx(of_others));
  }
  CHECK(of_others > 0);
}

TEST_CASE("hosts that are not there, times in the wrong order and endless churn are refused") {
  const auto refused = [](const std::string& algorithm, const std::string& fault, const std::string& path) {
    CAPTURE(fault);
    CHECK_THROWS_WITH(run::run(with_fault(algorithm, fault)), doctest::Contains(("$.faults[0]." + path).c_str()));
  };
  refused(R"("gossip")", crash("w9"), "host");
  refused(R"("ps_async")", R"({"type": "leave", "host": "ps0", "at": "1s"})", "host");
  refused(R"("gossip")", crash("ps0"), "host");  // a server that stays idle
  refused(R"("gossip")", crash("w1", R"(, "restart": "1s")"), "restart");
  refused(R"("gossip")", R"({"type": "join", "host": "w9", "at": "1s"})", "host");
  refused(R"("gossip")", R"({"type": "churn", "mean_up": "1s", "mean_down": "1s"})", "until");
  refused(R"("gossip")", R"({"type": "churn", "mean_up": "1s", "mean_down": "1s", "from": "2s", "until": "1s"})",
          "until");
  refused(R"("gossip")",
          R"({"type": "churn", "hosts": ["w0", "x"], "mean_up": "1s", "mean_down": "1s", "until": "9s"})", "hosts[1]");
}

TEST_CASE("the first worker may crash as the run begins, and come back before or after the others have ended") {
  for (const std::string& system : all) {
    for (const char* restart : {"350ms", "500ms", "5s"}) {
      CAPTURE(system);
      CAPTURE(restart);
      scenario::Scenario scenario = with_fault(
          system,
          fmt::format(R"({{"type": "host_crash", "host": "w0", "at": "0s", "restart": "{}", "state": "lost"}})",
                      restart),
          5);
      scenario.evaluate.every = Seconds{0.2};
      CHECK(run::run(scenario).stopped_by == "iterations");
    }
  }
}

TEST_CASE("hosts with parts of one model, or with members of an ensemble, can not come and go") {
  const std::string fault = R"({"type": "host_crash", "host": "w1", "at": "50ms"})";
  for (const char* system : {R"("vertical")", R"({"name": "early_exit", "cuts": [1, 1, 1]})", R"("samme")"}) {
    CAPTURE(system);
    CHECK_THROWS_WITH_AS(with_fault(system, fault), doctest::Contains("needs each of its hosts"), std::exception);
  }
}

}  // namespace ddl::crash_test
