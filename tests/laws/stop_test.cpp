// Ends of runs: by every condition, for every system, and with any worker as the last.
#include <doctest/doctest.h>

#include "tests/support/keeps.hpp"
#include "tests/support/scenarios.hpp"
#include "tests/support/systems.hpp"

namespace ddl::stop_test {

namespace {

// Settings in which runs might end in another way than by default.
const std::vector<std::string> variants = {
    R"({"name": "ako", "partitions": 2, "overflow": "block"})",
    R"({"name": "ako", "partitions": 2, "overflow": "merge", "apply": "on_arrival"})",
    R"({"name": "ako", "partitions": "adaptive"})",
    R"({"name": "ako", "partitions": 3, "staleness_bound": 0, "overflow": "block"})",
    R"({"name": "ako", "partitions": 1, "staleness_bound": 2, "overflow": "block"})",
    R"({"name": "ako", "partitions": 5, "staleness_bound": 3, "overflow": "merge"})",
    R"({"name": "ako", "partitions": 2, "tf_ako": {"publish": "blocking"}})",
    R"({"name": "ako", "partitions": 3, "staleness_bound": 0, "tf_ako": {"clock": "ping_pong", "receive_threads": 2,
                                                                         "receive_time": "5ms",
                                                                         "publish": "blocking"}})",
    R"({"name": "ako", "partitions": 2, "staleness_bound": 2, "tf_ako": {"clock": "ping_pong"}, "overflow": "merge"})",
    R"({"name": "ps_async", "codec": "sign"})",
    R"({"name": "gossip", "threshold": "abs_mean", "error_feedback": true})",
    R"({"name": "gossip", "mode": "push"})",
    R"({"name": "gossip", "mode": "pair", "order": "overlap"})",
    R"({"name": "gossip", "timeout": "150ms"})",
    R"({"name": "d_psgd", "topology": "one_peer_exponential", "overlap": true})",
    R"({"name": "d_psgd", "topology": "complete", "combine": "after"})",
    R"({"name": "ad_psgd", "gossip_rate": "continuous", "peer": "cyclic"})",
    R"({"name": "ad_psgd", "gossip_rate": 3, "update_order": "update_then_average"})",
    R"({"name": "sgp", "topology": "directed_ring", "overlap": true})",
    R"({"name": "tree_allreduce", "codec": "sign"})",
    R"({"name": "partial_allreduce", "partitions": 3, "collective": "tree"})",
    R"({"name": "ring_allreduce", "slice_bytes": "1kB"})",
    R"({"name": "ring_allreduce", "slice_bytes": "1kB", "codec": "sign"})",
    R"({"name": "butterfly_allreduce", "parts": "by_rate"})",
    R"({"name": "local_sgd", "local_steps": 2, "collective": "butterfly"})",
    R"({"name": "local_sgd", "local_steps": 2})",
    R"({"name": "diloco", "sync_every": 3, "replica": "site"})",
    R"({"name": "local_sgd", "local_steps": 4, "collective": "star"})",
    R"({"name": "fedavg", "local_steps": 2})",
    R"({"name": "fedavg", "local_steps": 3, "sampled": 2})",
    R"({"name": "ps_ssp", "staleness_bound": 0})",
    R"({"name": "ps_ssp", "staleness_bound": 2, "staleness_aware": true})",
    R"({"name": "ps_sync", "backup_workers": 1})",
    R"({"name": "ps_sync", "backup_workers": 3})"};

// Every system with its defaults, and these variants.
std::vector<std::string> all() {
  std::vector<std::string> systems = variants;
  for (const std::string& name : names_of_systems(4, 2)) systems.push_back(quoted(name));
  return systems;
}

void check_all_keep(const char* law) {
  for (const std::string& system : all()) {
    CAPTURE(system);
    const std::string text = learning_text(system, 4, 2, R"("data": {"train": 400, "test": 50},
                                           "training": {"batch_size": 10}, "stop": {"iterations": 1})");
    check_keeps(law, laws::Subject(systems::built_in(), text, "law.json"));
  }
}

}  // namespace

