// Simulated times and bytes of decentralized systems against the textbook: c = 0.1 s of compute, N/B = 1 s per model.
#include <doctest/doctest.h>

#include "tests/support/scenarios.hpp"

namespace ddl::decentralized_times_test {

namespace {
constexpr double c = 0.1, n_over_b = 1.0, alpha = 0.05;

std::int64_t total(const std::vector<std::int64_t>& steps) {
  std::int64_t sum = 0;
  for (const auto count : steps) sum += count;
  return sum;
}
}  // namespace

TEST_CASE("a delay passes a D-PSGD ring one neighbour a round, and a slow worker's speed is that of all") {
  auto scenario = timing_only(R"("d_psgd")", 9, 0, "0ms", R"({"iterations": 6})");
  scenario.wire.model_bytes = Bytes{1};  // a network that takes no time
  scenario.compute.slowdown = {{"w4", 10}};
  const auto result = run::run(scenario);
  CHECK(result.simulated_s == doctest::Approx(6 * 10 * c).epsilon(1e-3));
  // Worker 0 is four hops away: its first four rounds know nothing of the slow one.
  for (const run::IterationRow& row : result.iterations) {
    const int hops = std::abs(row.worker - 4);
    const double slow_rounds = std::max(0.0, static_cast<double>(row.iteration) + 1 - std::max(hops - 1, 0));
    if (hops == 0) CHECK(row.end_s == doctest::Approx((static_cast<double>(row.iteration) + 1) * 10 * c).epsilon(1e-3));
    if (hops > 0 && row.iteration < hops - 1) CHECK(row.end_s < 10 * c);
    if (hops > 0 && row.iteration >= hops - 1) CHECK(row.end_s >= 0.999 * slow_rounds * 10 * c);
  }
}

TEST_CASE("a slow worker holds up D-PSGD and SGP, not AD-PSGD") {
  const auto steps_in_a_minute = [](const char* algorithm, double slowdown) {
    auto scenario = timing_only(algorithm, 8, 0, "0ms", R"({"time": "60s"})");
    scenario.wire.model_bytes = Bytes{5e3};
    scenario.compute.slowdown = {{"w3", slowdown}};
    return run::run(scenario).steps;
  };
  for (const char* algorithm : {R"("d_psgd")", R"("sgp")"}) {
    CHECK(total(steps_in_a_minute(algorithm, 10)) < 0.2 * static_cast<double>(total(steps_in_a_minute(algorithm, 1))));
  }
  const auto equal = steps_in_a_minute(R"("ad_psgd")", 1), slowed = steps_in_a_minute(R"("ad_psgd")", 10);
  for (std::size_t worker = 0; worker < 8; ++worker) {
    const double expected = worker == 3 ? 60 / (10 * c) : static_cast<double>(equal[worker]);
    CHECK(static_cast<double>(slowed[worker]) == doctest::Approx(expected).epsilon(0.02));
  }
}

TEST_CASE("AD-PSGD's gossip rate: an exchange per gradient, every third, or as many as the network carries") {
  const auto exchanges = [](const char* rate) {
    auto scenario = timing_only(fmt::format(R"({{"name": "ad_psgd", "gossip_rate": {}}})", rate), 2, 0, "0ms",
                                R"({"iterations": 12})");
    scenario.wire.model_bytes = Bytes{10e3};  // 10 ms each way
    return run::run(scenario).messages_sent / 2;
  };
  CHECK(exchanges(R"("per_gradient")") == 12);
  CHECK(exchanges("1") == 12);
  CHECK(exchanges("3") == 4);
  CHECK(exchanges(R"("continuous")") == 60);  // 12 x 100 ms, 20 ms each
}

TEST_CASE("where no step waits for messages, traffic counts what a step of every worker sends over a quick network") {
  constexpr int workers = 4, steps = 20;
  for (const std::string algorithm :
       {R"({"name": "ako", "partitions": 2, "overflow": "merge"})", R"({"name": "gossip", "timeout": "50ms"})",
        R"({"name": "gossip", "mode": "push", "timeout": "50ms"})"}) {
    CAPTURE(algorithm);
    auto scenario = timing_only(algorithm, workers, 0, "0ms", R"({"iterations": 20})");
    scenario.wire.model_bytes = Bytes{1e3};  // 1 ms
    const Traffic traffic = scenario.algorithm->traffic({.workers = workers, .parameters = 250, .model_bytes = 1000});
    for (const auto& phase : traffic.phases) CHECK(phase.empty());
    const auto sent = static_cast<double>(run::run(scenario).messages_sent);
    CHECK(sent >= steps * traffic.unlisted_messages);
    CHECK(sent <= (steps + 1) * traffic.unlisted_messages);  // with words of leaving
  }
}

TEST_CASE("a butterfly's messages count alike whether their number lets them be listed or not") {
  const auto messages = [](const std::string& algorithm, int workers) {
    const auto scenario = timing_only(algorithm, 2, 0, "0ms", R"({"iterations": 1})");
    const Traffic traffic = scenario.algorithm->traffic({.workers = workers, .parameters = 250, .model_bytes = 1000});
    double count = traffic.unlisted_messages;
    for (const auto& phase : traffic.phases) {
      for (const Flow& flow : phase) count += flow.messages;
    }
    return count;
  };
  for (const std::string algorithm : {R"("butterfly_allreduce")", R"({"name": "butterfly_allreduce", "codec": "e3m0"})",
                                      R"({"name": "local_sgd", "local_steps": 4, "collective": "butterfly"})",
                                      R"({"name": "diloco", "sync_every": 4, "collective": "butterfly"})",
                                      R"({"name": "partial_allreduce", "collective": "butterfly", "partitions": 2})"}) {
    CAPTURE(algorithm);
    CHECK(messages(algorithm, 301) == doctest::Approx(messages(algorithm, 300) * 301 / 299));
    auto scenario = timing_only(algorithm, 300, 0, "0ms", R"({"time": "600s"})");
    const double listed = run::forecast_of(scenario).cost.core_s();
    scenario.platform.hosts = timing_only(algorithm, 301, 0, "0ms", R"({"time": "600s"})").platform.hosts;
    CHECK(run::forecast_of(scenario).cost.core_s() == doctest::Approx(listed).epsilon(0.2));
  }
}

TEST_CASE("AD-PSGD records how often a model changed while a gradient was computed") {
  // Two workers, gradients of 100 ms, exchanges of 20 ms. A gradient that begins with an exchange sees its averaging
  // and the update that waited for it, and the next averaging before it is applied, as it waits for that; the passive
  // worker, whose updates are immediate, sees the averaging.
  auto scenario = timing_only(R"("ad_psgd")", 2, 0, "0ms", R"({"iterations": 6})");
  scenario.wire.model_bytes = Bytes{10e3};
  for (const run::IterationRow& row : run::run(scenario).iterations) {
    const double waits = row.worker == 1 ? 1 : 0;
    CHECK(row.staleness == waits + (row.iteration == 0 ? 0.0 : row.worker == 1 ? 2.0 : 1.0));
  }
}

TEST_CASE("SGP sends one model a round on the one-peer graph, in c + N/B + alpha, or with overlap the longer") {
  const auto plain = run::run(timing_only(R"("sgp")", 8, 0, "50ms", R"({"iterations": 6})"));
  CHECK(plain.bytes_sent == doctest::Approx(6.0 * 8 * 1e6));
  CHECK(plain.simulated_s == doctest::Approx(6 * (c + n_over_b + alpha) + alpha).epsilon(1e-3));
  // The first send is after c, and each wait is for messages sent a round before.
  const auto overlap = run::run(timing_only(R"({"name": "sgp", "overlap": true, "topology": "directed_ring"})", 8, 0,
                                            "50ms", R"({"iterations": 20})"));
  CHECK(overlap.simulated_s < 20 * (c + n_over_b + alpha));
  CHECK(overlap.simulated_s >= 20 * n_over_b);
}

}  // namespace ddl::decentralized_times_test
