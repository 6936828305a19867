#include "sim/results/writing/closing_table.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/nn/math_mode.hpp"
#include "core/systems/single.hpp"
#include "tests/results/writing/example.hpp"

namespace ddl::results {
namespace {

// This machine's math kernels.
std::string math_of(const scenario::Scenario& scenario) {
  const nn::MathMode mode = scenario.math.mode;
  return (nn::math_that_runs(mode) == nn::MathMode::native ? "native, " : "portable, ") + nn::math_kernels(mode);
}

}  // namespace

TEST_CASE("the closing table says in aligned lines what the run gave and how near it came to the least step time") {
  scenario::Scenario scenario = example_scenario();
  scenario.wire.model_bytes = Bytes{17e6};
  CHECK(closing_table(scenario, example_result(), "results/example/7") ==
        "example, seed 7\n"
        "  algorithm         ako\n"
        "  cluster           2 workers, 1 server (idle), model softmax (3 parameters), 17\n"
        "                    MB on the wire\n"
        "  math              " +
            math_of(scenario) +
            "\n"
            "  accuracy          0.6250 (workers 0.5000 .. 0.7500), averaged model 0.6875\n"
            "  best accuracy     0.6250 at 10 s; guessing gives 0.1\n"
            "  loss              1.1250 (workers 1.0000 .. 1.2500), averaged model 1.0625\n"
            "  time to accuracy  0.3: 5 s, 1 kB sent\n"
            "  time to accuracy  0.6: 10 s, 3 kB sent\n"
            "  time to accuracy  0.9: not reached\n"
            "  simulated time    10 s, stopped by time\n"
            "  steps per worker  2 .. 3 (5 in all, 1.25 epochs)\n"
            "  time per step     3.6 s, the mean of all steps (median 4 s, 95 % below 4.8 s)\n"
            "  slowest worker    5 s a step\n"
            "  lower bound       4 s a step of the slowest worker in the long run:\n"
            "                    compute-bound (compute 4 s, w1 down 500 ms)\n"
            "  sent              3.5 kB in 3 messages\n"
            "  faults            2 crashes, 1 restart, 2 steps lost, 4 messages never\n"
            "                    delivered, 3 messages sent again\n"
            "  given up          w0, w1 2 times\n"
            "  busiest link      w1 down, 50 % used\n"
            "  workers idle      20 % .. 55 %\n"
            "  staleness         1.2 updates on average, 3 at most\n"
            "  results           results/example/7\n");
}

TEST_CASE("the closing table of a measured run says over which network it was measured") {
  run::RunResult result = example_result();
  result.measured.emplace().network = "TCP (cubic), token buckets";
  const std::string table = closing_table(example_scenario(), result);
  CHECK(table.find("  measured time     10 s, ") != std::string::npos);
  CHECK(table.find("  real network      TCP (cubic), token buckets\n") != std::string::npos);
}

TEST_CASE("the closing table tells the steps of the worker that trains, where the others idle") {
  scenario::Scenario scenario = example_scenario();
  run::RunResult result = example_result();
  result.steps = {0, 5};
  CHECK(closing_table(scenario, result).find("steps per worker  0 .. 5 (5 in all") != std::string::npos);
  scenario.algorithm = systems::SingleParams{};
  CHECK(closing_table(scenario, result).find("steps per worker  5 (5 in all") != std::string::npos);
}

TEST_CASE("the closing table tells one epoch in the singular") {
  run::RunResult result = example_result();
  result.epochs = 1;
  CHECK(closing_table(example_scenario(), result).find("(5 in all, 1 epoch)\n") != std::string::npos);
}

TEST_CASE("the closing table writes many epochs without an exponent") {
  run::RunResult result = example_result();
  for (const auto& [epochs, text] : {std::pair(123.4, "123 epochs"), std::pair(999.4, "999 epochs"),
                                     std::pair(999.6, "1,000 epochs"), std::pair(4796.2, "4,796 epochs")}) {
    result.epochs = epochs;
    CHECK(closing_table(example_scenario(), result).find(std::string("(5 in all, ") + text + ")\n") !=
          std::string::npos);
  }
}

TEST_CASE("the closing table of a timing-only run is silent on accuracy and folders it has not") {
  scenario::Scenario scenario = timing_only_scenario();
  scenario.wire.model_bytes = Bytes{17e6};
  scenario.evaluate.target_accuracy.clear();
  const std::string table = closing_table(scenario, timing_only_result());
  CHECK(table.find("accuracy") == std::string::npos);
  CHECK(table.find("loss") == std::string::npos);
  CHECK(table.find("epochs") == std::string::npos);
  CHECK(table.find("results") == std::string::npos);
  CHECK(table.find("model none, 17 MB on the wire\n") != std::string::npos);
}

}  // namespace ddl::results
