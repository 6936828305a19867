#include "sim/results/reading/groups.hpp"

#include <doctest/doctest.h>

#include "core/base/check.hpp"

namespace ddl::results {
namespace {

FinishedRun run_of(std::uint64_t seed, std::vector<Setting> settings, double accuracy) {
  FinishedRun run;
  run.folder = "run" + std::to_string(seed);
  run.seed = seed;
  run.settings = std::move(settings);
  run.digest = std::to_string(accuracy);
  run.measures = {{"final_accuracy.mean", accuracy}};
  return run;
}

std::vector<Setting> ako(const std::string& partitions, const std::string& bandwidth) {
  return {{"platform.bandwidth", bandwidth}, {"algorithm.name", "ako"}, {"algorithm.partitions", partitions}};
}
const std::vector<Setting> server = {
    {"platform.bandwidth", "5Mbps"}, {"platform.servers", "1"}, {"algorithm.name", "ps_async"}};

}  // namespace

TEST_CASE("replications come together, named by what differs") {
  const GroupedRuns grouped = group_runs({run_of(1, ako("2", "5Mbps"), 0.5), run_of(1, server, 0.1),
                                          run_of(2, ako("2", "5Mbps"), 0.7), run_of(1, ako("4", "5Mbps"), 0.9)});
  REQUIRE(grouped.groups.size() == 3);
  CHECK(grouped.varied.empty());
  CHECK(grouped.groups[0].scheme == "ako partitions=2");
  CHECK(grouped.groups[1].scheme == "ps_async");
  CHECK(grouped.groups[2].scheme == "ako partitions=4");
  CHECK(grouped.groups[0].estimate_of("final_accuracy.mean")->mean == doctest::Approx(0.6));
  CHECK(grouped.groups[0].count_with("final_accuracy.mean") == 2);
  CHECK_FALSE(grouped.groups[0].estimate_of("bytes_sent").has_value());
}

TEST_CASE("settings beside the algorithm's become columns") {
  const GroupedRuns grouped = group_runs({run_of(1, ako("2", "5Mbps"), 0.5), run_of(1, ako("2", "40Mbps"), 0.5)});
  REQUIRE(grouped.varied == std::vector<std::string>{"platform.bandwidth"});
  CHECK(grouped.groups[1].label(grouped.varied) == "ako, platform.bandwidth 40Mbps");
}

TEST_CASE("per run, the seed is a column too") {
  const GroupedRuns grouped = group_runs({run_of(1, ako("2", "5Mbps"), 0.5), run_of(2, ako("2", "5Mbps"), 0.5)}, false);
  REQUIRE(grouped.groups.size() == 2);
  CHECK(grouped.varied == std::vector<std::string>{"seed"});
}

TEST_CASE("a run given twice counts once, and two answers to one question are refused") {
  const auto twice = group_runs({run_of(1, server, 0.5), run_of(1, server, 0.5)});
  CHECK(twice.groups[0].runs.size() == 1);
  CHECK_THROWS_AS(group_runs({run_of(1, server, 0.5), run_of(1, server, 0.6)}), InputError);
}

}  // namespace ddl::results
