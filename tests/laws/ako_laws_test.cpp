// TF.AKO's ways of running Ako: blocking publication, receive threads, and its clock. c = 0.1 s of compute, N/B = 1 s.
#include <doctest/doctest.h>

#include "tests/support/scenarios.hpp"

namespace ddl::ako_laws_test {

namespace {

constexpr double c = 0.1, n_over_b = 1.0;

std::string ako(const std::string& rest) { return R"({"name": "ako", )" + rest + "}"; }

std::string steps(int count) { return fmt::format(R"({{"iterations": {}}})", count); }

// When a worker had the gradient of a step.
double gradient_at(const run::IterationRow& row) { return row.start_s + row.compute_s; }

}  // namespace

TEST_CASE("blocking publication goes from peer to peer, even over separate links") {
  auto scenario = timing_only(ako(R"("partitions": 4, "tf_ako": {"publish": "blocking"})"), 4, 0, "0ms", steps(6));
  std::get<scenario::GeneratedPlatform>(scenario.platform.hosts).topology = scenario::Topology::mesh;
  CHECK(run::run(scenario).simulated_s == doctest::Approx(6 * (c + 3 * n_over_b / 4)).epsilon(1e-6));
}

TEST_CASE("R receive threads take R messages at a time where the host has the cores") {
  const auto with = [](int threads) {
    return run::run(scenario_from(fmt::format(
                        R"({{"name": "law", "platform": {{"file": "{}/tests/laws/data/eight_cores.xml", {}}},
                       "model": "none", "wire": {{"model_bytes": "1kB"}},
                       "compute": {{"seconds_per_batch": "100ms", "jitter": 0}}, "stop": {{"iterations": 8}},
                       "algorithm": {{"name": "ako", "partitions": 4,
                                      "tf_ako": {{"receive_time": "400ms", "receive_threads": {}}}}}}})",
                        DDLSIM_SOURCE_DIR, textbook, threads)))
        .simulated_s;
  };
  // Messages of parts 0, 1, 2, 3, 0, ... come at 0.1, 0.2, ... 0.8 s and take 0.4 s each; thread = part mod R.
  CHECK(with(1) == doctest::Approx(0.1 + 8 * 0.4).epsilon(1e-4));
  CHECK(with(2) == doctest::Approx(0.2 + 4 * 0.4).epsilon(1e-4));  // the second thread ends last
  CHECK(with(4) == doctest::Approx(0.8 + 0.4).epsilon(1e-4));
}

TEST_CASE("on one core receiving takes from computing") {
  // Per step one gradient and three messages: 0.1 + 3 x 0.02 s of one processor's work.
  const auto scenario =
      timing_only(ako(R"("partitions": 100, "tf_ako": {"receive_time": "20ms"})"), 4, 0, "0ms", steps(50));
  CHECK(run::run(scenario).simulated_s == doctest::Approx(50 * (c + 3 * 0.02)).epsilon(0.03));
}

TEST_CASE("with TF.AKO's clock no step t is applied before every gradient of step t - s was sent") {
  for (const int bound : {0, 1, 3}) {
    auto scenario = timing_only(
        ako(fmt::format(
            R"("partitions": 3, "staleness_bound": {}, "tf_ako": {{"clock": "ping_pong", "receive_threads": 2}})",
            bound)),
        4, 0, "10ms", steps(20));
    scenario.wire.model_bytes = Bytes{1e5};
    scenario.compute.jitter = 0.5;
    scenario.compute.slowdown = {{"w2", 4}};
    const auto rows = run::run(scenario).iterations;
    REQUIRE(rows.size() == 80);
    bool reaches_bound = false;
    for (const run::IterationRow& row : rows) {
      for (const run::IterationRow& other : rows) {
        if (other.iteration == row.iteration - bound) REQUIRE(row.end_s >= gradient_at(other) + 0.01);
        const bool ahead = other.iteration == row.iteration - bound + 1;
        reaches_bound = reaches_bound || (ahead && row.end_s < gradient_at(other));
      }
    }
    CHECK(reaches_bound);  // and waits for no more
  }
}

TEST_CASE("the clock's messages may take room that a step has seen and it waits again") {
  const std::string text = R"({
    "platform": {"topology": "ring", "workers": 4, "bandwidth": ["14Mbps", "7Mbps"], "latency": "5ms",
                 "network": {"model": "CM02"}},
    "algorithm": {"name": "ako", "partitions": 2, "queue_depth": 2, "overflow": "block", "staleness_bound": 3,
                  "tf_ako": {"clock": "ping_pong"}},
    "model": "none", "wire": {"model_bytes": "4kB"}, "seed": 4,
    "compute": {"seconds_per_batch": "1ms", "jitter": 0.1, "slowdown": {"w2": 8}}, "stop": {"iterations": 12}})";
  CHECK(run::run(scenario::parse_scenario(systems::built_in(), text, "clock.json")).steps ==
        std::vector<std::int64_t>(4, 12));
}

