// Sites that are replicas of DiLoCo, or parts of hierarchical sums, and crash at any time.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/over_sites.hpp"

namespace ddl::site_crashes_test {
namespace {

// Sites of 3, 2 and 3 workers, 1 s a step. A sum over sites takes longer than a step, so that some workers end it while
// others wait; with `quick` messages no time passes but that of steps.
scenario::Scenario sites(const std::string& algorithm, const std::string& faults, const std::string& rest,
                         bool is_quick = false, const std::string& platform = "") {
  return scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{{}, {} {}}}, "wire": {{"model_bytes": "1MB"}},
           "compute": {{"seconds_per_batch": "1s", "jitter": 0}}, "algorithm": {}, "faults": [{}], {}}})",
      three_sites({3, 2, 3}, is_quick ? "8Gbps" : "8Mbps"), platform, textbook, algorithm, faults, rest));
}

const std::string learns = R"("model": "softmax", "data": {"train": 160, "test": 20}, "training": {"batch_size": 4,
    "optimizer": {"type": "momentum", "learning_rate": 0.05, "warmup_steps": 6,
                  "schedule": {"type": "cosine", "steps": 20}}})";

const std::string of_two_layers =
    R"("model": {"layers": [{"type": "dense", "units": 4}, {"type": "dense", "units": 10}]},
    "data": {"train": 160, "test": 20}, "training": {"batch_size": 4})";

std::string diloco(const std::string& settings) {
  return R"({"name": "diloco", "outer": {"type": "sgd", "learning_rate": 1}, )" + settings + "}";
}

std::string crash(const std::string& place, double at_s, const std::string& state) {
  return fmt::format(R"({{"type": "host_crash", {}, "at": "{:.3f}s"{}}})", place, at_s,
                     state.empty() ? "" : fmt::format(R"(, "restart": "{:.3f}s", "state": "{}")", at_s + 0.7, state));
}

// Crashes in small steps over the run: survivors go on to the end, and all that are there then have one outer model.
void check_all_times(const std::string& algorithm, const std::vector<std::pair<std::string, std::vector<int>>>& fates,
                     const std::string& state) {
  const std::string rest = learns + R"(, "stop": {"iterations": 6})";
  const double whole_s = run::run(sites(algorithm, "", rest)).simulated_s;
  for (const auto& [place, workers] : fates) {
    for (double at_s = 0.05; at_s < whole_s; at_s += 0.4) {
      CAPTURE(algorithm);
      CAPTURE(place);
      CAPTURE(at_s);
      CAPTURE(state);
      const auto result = run::run(sites(algorithm, crash(place, at_s, state), rest));  // throws if it hangs
      const int first = std::ranges::count(workers, 0) > 0 && state.empty() ? workers.back() + 1 : 0;
      for (int worker = 0; worker < 8; ++worker) {
        if (state.empty() && std::ranges::count(workers, worker) > 0) continue;
        CHECK(result.steps[worker] == 6);
        CHECK(result.weights[worker] == result.weights[first]);
      }
    }
  }
}

const std::vector<std::pair<std::string, std::vector<int>>> sites_in_turn = {
    {R"("site": "a")", {0, 1, 2}}, {R"("site": "b")", {3, 4}}, {R"("site": "c")", {5, 6, 7}}};

std::vector<float> outer(const run::RunResult& result) { return result.weights[0]; }

}  // namespace

TEST_CASE("replicas that are sites: a crash of any site at any time holds up none that go on without it") {
  const std::string settings = R"("sync_every": 2, "replica": "site", "on_failure": "go_on")";
  for (const std::string state : {"", "lost", "kept"}) check_all_times(diloco(settings), sites_in_turn, state);
}

TEST_CASE("replicas that are sites: sites that wait for another go on once it is back, whenever it crashed") {
  const std::string settings = R"("sync_every": 2, "replica": "site", "on_failure": "wait")";
  for (const std::string state : {"lost", "kept"}) check_all_times(diloco(settings), sites_in_turn, state);
}

TEST_CASE("hierarchical sums: a crash of any worker at any time holds up nobody") {
  std::vector<std::pair<std::string, std::vector<int>>> each;
  for (int worker = 0; worker < 8; ++worker) each.push_back({fmt::format(R"("host": "w{}")", worker), {worker}});
  const std::string settings = R"("sync_every": 2, "collective": "hierarchical", "overlap": "none", "on_failure": )";
  check_all_times(diloco(settings + R"("go_on")"), each, "");
  check_all_times(diloco(settings + R"("wait")"), each, "lost");
}

TEST_CASE("replicas that are sites: sites that churn end their steps with one outer model") {
  for (const std::string policy : {"go_on", "wait"}) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      CAPTURE(policy);
      CAPTURE(seed);
      auto scenario = sites(diloco(R"("sync_every": 2, "replica": "site", "on_failure": ")" + policy + '"'),
                            R"({"type": "churn", "site": "b", "mean_up": "9s", "mean_down": "4s", "until": "60s"},
                               {"type": "churn", "site": "c", "mean_up": "9s", "mean_down": "4s", "until": "60s"})",
                            learns + R"(, "stop": {"iterations": 20})");
      scenario.seed = seed;
      const auto result = run::run(scenario);
      CHECK(result.faults->crashes > 4);
      CHECK(result.steps == std::vector<std::int64_t>(8, 20));
      for (const auto& weights : result.weights) CHECK(weights == result.weights[0]);
    }
  }
}

