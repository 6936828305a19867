#include "sim/cli/progress.hpp"

#include <doctest/doctest.h>

namespace ddl::cli::progress_test {
namespace {

TEST_CASE("the progress line shows share, simulated time, accuracy and time left") {
  // A quarter took 10 s, so three quarters take 30 s; 12 marks make the bar.
  const std::string text = progress_text("run", {0.25, 75, 0.5}, 10, 200);
  CHECK(text == "run [###---------]  25 %  t = 75 s  accuracy 0.500  30 s left");
}

TEST_CASE("before anything is known neither accuracy nor time left is shown") {
  CHECK(progress_text("run", {0, 0, -1}, 0.1, 200) == "run [------------]   0 %  t = 0 s");
}

TEST_CASE("the progress line is shorter than the terminal is wide") {
  CHECK(progress_text("run", {0.5, 1, 0.5}, 1, 20).size() == 19);
  CHECK(progress_text("run", {7, 1, 0.5}, 1, 40).size() <= 39);
}

TEST_CASE("a long name is cut, so that a line of 80 columns says how far the run is") {
  const std::string text = progress_text(std::string(60, 'n'), {0.25, 75, 0.5}, 10, 80);
  CHECK(text.size() <= 79);
  CHECK(text.starts_with("nnnnnn"));
  CHECK(text.ends_with("n... [###---------]  25 %  t = 75 s  accuracy 0.500  30 s left"));
}

TEST_CASE("evaluations are told of where they are most of the math") {
  CHECK(progress_text("run", {0.25, 75, 0.5, 0.84}, 10, 100).ends_with("  30 s left  84 % evaluating"));
  CHECK(progress_text("run", {0.25, 75, 0.5, 0.4}, 10, 100).ends_with("  30 s left"));
  CHECK(progress_text("run", {0.25, 75, 0.5, 0.84}, 10, 70).ends_with("  30 s left"));
}

TEST_CASE("an interrupted sweep says how far it is, and how to go on") {
  CHECK(interrupted_text({.runs = 9, .finished = 5}) ==
        "interrupted: 5 of 9 runs are finished and kept; the same command goes on from there");
}

TEST_CASE("the line of many runs tells what was kept, what failed, and the time left by the work that is left") {
  // Three quarters of the work took 30 s, so the last quarter takes 10 s.
  const studies::RunsProgress progress{9, 5, 2, 1, 3, 1, "x/1"};
  const std::string text = "grid: 5 of 9 runs, 2 kept from before, 1 failed, about 10 s left", last = ", last x/1";
  CHECK(runs_text("grid", progress, 30, std::string::npos) == text + last);
  CHECK(runs_text("grid", {.runs = 9}, 30, std::string::npos) == "grid: 0 of 9 runs");
  // The last run's name is whole, or is not there.
  CHECK(runs_text("grid", progress, 30, text.size() + last.size()) == text + last);
  CHECK(runs_text("grid", progress, 30, text.size() + last.size() - 1) == text);
}

TEST_CASE("the line of a search within a budget tells the stage, its runs and how much of the budget is spent") {
  studies::RunsProgress progress{.runs = 19, .finished = 7, .latest = "x/1"};
  const std::string text = "advise: probes, 7 of 19 runs, 12 % of the budget";
  CHECK(stage_text("advise", "probes", progress, 0.12, 80) == text + ", last x/1");
  CHECK(stage_text("advise", "probes", progress, 0.12, text.size()) == text);
  progress.failed = 2;
  CHECK(stage_text("advise", "race", progress, 1.01, 50) ==
        "advise: race, 7 of 19 runs, 2 failed, 100 % of the budget");
}

}  // namespace
}  // namespace ddl::cli::progress_test