TEST_CASE("Ako that accumulates keeps any staleness bound to the end, whoever crashes and comes back") {
  for (const char* clock : {"peers", "ping_pong"}) {
    for (const char* codec : {"none", "sign"}) {
      for (const int partitions : {1, 5}) {
        for (const int bound : {0, 1, 6}) {
          CAPTURE(clock);
          CAPTURE(codec);
          CAPTURE(partitions);
          CAPTURE(bound);
          auto scenario = timing_only(
              ako(fmt::format(R"("partitions": {}, "staleness_bound": {}, "codec": "{}", "tf_ako": {{"clock": "{}"}})",
                              partitions, bound, codec, clock)),
              3, 0, "10ms", steps(40));
          scenario.wire.model_bytes = Bytes{2e5};
          scenario.compute.jitter = 0.3;
          scenario.compute.slowdown = {{"w1", 3}};
          CHECK(run::run(scenario).steps == std::vector<std::int64_t>(3, 40));
          for (const char* host : {"w0", "w2"}) {
            scenario.faults = {scenario::HostCrash{host, Seconds{2.01}, Seconds{7.05}, scenario::HostState::kept}};
            CHECK(run::run(scenario).steps == std::vector<std::int64_t>(3, 40));
          }
        }
      }
    }
  }
}

TEST_CASE("adaptive P follows a link whose bandwidth is halved for a while, and comes back") {
  // A model takes 1 s, and 2 s between 60 s and 120 s; 0.9 x 0.1 s are to be filled: P = 12 and 23.
  const auto bytes_until = [](int seconds) {
    return run::run(scenario_from(fmt::format(
                        R"({{"name": "law", "platform": {{"topology": "star", "workers": 2, "bandwidth": "8Mbps",
                       "latency": "1ms", "profiles": [{{"quantity": "bandwidth", "link": "w0", "points": [
                         {{"at": "60s", "value": "4Mbps"}}, {{"at": "120s", "value": "8Mbps"}}]}}], {}}},
                       "model": "none", "wire": {{"model_bytes": "1MB"}}, "stop": {{"time": "{}s"}},
                       "compute": {{"seconds_per_batch": "100ms", "jitter": 0}},
                       "algorithm": {{"name": "ako", "partitions": "adaptive"}}}})",
                        textbook, seconds)))
        .bytes_sent;
  };
  const auto partitions_between = [&](int from, int to) {
    return 2 * 10 * (to - from) * 1e6 / (bytes_until(to) - bytes_until(from));
  };
  CHECK(partitions_between(40, 60) == doctest::Approx(12).epsilon(0.01));
  CHECK(partitions_between(100, 120) == doctest::Approx(23).epsilon(0.01));
  CHECK(partitions_between(160, 180) == doctest::Approx(12).epsilon(0.01));
}

TEST_CASE("adaptive P follows a host that computes more slowly: fewer parts fill a longer step") {
  auto scenario = timing_only(ako(R"("partitions": "adaptive")"), 2, 0, "1ms", steps(300));
  scenario.compute.slowdown = {{"w0", 4}, {"w1", 4}};
  const auto result = run::run(scenario);
  // "auto" knows the slowdown: 1 s in 0.9 x 0.4 s, P = 3. A gradient of 0.1 s would ask for 12.
  for (const run::PairRow& pair : result.pairs) {
    CHECK(pair.bytes == doctest::Approx(100 * 1e6).epsilon(0.02));
  }
}

TEST_CASE("Ako that accumulates computes as if alone on any network, and sends what the network takes") {
  for (const char* partitions : {"1", "3", R"("auto")", R"("adaptive")"}) {
    CAPTURE(partitions);
    const auto result =
        run::run(timing_only(ako(std::string(R"("partitions": )") + partitions), 4, 0, "20ms", steps(100)));
    for (const run::IterationRow& row : result.iterations) {
      CHECK(row.end_s - row.start_s == doctest::Approx(c).epsilon(1e-9));
    }
    CHECK(result.bounds.step_s == doctest::Approx(c));
    CHECK(result.bytes_sent > 4 * 5e6);  // a worker's link carries 10 MB in these 10 s
  }
}

}  // namespace ddl::ako_laws_test
