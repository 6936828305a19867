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

TEST_CASE("a learning rate of each scheme's own is part of the scheme, and no condition") {
  const auto at = [](const std::string& name, const std::string& bandwidth, const std::string& rate) {
    return run_of(
        1, {{"platform.bandwidth", bandwidth}, {"algorithm.name", name}, {"training.optimizer.learning_rate", rate}},
        0.5);
  };
  // Tuned on two networks: a condition is a network.
  const GroupedRuns tuned = group_runs({at("single", "5Mbps", "0.05"), at("gossip", "5Mbps", "0.4"),
                                        at("single", "40Mbps", "0.05"), at("gossip", "40Mbps", "0.2")});
  CHECK(tuned.varied == std::vector<std::string>{"platform.bandwidth"});
  CHECK(tuned.groups[0].varied == tuned.groups[1].varied);
  CHECK(tuned.groups[1].scheme == "gossip");
  CHECK(tuned.groups[3].scheme == "gossip");
  // On one network: they are compared, under names that tell the rates.
  const GroupedRuns one = group_runs({at("single", "5Mbps", "0.05"), at("gossip", "5Mbps", "0.4")});
  CHECK(one.varied.empty());
  CHECK(one.groups[0].scheme == "single learning_rate=0.05");
  CHECK(one.groups[1].scheme == "gossip learning_rate=0.4");
  // Per run as well, for seeds are no conditions.
  FinishedRun again = at("single", "5Mbps", "0.05");
  again.seed = 2;
  const GroupedRuns by_run = group_runs({again, at("single", "5Mbps", "0.05"), at("gossip", "5Mbps", "0.4")}, false);
  CHECK(by_run.varied == std::vector<std::string>{"seed"});
  CHECK(by_run.groups.back().scheme == "gossip learning_rate=0.4");
  // Tried at several rates, a rate is a condition as any other.
  for (const auto& runs :
       {std::vector{at("gossip", "5Mbps", "0.2"), at("gossip", "5Mbps", "0.4")},
        std::vector{at("single", "5Mbps", "0.1"), at("gossip", "5Mbps", "0.1"), at("gossip", "5Mbps", "0.2")}}) {
    const GroupedRuns tried = group_runs(runs);
    CHECK(tried.varied == std::vector<std::string>{"training.optimizer.learning_rate"});
    CHECK(tried.groups.back().scheme == "gossip");
  }
}

TEST_CASE("a schedule that was tuned with the rate is part of the scheme, as the rate is") {
  const auto at = [](const std::string& name, const std::string& bandwidth, const std::string& rate,
                     const std::string& schedule) {
    return run_of(1,
                  {{"platform.bandwidth", bandwidth},
                   {"algorithm.name", name},
                   {"training.optimizer.learning_rate", rate},
                   {"training.optimizer.schedule.type", schedule}},
                  0.5);
  };
  const GroupedRuns tuned =
      group_runs({at("single", "5Mbps", "0.1", "cosine"), at("gossip", "5Mbps", "0.4", "constant"),
                  at("single", "40Mbps", "0.1", "cosine"), at("gossip", "40Mbps", "0.2", "cosine")});
  CHECK(tuned.varied == std::vector<std::string>{"platform.bandwidth"});
  CHECK(tuned.groups[3].scheme == "gossip");
  const GroupedRuns one = group_runs({at("single", "", "0.1", "cosine"), at("gossip", "", "0.1", "constant")});
  CHECK(one.varied.empty());
  CHECK(one.groups[0].scheme == "single schedule.type=cosine");
  // A rate tuned under each of two schedules: the schedules are conditions.
  const GroupedRuns under = group_runs({at("single", "", "0.1", "cosine"), at("gossip", "", "0.4", "cosine"),
                                        at("single", "", "0.2", "constant"), at("gossip", "", "0.1", "constant")});
  CHECK(under.varied == std::vector<std::string>{"training.optimizer.schedule.type"});
}

TEST_CASE("a learning rate that goes in step with another setting stays a column") {
  const auto at = [](const std::string& name, const std::string& workers, const std::string& rate) {
    return run_of(
        1, {{"platform.workers", workers}, {"algorithm.name", name}, {"training.optimizer.learning_rate", rate}}, 0.5);
  };
  const std::vector<std::string> both = {"platform.workers", "training.optimizer.learning_rate"};
  const GroupedRuns one = group_runs({at("ps_async", "4", "0.1"), at("ps_async", "8", "0.2")});
  CHECK(one.varied == both);
  CHECK(one.groups[1].label(one.varied) == "ps_async, platform.workers 8, training.optimizer.learning_rate 0.2");
  // The same rule for several schemes tells none of them from another.
  const GroupedRuns two = group_runs(
      {at("ps_async", "4", "0.1"), at("gossip", "4", "0.1"), at("ps_async", "8", "0.2"), at("gossip", "8", "0.2")});
  CHECK(two.varied == both);
  CHECK(two.groups[0].varied == two.groups[1].varied);
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