TEST_CASE("a run may end before its first evaluation on time, which is then its last") {
  const scenario::Scenario scenario = learning(
      R"("ring_allreduce")", 2, 0, R"("stop": {"iterations": 3, "time": "10s"}, "evaluate": {"every": "11s"})");
  const run::RunResult result = run::run(scenario);
  CHECK(result.stopped_by == "iterations");
  CHECK(result.steps == std::vector<std::int64_t>{3, 3});
  REQUIRE(result.curve.size() == 2 * 4);  // at the start and the end: two workers, their mean, their averaged model
  CHECK(result.curve.front().time_s == 0);
  CHECK(result.curve.back().time_s == result.simulated_s);
}

TEST_CASE("iterations: every worker takes exactly so many steps, whichever is slow") { check_all_keep("steps"); }
TEST_CASE("samples and epochs count over all workers together, whichever is slow") { check_all_keep("samples"); }
TEST_CASE("time: the run ends at that instant") { check_all_keep("time"); }

TEST_CASE("samples: a step that no other waits for does not hold up the end") {
  // Three workers take steps of 0.1 s (learning() says so) while the fourth would need 700 s for its first.
  const auto end_s = [](double slowdown) {
    auto scenario = learning(R"("ad_psgd")", 4, 0, R"("data": {"train": 400, "test": 50},
                             "training": {"batch_size": 10}, "stop": {"samples": 600})");
    scenario.compute.slowdown = {{"w2", slowdown}};
    return run::run(scenario).simulated_s;
  };
  CHECK(end_s(7000) == doctest::Approx(end_s(1000)));
  CHECK(end_s(7000) < 1.1 * end_s(1) * 4 / 3);
}

TEST_CASE("accuracy: the run ends at the first evaluation that reaches it") {
  const auto result =
      run::run(learning(R"("single")", 1, 0,
                        R"("data": {"train": 2000, "test": 300}, "stop": {"accuracy": 0.25, "time": "500s"},
                                      "evaluate": {"every": "500ms"})"));
  REQUIRE(result.stopped_by == "accuracy");
  for (const run::CurveRow& row : result.curve) {
    if (row.worker != "mean") continue;
    CHECK((row.test_accuracy >= 0.25) == (row.time_s == result.simulated_s));
  }
}

TEST_CASE("the time of the end, and of the last point of the curve, is the time asked for, to the digit") {
  for (const int seed : {1, 2, 3, 4}) {
    auto scenario =
        learning(R"({"name": "ako", "partitions": 1})", 3, 0,
                 R"("data": {"train": 300, "test": 50}, "stop": {"time": "7.3s"}, "evaluate": {"every": "0.1s"})");
    scenario.compute.jitter = 0.3;
    scenario.seed = static_cast<std::uint64_t>(seed);
    const auto result = run::run(scenario);
    CHECK(result.simulated_s == 7.3);
    CHECK(result.curve.size() == 74 * 5);
    CHECK(result.curve.back().time_s == 7.3);
  }
}

TEST_CASE("a worker that computes through the end of the run was not idle") {
  auto scenario = learning(R"({"name": "ako", "partitions": 1})", 2, 0,
                           R"("data": {"train": 300, "test": 50}, "stop": {"time": "2s"})");
  scenario.compute.slowdown = {{"w1", 100}};  // 10 s a gradient
  const auto result = run::run(scenario);
  CHECK(result.steps[1] == 0);
  CHECK(result.compute_s[1] == doctest::Approx(2));
}

TEST_CASE("the first of several conditions ends the run") {
  const auto ended_by = [](const char* stop) {
    return run::run(learning(R"("ps_async")", 4, 2,
                             fmt::format(R"("data": {{"train": 400, "test": 50}},
                             "training": {{"batch_size": 10}}, "stop": {})",
                                         stop)))
        .stopped_by;
  };
  CHECK(ended_by(R"({"iterations": 3, "time": "1000s", "samples": 100000})") == "iterations");
  CHECK(ended_by(R"({"iterations": 3000, "time": "2s"})") == "time");
}

}  // namespace ddl::stop_test