// When the join comes, some of its workers have gone, some wait for what they sent, and some still compute.
TEST_CASE("replicas that are sites: one that joins before it has left, while sites crash, holds up nobody") {
  const auto at_c = [](const char* type, double at_s) {
    return fmt::format(R"(, {{"type": "{}", "site": "c", "at": "{:.3f}s"}})", type, at_s);
  };
  for (const double leave_s : {2.3, 6.3, 8.9}) {
    for (const double join_s : {leave_s + 0.6, leave_s + 2.2}) {
      std::vector<std::string> others;
      for (const double crash_s : {3.1, 4.7, 6.1, 7.4}) others.push_back(crash(R"("site": "a")", crash_s, "lost"));
      for (const double later_s : {0.3, 1.1}) {
        others.push_back(crash(R"("site": "c")", join_s + later_s, "kept"));
        others.push_back(crash(R"("site": "a")", 4.7, "lost") + at_c("leave", join_s + later_s) +
                         at_c("join", join_s + 1.5));
      }
      for (const std::string& other : others) {
        CAPTURE(leave_s);
        CAPTURE(join_s);
        CAPTURE(other);
        auto scenario = sites(diloco(R"("sync_every": 6, "fragments": 2, "fragment_sync_delay": 2,
                                        "replica": "site", "on_failure": "go_on")"),
                              other + at_c("leave", leave_s) + at_c("join", join_s),
                              of_two_layers + R"(, "stop": {"iterations": 20})");
        scenario.compute.jitter = 0.3;
        const auto result = run::run(scenario);
        CHECK(result.steps == std::vector<std::int64_t>(8, 20));
        for (const auto& model : result.weights) CHECK(model == result.weights[0]);
      }
    }
  }
}

TEST_CASE("replicas that are sites refuse crashes of single hosts, and a policy that needs a server") {
  const auto refusal = [](const std::string& settings, const std::string& place) -> std::string {
    try {
      sites(diloco(R"("replica": "site")" + settings), crash(place, 1, "lost"),
            learns + R"(, "stop": {"iterations": 1})");
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal("", R"("site": "b")").empty());
  CHECK(refusal("", R"("host": "w3")").find("needs all hosts of a site; expected \"site\"") != std::string::npos);
  CHECK(refusal(R"(, "on_failure": "time_out")", R"("site": "b")").find("$.algorithm.on_failure") != std::string::npos);
}

// Between two sums nobody hears of a site but by its move.
TEST_CASE("the mean over members is that of the platform without a site that crashed before its first move") {
  const std::string rest = learns + R"(, "stop": {"iterations": 12})";
  for (const std::string weight : {"replicas", "workers"}) {
    CAPTURE(weight);
    const std::string algorithm =
        diloco(R"("sync_every": 4, "replica": "site", "on_failure": "go_on", "weight": ")" + weight + '"');
    const auto crashed = run::run(sites(algorithm, crash(R"("site": "c")", 2.5, ""), rest, true));
    const auto without = run::run(sites(algorithm, "", rest, true, R"("exclude": ["c"],)"));
    const auto whole = run::run(sites(algorithm, "", rest, true));
    CHECK(largest_difference(outer(crashed), outer(without)) < 1e-6);
    CHECK(largest_difference(outer(crashed), outer(whole)) > 1e-4);
  }
}

TEST_CASE("the moves of a round are lost with a site that crashes in it, as with one that leaves in it") {
  const std::string algorithm = diloco(R"("sync_every": 4, "replica": "site", "on_failure": "go_on")");
  const std::string rest = learns + R"(, "stop": {"iterations": 16})";
  const std::string back = R"(, {"type": "join", "site": "c", "at": "10.5s"})";
  const auto leaves = [&](double at_s, const std::string& then) {
    return outer(run::run(
        sites(algorithm, fmt::format(R"({{"type": "leave", "site": "c", "at": "{}s"}})", at_s) + then, rest, true)));
  };
  const auto crashes = [&](double at_s) {
    return outer(run::run(sites(algorithm, crash(R"("site": "c")", at_s, ""), rest, true)));
  };
  CHECK(crashes(6.5) == leaves(6.5, ""));
  CHECK(crashes(5.5) == crashes(6.5));
  CHECK(crashes(3.5) != crashes(6.5));
  CHECK(leaves(6.5, back) != leaves(6.5, ""));
}

// It takes the outer model, and the steps that the learning rate follows, as they are at the end of the round.
TEST_CASE("it makes no difference when in a round a replica comes") {
  const std::string rest = learns + R"(, "stop": {"iterations": 16})";
  for (const std::string settings : {R"("replica": "site")", R"("replica": "worker", "collective": "hierarchical")",
                                     R"("replica": "worker", "overlap": "none", "fragment_sync_delay": 1)"}) {
    CAPTURE(settings);
    const auto comes = [&](double at_s) {
      return run::run(sites(diloco(R"("sync_every": 4, "on_failure": "go_on", )" + settings),
                            fmt::format(R"({{"type": "leave", "site": "c", "at": "2.5s"}},
                                           {{"type": "join", "site": "c", "at": "{}s"}})",
                                        at_s),
                            rest, true))
          .weights;
    };
    const auto early = comes(9.2);
    CHECK(comes(9.8) == early);
    CHECK(comes(10.5) == early);
    CHECK(comes(11.9) == early);
    CHECK(comes(5.5) != early);
  }
}

}  // namespace ddl::site_crashes_test
