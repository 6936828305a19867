// Simulated times and bytes against the textbook: c = 0.1 s of compute, N/B = 1 s per model and link, alpha = latency.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/scenarios.hpp"
#include "tests/support/systems.hpp"

namespace ddl::closed_forms_test {

namespace {
constexpr double c = 0.1, n_over_b = 1.0;
}

TEST_CASE("synchronous parameter server: rounds x (c + 2nN/B)") {
  const int rounds = 5;
  for (const int n : {1, 4, 8}) {
    const auto result = run::run(timing_only(R"("ps_sync")", n, 1, "0ms", R"({"iterations": 5})"));
    CHECK(result.simulated_s == doctest::Approx(rounds * (c + 2 * n * n_over_b)).epsilon(0.01));
    CHECK(result.bytes_sent == doctest::Approx(2.0 * rounds * n * 1e6));
    CHECK(result.bytes_delivered == result.bytes_sent);
    CHECK(result.bounds.step_s == doctest::Approx(c + 2 * n * n_over_b));
  }
}

TEST_CASE("S servers divide a synchronous round's network time by S") {
  const auto result = run::run(timing_only(R"("ps_sync")", 4, 2, "0ms", R"({"iterations": 5})"));
  CHECK(result.simulated_s == doctest::Approx(5 * (c + 2 * 4 * n_over_b / 2)).epsilon(0.01));
}

TEST_CASE("one asynchronous worker's cycle: request, answer, gradient, push: c + 2N/B + 3 alpha") {
  const double alpha = 0.05;
  const auto result = run::run(timing_only(R"("ps_async")", 1, 1, "50ms", R"({"iterations": 6})"));
  CHECK(result.simulated_s == doctest::Approx(6 * (c + 2 * n_over_b + 3 * alpha)).epsilon(0.01));
}

TEST_CASE("a saturated asynchronous server serves B/N updates a second") {
  // Jitter breaks the lock-step of equal workers: uploads and downloads then overlap on the full-duplex link.
  auto scenario = timing_only(R"("ps_async")", 8, 1, "0ms", R"({"time": "400s"})");
  scenario.compute.jitter = 0.3;
  const auto result = run::run(scenario);
  const double updates = static_cast<double>(result.iterations.size());
  CHECK(updates <= 400 / n_over_b + 8);
  CHECK(updates >= 0.5 * 400 / n_over_b);  // never below both directions taking turns
}

TEST_CASE("a message takes latency + size / bandwidth") {
  // Two workers, one partition, one step: each computes and sends its model once, and the network drains.
  const auto result =
      run::run(timing_only(R"({"name": "ako", "partitions": 1})", 2, 0, "250ms", R"({"iterations": 1})"));
  CHECK(result.simulated_s == doctest::Approx(c + 0.25 + n_over_b).epsilon(1e-6));
}

TEST_CASE("Ako moves exactly m models over every pair in mP steps, for any P and both schedules") {
  for (const char* schedule : {"rotate", "broadcast"}) {
    for (const int P : {1, 3, 4}) {
      const int m = 3;
      const auto result = run::run(timing_only(
          fmt::format(R"({{"name": "ako", "partitions": {}, "schedule": "{}", "overflow": "block"}})", P, schedule), 4,
          0, "1ms", fmt::format(R"({{"iterations": {}}})", m * P)));
      REQUIRE(result.pairs.size() == 12);
      for (const run::PairRow& pair : result.pairs) {
        CHECK(pair.bytes == m * 1e6);
        CHECK(pair.messages == m * P);
      }
    }
  }
}

TEST_CASE("the step of Ako that waits for full queues is the longer of compute and (n-1)N/(PB), for they overlap") {
  const int steps = 40;
  for (const int P : {1, 6, 60}) {
    const auto result =
        run::run(timing_only(fmt::format(R"({{"name": "ako", "partitions": {}, "overflow": "block"}})", P), 4, 0, "0ms",
                             fmt::format(R"({{"iterations": {}}})", steps)));
    const double step_s = std::max(c, 3 * n_over_b / P);
    CHECK(result.simulated_s == doctest::Approx(steps * step_s).epsilon(0.06));  // filling and draining the pipe
    CHECK(result.bounds.step_s == doctest::Approx(step_s));
  }
}

TEST_CASE("auto is the least P at which Ako's network keeps up with its compute") {
  // 3 s for an exchange of whole models among four, 0.9 x 0.1 s to hide it in: 34 partitions.
  const auto result =
      run::run(timing_only(R"({"name": "ako", "partitions": "auto"})", 4, 0, "0ms", R"({"iterations": 68})"));
  for (const run::PairRow& pair : result.pairs) CHECK(pair.bytes == 2e6);  // 68 steps of a 34th
  CHECK(result.simulated_s == doctest::Approx(68 * c).epsilon(0.03));
}

TEST_CASE("a gossip pull from a ring neighbour costs c + N/B + 2 alpha, whatever the number of workers") {
  for (const int n : {2, 3, 8}) {
    const auto result =
        run::run(timing_only(R"({"name": "gossip", "peer": "ring"})", n, 0, "50ms", R"({"iterations": 4})"));
    CHECK(result.simulated_s == doctest::Approx(4 * (c + n_over_b + 2 * 0.05)).epsilon(0.01));
    CHECK(result.bytes_sent == doctest::Approx(4.0 * n * 1e6));
  }
}

TEST_CASE("no simulated run beats its analytic bound") {
  std::vector<std::string> algorithms = {R"({"name": "ako", "partitions": 2, "overflow": "block"})",
                                         R"({"name": "ako", "partitions": 2, "overflow": "merge"})",
                                         R"({"name": "gossip", "mode": "pair", "peer": "ring"})",
                                         R"({"name": "gossip", "order": "overlap", "peer": "ring"})",
                                         R"({"name": "partial_allreduce", "partitions": 3})",
                                         R"({"name": "local_sgd", "local_steps": 3})",
                                         R"({"name": "fedavg", "local_steps": 3})"};
  for (const std::string& name : names_of_systems(5, 1)) algorithms.push_back(quoted(name));
  for (const std::string& algorithm : algorithms) {
    CAPTURE(algorithm);
    const auto result = run::run(timing_only(algorithm, 5, 1, "10ms", R"({"iterations": 20})"));
    CHECK(result.bounds.step_s > 0);
    CHECK(result.simulated_s >= 0.999 * 20 * result.bounds.step_s);
  }
}

TEST_CASE("bytes sent are bytes delivered plus what is on the wire, and links carry what pairs sent") {
  const auto result = run::run(
      timing_only(R"({"name": "ako", "partitions": 1, "overflow": "block"})", 4, 0, "1ms", R"({"time": "7.3s"})"));
  CHECK(result.simulated_s == 7.3);
  CHECK(result.stopped_by == "time");
  CHECK(result.bytes_delivered < result.bytes_sent);
  double up = 0, sent = 0;
  for (const run::TrafficRow& link : result.traffic) {
    CHECK(link.utilisation <= 1.0 + 1e-9);
    if (link.direction == "up") up += link.bytes;
  }
  for (const run::PairRow& pair : result.pairs) sent += pair.bytes;
  CHECK(sent == result.bytes_sent);
  CHECK(up <= result.bytes_sent);
  CHECK(up >= result.bytes_delivered);
}

TEST_CASE("a server's work for each update is simulated") {
  const auto without = run::run(timing_only(R"("ps_async")", 1, 1, "0ms", R"({"iterations": 5})"));
  const auto with =
      run::run(timing_only(R"({"name": "ps_async", "update_time": "200ms"})", 1, 1, "0ms", R"({"iterations": 5})"));
  CHECK(with.simulated_s == doctest::Approx(without.simulated_s + 5 * 0.2).epsilon(1e-6));
}

TEST_CASE("a slowed worker holds up a synchronous server, not an asynchronous one") {
  auto sync = timing_only(R"("ps_sync")", 2, 1, "0ms", R"({"iterations": 4})");
  sync.compute.slowdown = {{"w1", 50}};
  // Two pulls share the server's link, then 5 s of w1's gradient, during which w0 pushes, then w1's push alone.
  CHECK(run::run(sync).simulated_s == doctest::Approx(4 * (2 * n_over_b + 5.0 + n_over_b)).epsilon(0.01));
  auto async = timing_only(R"("ps_async")", 2, 1, "0ms", R"({"time": "60s"})");
  async.compute.slowdown = {{"w1", 50}};
  const auto result = run::run(async);
  CHECK(result.steps[0] >= 2 * result.steps[1]);
}

}  // namespace ddl::closed_forms_test
