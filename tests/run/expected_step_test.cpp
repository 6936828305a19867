// The parts of a step's time, against closed forms.
#include "sim/run/expected_step.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sim/run/run.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::expected_step_test {
namespace {

constexpr double c = 0.1, n_over_b = 1;

run::ExpectedStep expected(const scenario::Scenario& scenario) {
  const auto step = run::expected_step(scenario, run::forecast_of(scenario));
  REQUIRE(step);
  return *step;
}

}  // namespace

TEST_CASE("a ring's step is its gradient, its bytes over the bandwidth, and its latencies") {
  for (const double latency_s : {0.001, 0.05}) {
    for (const int n : {2, 4}) {
      CAPTURE(n);
      const auto step = expected(
          timing_only("\"ring_allreduce\"", n, 0, fmt::format("{}ms", 1e3 * latency_s), R"({"iterations": 40})"));
      const double latency = 2 * (n - 1) * latency_s, bandwidth = 2 * (n - 1) * n_over_b / n;
      const double seconds = c + latency + bandwidth;
      CHECK(step.step.seconds == doctest::Approx(seconds).epsilon(1e-3));
      CHECK(step.step.compute_share == doctest::Approx(c / seconds).epsilon(1e-3));
      REQUIRE(step.rest);
      CHECK(step.rest->latency == doctest::Approx(latency / seconds).epsilon(1e-3));
      CHECK(step.rest->bandwidth == doctest::Approx(bandwidth / seconds).epsilon(1e-3));
      CHECK(step.rest->waiting < 1e-3);
    }
  }
}

TEST_CASE("a synchronous server's step is a gradient and the models of all workers there and back") {
  for (const int n : {1, 4}) {
    const auto step = expected(timing_only("\"ps_sync\"", n, 1, "0ms", R"({"iterations": 200})"));
    CHECK(step.step.seconds == doctest::Approx(c + 2 * n * n_over_b).epsilon(1e-3));
  }
}

TEST_CASE("a run that a time ends has the steps that take the expected time, not those of the bound") {
  const double step_s = c + 2 * 4 * n_over_b;
  for (const auto& [stop, steps] : {std::pair(R"({"time": "1620s"})", 200.0), {R"({"iterations": 150})", 150.0}}) {
    const auto scenario = timing_only("\"ps_sync\"", 4, 1, "0ms", stop);
    run::Forecast forecast = run::forecast_of(scenario);
    const double result_bytes = forecast.result.steps / forecast.steps;
    expect_steps(forecast, scenario, expected(scenario));
    CHECK(forecast.bounds.step_s < 0.6 * step_s);
    CHECK(forecast.steps == doctest::Approx(steps).epsilon(1e-3));
    CHECK(forecast.result.steps == doctest::Approx(steps * result_bytes).epsilon(1e-3));
  }
}

TEST_CASE("the step of a quick worker is mostly waiting where another is ten times as slow") {
  auto scenario = timing_only("\"ring_allreduce\"", 2, 0, "1ms", R"({"iterations": 40})");
  scenario.compute.slowdown = {{"w1", 10}};
  const auto step = expected(scenario);
  // A step takes ten gradients of the quick worker, nine of them waiting, and one of the slow one, which never waits.
  const double seconds = 10 * c + 2 * 0.001 + n_over_b;
  REQUIRE(step.rest);
  CHECK(step.step.seconds == doctest::Approx(seconds).epsilon(1e-3));
  CHECK(step.rest->waiting == doctest::Approx(9 * c / 2 / seconds).epsilon(1e-2));
  CHECK(step.rest->bandwidth == doctest::Approx(n_over_b / seconds).epsilon(1e-2));
}

TEST_CASE("where workers compute all the time there is no rest to tell") {
  CHECK_FALSE(expected(timing_only("\"alone\"", 2, 0, "1ms", R"({"iterations": 40})")).rest);
}

TEST_CASE("seconds of a sample are those of a minibatch over its size, to the run and in its settings") {
  const auto with = [](const char* compute, int batch) {
    return scenario_from(fmt::format(
        R"({{"name": "law", "platform": {{"workers": 2, "bandwidth": "8Mbps", {}}}, "model": "softmax",
            "training": {{"batch_size": {}}}, "compute": {{{}, "overhead": "5ms"}}, "algorithm": "alone",
            "stop": {{"iterations": 5}}}})",
        textbook, batch, compute));
  };
  const auto of_sample = R"("seconds_per_sample": "10ms")";
  for (const int batch : {8, 24}) {
    CHECK(run::forecast_of(with(of_sample, batch)).compute_s.front() == doctest::Approx(0.01 * batch + 0.005));
  }
  const run::RunResult by_sample = run::run(with(of_sample, 8)),
                       by_batch = run::run(with(R"("seconds_per_batch": "80ms")", 8));
  CHECK(by_sample.settings == by_batch.settings);
  CHECK(ends_of(by_sample, 1) == ends_of(by_batch, 1));
}

}  // namespace ddl::expected_step_test
