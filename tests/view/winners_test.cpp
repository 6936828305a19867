// Maps of runs made by hand.
#include "sim/view/winners.hpp"

#include <doctest/doctest.h>

#include "core/base/check.hpp"

namespace ddl::view {
namespace {

results::FinishedRun run_of(const std::string& scheme, const std::string& bandwidth, int workers, std::uint64_t seed,
                            double accuracy, std::optional<double> time_to_low, std::optional<double> time_to_high) {
  results::FinishedRun run;
  run.seed = seed;
  run.settings = {
      {"platform.workers", std::to_string(workers)}, {"platform.bandwidth", bandwidth}, {"algorithm.name", scheme}};
  run.digest = scheme + bandwidth + std::to_string(workers) + std::to_string(seed);
  run.targets = {0.5, 0.9};
  run.measures = {
      {"final_accuracy.mean", accuracy}, {results::time_to(0.5), time_to_low}, {results::time_to(0.9), time_to_high}};
  return run;
}

// Two schemes, three seeds each. On the slow network a is faster to 0.5; on the fast one b, and only there 0.9 is
// reached, by b with one seed and by a with all. Accuracies scatter by 0.02, in another order for each.
results::GroupedRuns example() {
  std::vector<results::FinishedRun> runs;
  for (const int workers : {16, 2}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const double noise = 0.02 * static_cast<double>(seed), noise_b = 0.02 * static_cast<double>(seed * seed % 4 + 1);
      runs.push_back(run_of("a", "1Gbps", workers, seed, 0.92 + noise, 40.0 + noise, 80.0));
      runs.push_back(run_of("b", "1Gbps", workers, seed, 0.93 + noise_b, 20.0 + noise,
                            seed == 1 ? std::optional(30.0) : std::nullopt));
      runs.push_back(run_of("a", "800Mbps", workers, seed, 0.8 + noise, 50.0 + noise, std::nullopt));
      runs.push_back(run_of("b", "800Mbps", workers, seed, 0.2 + noise, 90.0 + noise, std::nullopt));
    }
  }
  return results::group_runs(std::move(runs));
}

}  // namespace

TEST_CASE("the axes of a map rise as quantities, with bandwidth across") {
  const WinnerMap map = winners_of(example(), "accuracy", std::nullopt);
  CHECK(map.x == "platform.bandwidth");
  CHECK(map.y == "platform.workers");
  CHECK(map.columns == std::vector<std::string>{"800Mbps", "1Gbps"});
  CHECK(map.rows == std::vector<std::string>{"2", "16"});
  CHECK(map.schemes == std::vector<std::string>{"a", "b"});
}

TEST_CASE("the most accurate scheme wins, and a lead within noise is not clear") {
  const WinnerMap map = winners_of(example(), "accuracy", std::nullopt);
  const Winner slow = *map.cells[0][0], fast = *map.cells[0][1];
  CHECK(slow.scheme == 0);
  CHECK(slow.mean == doctest::Approx(0.84));
  CHECK(*slow.clear);
  CHECK(fast.scheme == 1);
  CHECK_FALSE(*fast.clear);
}

TEST_CASE("the fastest scheme to a target wins, among those that all seeds bring there") {
  const WinnerMap low = winners_of(example(), "time", 0.5);
  CHECK(low.cells[0][0]->scheme == 0);
  CHECK(low.cells[0][1]->scheme == 1);
  CHECK(low.cells[0][1]->mean == doctest::Approx(20.04));
  const WinnerMap high = winners_of(example(), "time", 0.9);
  CHECK_FALSE(high.cells[0][0].has_value());
  CHECK(high.cells[0][1]->scheme == 0);
  CHECK_FALSE(high.cells[0][1]->clear.has_value());  // nothing to compare with
}

TEST_CASE("a winner is set beside one worker alone, where that was run on the same platform") {
  results::GroupedRuns runs = example();
  std::vector<results::FinishedRun> all;
  for (const results::RunGroup& group : runs.groups) all.insert(all.end(), group.runs.begin(), group.runs.end());
  for (const std::uint64_t seed : {1, 2, 3}) all.push_back(run_of("single", "1Gbps", 2, seed, 0.9, 60.12, 160.0));
  const WinnerMap map = winners_of(results::group_runs(std::move(all)), "time", 0.5);
  REQUIRE(map.cells[0][1]->against_one.has_value());
  CHECK(*map.cells[0][1]->against_one->speed_up == doctest::Approx(3));  // 60.12 s over 20.04 s
  CHECK_FALSE(map.cells[0][0]->against_one.has_value());
}

TEST_CASE("by bytes a scheme that sends nothing does not win") {
  std::vector<results::FinishedRun> all;
  for (const results::RunGroup& group : example().groups) all.insert(all.end(), group.runs.begin(), group.runs.end());
  for (results::FinishedRun& run : all) {
    run.measures.push_back({results::bytes_to(0.5), run.digest.starts_with("a") ? 3e6 : 2e6});
  }
  for (const std::uint64_t seed : {1, 2, 3}) {
    all.push_back(run_of("single", "1Gbps", 2, seed, 0.9, 60.0, 160.0));
    all.back().measures.push_back({results::bytes_to(0.5), 0.0});
  }
  const WinnerMap map = winners_of(results::group_runs(std::move(all)), "bytes", 0.5);
  CHECK(map.schemes[map.cells[0][1]->scheme] == "b");
}

TEST_CASE("unless told otherwise, a map is of the time to the largest target that is reached everywhere") {
  CHECK(winners_of(example(), "", std::nullopt).measure == results::time_to(0.5));
}

TEST_CASE("what spans no map, and measures that are not there, are refused") {
  CHECK_THROWS_AS(winners_of(example(), "speed", std::nullopt), InputError);
  CHECK_THROWS_AS(winners_of(example(), "time", 0.7), InputError);
  CHECK_THROWS_AS(winners_of(example(), "accuracy", 0.5), InputError);
  CHECK_THROWS_AS(winners_of(results::group_runs({run_of("a", "1Gbps", 2, 1, 1, 1.0, 1.0)}), "", std::nullopt),
                  InputError);
}

}  // namespace ddl::view
