#include "sim/view/plots/panels.hpp"

#include <doctest/doctest.h>

namespace ddl::view {
namespace {

results::FinishedRun run_with(const std::string& workers, const std::string& rate) {
  results::FinishedRun run;
  run.folder = workers + "/" + rate;
  run.seed = 1;
  run.settings = {
      {"platform.workers", workers}, {"algorithm.name", "ps_async"}, {"training.optimizer.learning_rate", rate}};
  return run;
}

}  // namespace

TEST_CASE("what goes in step with the number of workers does not cut a line over it, but is told") {
  const results::GroupedRuns in_step = results::group_runs({run_with("4", "0.1"), run_with("8", "0.2")});
  CHECK(arrange(in_step, {}, "platform.workers").names ==
        std::vector<std::string>{"ps_async, learning_rate by workers"});
  CHECK(arrange(in_step, {}).names ==
        std::vector<std::string>{"ps_async, workers 4, learning_rate 0.1", "ps_async, workers 8, learning_rate 0.2"});
  const results::GroupedRuns crossed =
      results::group_runs({run_with("4", "0.1"), run_with("8", "0.1"), run_with("4", "0.2"), run_with("8", "0.2")});
  CHECK(arrange(crossed, {}, "platform.workers").names ==
        std::vector<std::string>{"ps_async, learning_rate 0.1", "ps_async, learning_rate 0.2"});
  PictureOptions by_rate;
  by_rate.facet = "training.optimizer.learning_rate";
  CHECK(arrange(in_step, by_rate).panels == std::vector<std::string>{"learning_rate 0.1", "learning_rate 0.2"});
}

namespace {

results::FinishedRun run_on(const std::string& bandwidth, const std::string& workers, const std::string& system) {
  results::FinishedRun run;
  run.folder = bandwidth + "/" + workers + "/" + system;
  run.seed = 1;
  run.settings = {{"platform.bandwidth", bandwidth}, {"platform.workers", workers}, {"algorithm.name", system}};
  return run;
}

}  // namespace

TEST_CASE("systems keep the order of the runs, what varies comes by value, and two legends tell it") {
  std::vector<results::FinishedRun> all;
  for (const char* bandwidth : {"100Mbps", "1Gbps", "20Mbps"}) {
    for (const char* system : {"ps_async", "ako"}) {
      for (const char* workers : {"16", "4", "8"}) all.push_back(run_on(bandwidth, workers, system));
    }
  }
  const results::GroupedRuns runs = results::group_runs(std::move(all));
  PictureOptions options;
  options.facet = "network";
  options.labels = {{"ako", "Ako"}, {"workers 8", "eight"}};
  const Arrangement arrangement = arrange(runs, options);
  CHECK(arrangement.panels == std::vector<std::string>{"bandwidth 20Mbps", "bandwidth 100Mbps", "bandwidth 1Gbps"});
  CHECK(arrangement.names == std::vector<std::string>{"ps_async, workers 4", "ps_async, eight", "ps_async, workers 16",
                                                      "Ako, workers 4", "Ako, eight", "Ako, workers 16"});
  REQUIRE(arrangement.keys.size() == 2);
  CHECK(arrangement.keys[0].names == std::vector<std::string>{"ps_async", "Ako"});
  CHECK(arrangement.keys[1].names == std::vector<std::string>{"workers 4", "eight", "workers 16"});
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(arrangement.looks[i].colour == look_of(i < 3 ? "ps_async" : "ako").colour);
    CHECK(arrangement.looks[i].mark == look_of(i < 3 ? "ps_async" : "ako").mark);
    CHECK(arrangement.looks[i].dash == static_cast<int>(1 + i % 3));
    CHECK(arrangement.keys[1].looks[i % 3].dash == arrangement.looks[i].dash);
  }
  // The first run's panel is the second, and its workers are the most.
  CHECK(arrangement.of_group[0].panel == 1);
  CHECK(arrangement.of_group[0].name == 2);
}

TEST_CASE("one thing that varies beside the system in a few runs needs one legend") {
  const results::GroupedRuns runs =
      results::group_runs({run_on("1Gbps", "4", "ako"), run_on("1Gbps", "8", "ako"), run_on("1Gbps", "4", "gossip")});
  CHECK(arrange(runs, {}).keys.empty());
}

TEST_CASE("a note says of how many seeds each mean is, whatever panel it is in") {
  Figure figure;
  figure.names = {"ako", "gossip"};
  const auto panel = [](std::size_t ako, std::size_t gossip) {
    Panel one{"", std::vector<Points>(2)};
    one.of_name[0].runs = ako, one.of_name[1].runs = gossip;
    return one;
  };
  const auto told = [&](std::vector<Panel> panels) {
    Figure one = figure;
    one.panels = std::move(panels);
    tell_runs(one, "mean of", "");
    return one.note + "; " + one.names[0] + "; " + one.names[1];
  };
  CHECK(told({panel(3, 3), panel(3, 0)}) == "mean of 3 seeds; ako; gossip");
  CHECK(told({panel(3, 3), panel(2, 3)}) == "mean of n seeds; ako (n = 2 to 3); gossip (n = 3)");
  CHECK(told({panel(1, 1)}) == "; ako; gossip");
  figure.keys = {{{"ako", "gossip"}, {}, Key::Shows::lines}};
  CHECK(told({panel(3, 3), panel(2, 3)}) == "mean of 2 to 3 seeds; ako; gossip");
}

}  // namespace ddl::view
