// One step of each of four workers with shards of one batch each; and the same learning by the first three alone.
#pragma once

#include "tests/support/scenarios.hpp"

namespace ddl {

// The last worker's gradient takes thirty times as long.
inline run::RunResult one_round(const std::string& algorithm) {
  auto scenario = learning(algorithm, 4, 1,
                           R"("data": {"train": 400, "test": 50, "partition": "sequential"}, "stop": {"iterations": 1},
                  "training": {"batch_size": 100, "optimizer": {"type": "sgd", "learning_rate": 0.2}})");
  scenario.compute.slowdown = {{"w3", 30}};
  return run::run(scenario);
}

// The batches of the first three are those of one worker that stops after 300 samples, in its order.
inline run::RunResult three_batches_as_one() {
  return run::run(learning(R"("single")", 1, 0,
                           R"("data": {"train": 400, "test": 50, "partition": "sequential", "shuffle": false},
                         "stop": {"iterations": 1},
                         "training": {"batch_size": 300, "optimizer": {"type": "sgd", "learning_rate": 0.2}})"));
}

}  // namespace ddl
