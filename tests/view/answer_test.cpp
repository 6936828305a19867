// The ranking that a page opens with, over runs made by hand.
#include "sim/view/answer.hpp"

#include <doctest/doctest.h>

namespace ddl::view::answer_test {
namespace {

results::FinishedRun run_of(const std::string& system, const std::string& bandwidth, std::uint64_t seed,
                            double accuracy, std::optional<double> time_s) {
  results::FinishedRun run;
  run.seed = seed;
  run.settings = {{"platform.bandwidth", bandwidth}, {"algorithm.name", system}};
  run.digest = system + bandwidth + std::to_string(seed);
  run.targets = {0.5};
  run.measures = {{"final_accuracy.mean", accuracy}, {results::time_to(0.5), time_s}};
  return run;
}

std::string system_of(const results::GroupedRuns& runs, const Ranked& ranked) {
  return runs.groups[ranked.group].scheme;
}

}  // namespace

TEST_CASE("systems are ranked by time to the target in each condition, and what misses it with a seed comes last") {
  std::vector<results::FinishedRun> all;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const double noise = 0.1 * static_cast<double>(seed * seed % 4);
    all.push_back(run_of("slow", "1Mbps", seed, 0.9, 30 + noise));
    all.push_back(run_of("never", "1Mbps", seed, 0.95, seed == 2 ? std::nullopt : std::optional(1.0)));
    all.push_back(run_of("quick", "1Mbps", seed, 0.6, 10 - noise));
    all.push_back(run_of("slow", "9Mbps", seed, 0.9, 30 + noise));
    all.push_back(run_of("quick", "9Mbps", seed, 0.6, 30 + (seed == 1 ? 1 : -0.2)));
  }
  const results::GroupedRuns runs = results::group_runs(std::move(all));
  const Answer answer = answer_of(runs);
  CHECK(answer.target == 0.5);
  CHECK(answer.measure == results::time_to(0.5));
  REQUIRE(answer.rankings.size() == 2);
  const Ranking &narrow = answer.rankings[0], &wide = answer.rankings[1];
  CHECK(narrow.condition == std::vector<std::string>{"1Mbps"});
  REQUIRE(narrow.order.size() == 3);
  CHECK(system_of(runs, narrow.order[0]) == "quick");
  CHECK(system_of(runs, narrow.order[1]) == "slow");
  CHECK(system_of(runs, narrow.order[2]) == "never");
  CHECK_FALSE(narrow.order[2].value.has_value());
  CHECK(narrow.clear == true);  // 20 s apart, and hardly any scatter
  REQUIRE(wide.order.size() == 2);
  CHECK(wide.clear == false);  // their seeds overlap
}

TEST_CASE("what ranks is the largest target that some system reaches in each condition, with all its seeds") {
  std::vector<results::FinishedRun> all;
  for (const std::uint64_t seed : {1, 2}) {
    for (const std::string bandwidth : {"1Mbps", "9Mbps"}) {
      for (const std::string system : {"good", "fair"}) {
        results::FinishedRun run = run_of(system, bandwidth, seed, 0.85, 10);
        run.targets = {0.5, 0.8, 0.9};
        const bool good = system == "good", lucky = good && bandwidth == "9Mbps" && seed == 1;
        run.measures.push_back({results::time_to(0.8), good ? std::optional(20.0) : std::nullopt});
        run.measures.push_back({results::time_to(0.9), lucky ? std::optional(30.0) : std::nullopt});
        all.push_back(run);
      }
    }
  }
  const results::GroupedRuns runs = results::group_runs(std::move(all));
  CHECK(answer_of(runs).target == 0.8);
}

TEST_CASE("without a target that is reached, the final accuracy ranks, largest first") {
  std::vector<results::FinishedRun> all = {run_of("a", "1Mbps", 1, 0.3, std::nullopt),
                                           run_of("b", "1Mbps", 1, 0.4, std::nullopt)};
  const results::GroupedRuns runs = results::group_runs(std::move(all));
  const Answer answer = answer_of(runs);
  CHECK_FALSE(answer.target.has_value());
  REQUIRE(answer.rankings.size() == 1);
  CHECK(system_of(runs, answer.rankings[0].order[0]) == "b");
  CHECK_FALSE(answer.rankings[0].clear.has_value());  // one seed each
}

}  // namespace ddl::view::answer_test
