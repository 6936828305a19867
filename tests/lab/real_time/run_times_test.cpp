// Runs over real TCP against closed forms of the network, by the clock.
#include <nlohmann/json.hpp>

#include "lab/emulate/emulate.hpp"
#include "lab/runs/run.hpp"
#include "tests/lab/stage_needed.hpp"

namespace ddl::emulate {
namespace run_times_test {
namespace {

constexpr double kRate = 40e6 / 8, kMessage = 500e3, kCompute_s = 0.05;
constexpr double kOfNominal = 1448.0 / 1514;  // TCP's share of a full frame

double mean_step_s(const run::RunResult& result) {
  double sum = 0;
  for (const run::IterationRow& row : result.iterations) sum += row.end_s - row.start_s;
  return sum / static_cast<double>(result.iterations.size());
}

}  // namespace

TEST_CASE("one worker and its server take the time of a gradient, a push and a pull") {
  if (!stage_is_allowed()) return;
  const scenario::Scenario scenario =
      small_star(R"("ps_async")", 1, 1, R"("model": "none", "stop": {"iterations": 10})");
  const auto transfers_s = [&] {
    const run::RunResult result = emulate(scenario, {});
    REQUIRE(result.measured);
    // The first step needs no pull: all start alike.
    double sum_s = 0;
    for (std::size_t i = 1; i < result.iterations.size(); ++i) {
      const run::IterationRow& row = result.iterations[i];
      sum_s += row.end_s - row.start_s - row.compute_s;
    }
    return sum_s / static_cast<double>(result.iterations.size() - 1);
  };
  const auto expected_s = doctest::Approx(2 * kMessage / (kRate * kOfNominal)).epsilon(0.05);
  CHECK(one_of_three(expected_s, transfers_s).value() == expected_s);
}

TEST_CASE("over token buckets, latency is added to every message") {
  if (!stage_is_allowed()) return;
  const std::string rest = R"("model": "none", "stop": {"iterations": 4})";
  const scenario::Scenario scenario = small_star(R"("ps_async")", 1, 1, rest);
  scenario::Scenario distant = scenario;
  constexpr double latency_s = 0.05;
  std::get<scenario::GeneratedPlatform>(distant.platform.hosts).latency = {latency_s};
  EmulateOptions options;
  options.testbed.links = LinkKind::token_buckets;
  const auto latency_of_a_message_s = [&] {
    const double near_s = mean_step_s(emulate(scenario, options));
    const run::RunResult far = emulate(distant, options);
    // Three messages in each step except the first, which has one: the push, the question, the answer.
    return (mean_step_s(far) - near_s) / (static_cast<double>(far.messages_sent) / 4);
  };
  const auto expected_s = doctest::Approx(latency_s).epsilon(0.1);
  CHECK(one_of_three(expected_s, latency_of_a_message_s).value() == expected_s);
}

TEST_CASE("gradients last as long as in the simulation when slept") {
  if (!stage_is_allowed()) return;
  const scenario::Scenario scenario = small_star(R"("gossip")", 2, 0, R"("model": "none", "stop": {"iterations": 8})");
  const run::RunResult simulated = run::run(scenario);
  const auto late_s = [&] {
    const run::RunResult measured = emulate(scenario, {});
    REQUIRE(measured.iterations.size() == simulated.iterations.size());
    for (std::size_t i = 0; i < measured.iterations.size(); ++i) {
      CHECK(measured.iterations[i].compute_s >= simulated.iterations[i].compute_s * (1 - 1e-6));
    }
    return nlohmann::json::parse(measured.measured->cost)["late_mean_s"].get<double>();
  };
  const auto in_time = doctest::Approx(0).epsilon(0.1).scale(kCompute_s);
  CHECK(one_of_three(in_time, late_s).value() == in_time);
}

TEST_CASE("a server gives up the worker that it gives up in the simulation, at about that time") {
  if (!stage_is_allowed()) return;
  // Gradients take 50 ms, except w2's, which takes 2.5 s.
  scenario::Scenario scenario = small_star(R"({"name": "ps_sync", "on_failure": "time_out", "failure_timeout": "1s"})",
                                           3, 1, R"("model": "none", "stop": {"iterations": 1})");
  scenario.compute.slowdown = {{"w2", 50}};
  const run::RunResult simulated = run::run(scenario);
  REQUIRE(simulated.given_up.size() == 1);
  CHECK(simulated.given_up[0].worker == 2);
  const auto given_up_s = [&] {
    const run::RunResult measured = emulate(scenario, {});
    REQUIRE(measured.given_up.size() == 1);
    CHECK(measured.nodes[static_cast<std::size_t>(measured.given_up[0].by)] == "ps0");
    CHECK(measured.given_up[0].worker == 2);
    return measured.given_up[0].time_s;
  };
  const auto expected_s = doctest::Approx(simulated.given_up[0].time_s).epsilon(0.2);
  CHECK(one_of_three(expected_s, given_up_s).value() == expected_s);
}

}  // namespace run_times_test
}  // namespace ddl::emulate
