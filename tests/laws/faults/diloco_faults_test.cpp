// DiLoCo where replicas come and go: one that is away is in no mean, and takes the outer model when it is back.
#include <doctest/doctest.h>

#include "tests/support/scenarios.hpp"

namespace ddl::diloco_faults_test {
namespace {

// Four workers with 100 ms a step, whose three layers are several buckets.
scenario::Scenario learns(const std::string& algorithm, const std::string& faults) {
  return scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{"topology": "star", "workers": 4, "bandwidth": "8Mbps", "latency": "100us", {}}},
          "model": {{"layers": [{{"type": "dense", "units": 16}}, {{"type": "relu"}}, {{"type": "dense", "units": 8}},
                                {{"type": "relu"}}, {{"type": "dense", "units": 10}}]}},
          "compute": {{"seconds_per_batch": "100ms", "jitter": 0}}, "algorithm": {{{}}},
          "data": {{"train": 400, "test": 50}}, "stop": {{"iterations": 40}}, "faults": [{}],
          "training": {{"batch_size": 10, "optimizer": {{"type": "adam", "learning_rate": 0.01, "warmup_steps": 5,
                                                         "schedule": {{"type": "cosine", "steps": 40}}}}}}}})",
      textbook, algorithm, faults));
}
scenario::Scenario diloco(const std::string& settings, const std::string& faults) {
  return learns(R"("name": "diloco")" + settings, faults);
}

std::string crash(const char* host, double at_s, double restart_s, const char* state) {
  return fmt::format(R"({{"type": "host_crash", "host": "{}", "at": "{}s", "restart": "{}s", "state": "{}"}})", host,
                     at_s, restart_s, state);
}

// By fragments, late, encoded, with an outer rate that follows the inner one, over sites, and by layers.
const std::vector<std::string> ways = {
    R"(, "sync_every": 4)",
    R"(, "sync_every": 4, "overlap": "none", "outer": {"type": "heavy_ball", "velocity": "gradients"})",
    R"(, "sync_every": 6, "fragments": 2, "fragment_sync_delay": 2, "fragment_update_alpha": 0.5)",
    R"(, "sync_every": 6, "fragments": 2, "fragment_sync_delay": 5, "collective": "tree")",
    R"(, "sync_every": 6, "fragments": 2, "phase": "torchft", "fragment_sync_delay": 1, "collective": "star")",
    R"(, "sync_every": 5, "codec": {"type": "top_k", "fraction": 0.1}, "collective": "hierarchical")",
    R"(, "sync_every": 4, "collective": "butterfly")",
    R"(, "sync_every": 5, "fragments": 2, "collective": "butterfly", "parts": "by_rate")",
};

std::string go_on(const std::string& settings) { return settings + R"(, "on_failure": "go_on")"; }

}  // namespace

TEST_CASE("with all hosts there DiLoCo is to the bit what it is where none may go") {
  for (const std::string& settings : ways) {
    CAPTURE(settings);
    const auto stays = run::run(diloco(settings, ""));
    const auto may_go = run::run(diloco(settings, R"({"type": "leave", "host": "w0", "at": "1000s"})"));
    CHECK(may_go.weights == stays.weights);
    CHECK(may_go.simulated_s == stays.simulated_s);
    CHECK(may_go.bytes_sent == stays.bytes_sent);
  }
}

TEST_CASE("outer models are equal to the bit after any crashes, restarts, leaves and joins") {
  for (const std::string& settings : ways) {
    for (const std::string& policy : {settings, go_on(settings)}) {
      CAPTURE(policy);
      const std::vector<std::string> lives = {
          crash("w1", 0.73, 1.62, "kept"), crash("w1", 0.73, 1.62, "lost"),
          crash("w0", 0.41, 0.45, "lost") + ", " + crash("w3", 0.43, 2.1, "kept"),
          R"({"type": "join", "host": "w2", "at": "1.1s"})",
          R"({"type": "leave", "host": "w2", "at": "1s"}, {"type": "join", "host": "w2", "at": "3s"})"};
      for (const std::string& faults : lives) {
        CAPTURE(faults);
        const auto result = run::run(diloco(policy, faults));
        CHECK(result.steps == std::vector<std::int64_t>(4, 40));
        for (const auto& outer : result.weights) CHECK(outer == result.weights[0]);
      }
    }
  }
}

TEST_CASE("outer models are equal to the bit after churn by which no host is there for long") {
  for (const std::string& settings : ways) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      CAPTURE(settings);
      CAPTURE(seed);
      auto scenario = diloco(go_on(settings), "");
      scenario.seed = seed;
      scenario.compute.jitter = 0.3;
      for (const double mean_s : {0.3, 0.01}) {
        CAPTURE(mean_s);
        scenario.faults = {scenario::HostChurn{
            {}, Seconds{mean_s}, Seconds{mean_s / 2}, scenario::HostState::lost, Seconds{0}, Seconds{4}}};
        const auto result = run::run(scenario);
        CHECK(result.steps == std::vector<std::int64_t>(4, 40));
        for (const auto& outer : result.weights) CHECK(outer == result.weights[0]);
      }
    }
  }
}

TEST_CASE("with an outer step of rate one the mean over those left is that of local SGD") {
  const std::string gone = R"({"type": "host_crash", "host": "w1", "at": "0.73s"})";
  const std::string mean = R"(, "sync_every": 4, "outer": {"type": "sgd", "learning_rate": 1})";
  const auto outer = run::run(diloco(go_on(mean), gone));
  const auto local_sgd = run::run(learns(R"("name": "local_sgd", "local_steps": 4, "on_failure": "go_on")", gone));
  CHECK(largest_difference(outer.weights[0], local_sgd.weights[0]) < 1e-6);
  CHECK(largest_difference(outer.weights[0], run::run(diloco(mean, "")).weights[0]) > 1e-4);
}

// Links carry 1 MB/s; 4 messages of the ring's chunks, and 3 of the agreement, which have no bytes.
TEST_CASE("a replica that comes back takes the outer model and its velocity over the network, and nothing else") {
  const auto bytes = [](const std::string& outer, const std::string& faults) {
    auto scenario = timing_only(
        fmt::format(R"({{"name": "diloco", "sync_every": 10, "on_failure": "go_on", "outer": {{"type": "{}"}}}})",
                    outer),
        2, 0, "0ms", R"({"iterations": 30})");
    scenario.faults =
        scenario_from(learning_text(R"("alone")", 2, 0, R"("stop": {"time": "1s"}, "faults": [)" + faults + "]"))
            .faults;
    return run::run(scenario).bytes_sent;
  };
  // Down from the third step to the sixth: it is back before the first outer step, to which it sends no half of a
  // model; nobody contributes after the third.
  const std::string down = crash("w1", 0.25, 0.55, "lost");
  CHECK(bytes("sgd", "") == 3 * 2e6);
  CHECK(bytes("sgd", down) == 3 * 2e6 - 5e5 + 1e6);
  CHECK(bytes("nesterov", down) == 3 * 2e6 - 5e5 + 2e6);
}

}  // namespace ddl::diloco_faults_test
