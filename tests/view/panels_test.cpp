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

}  // namespace ddl::view
