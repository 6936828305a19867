#include "sim/cli/progress.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "tests/cli/workplace.hpp"

namespace ddl::cli::progress_test {
namespace {

TEST_CASE(
    "the progress line shows share, simulated time, accuracy, time left and evaluations, as far as there is room") {
  const auto shown = [](const run::Progress& progress, double elapsed_s, int width = 200) {
    return progress_text("run", progress, elapsed_s, width);
  };
  // A quarter took 10 s, so three quarters take 30 s; 12 marks make the bar.
  const std::string quarter = "run [###---------]  25 %  t = 75 s  accuracy 0.500 at 60 s  30 s left";
  CHECK(shown({0.25, 75, 0.5, 60}, 10) == quarter);
  CHECK(shown({0, 0, -1}, 0.1) == "run [------------]   0 %  t = 0 s");  // before anything is known
  // Until the run itself reports, the time left is the forecast: 15.6 h; half a percent of 1000 s is 5 s; from one
  // percent on the run's own time counts: 99 times 2 s.
  CHECK(shown({.score = -1, .expected_s = 56160}, 0.1) == "run [------------]   0 %  t = 0 s  15 h 36 min left");
  CHECK(shown({.fraction = 0.005, .expected_s = 1000}, 30).ends_with("  16 min 35 s left"));
  CHECK(shown({.fraction = 0.01, .expected_s = 1000}, 2).ends_with("  3 min 18 s left"));
  // Evaluations are mentioned if they are most of the math.
  CHECK(shown({0.25, 75, 0.5, 60, 0.84}, 10, 110) == quarter + "  84 % evaluating");
  CHECK(shown({0.25, 75, 0.5, 60, 0.4}, 10, 110) == quarter);
  CHECK(shown({0.25, 75, 0.5, 60, 0.84}, 10, 80) == quarter);
  // Shorter than the terminal is wide: a long name is cut, so that 90 columns say how far the run is.
  CHECK(shown({0.5, 1, 0.5}, 1, 20).size() == 19);
  CHECK(shown({7, 1, 0.5}, 1, 40).size() <= 39);
  const std::string long_name = progress_text(std::string(60, 'n'), {0.25, 75, 0.5, 60}, 10, 90);
  CHECK(long_name.size() <= 89);
  CHECK(long_name.ends_with("nnnnnn..." + quarter.substr(3)));
}

TEST_CASE("a run that may take more than a minute is told of before, a shorter one is not") {
  CHECK(expected_text("run", {.expected_s = 56160}) == "run: takes roughly 15.6 h by the clock");
  CHECK(expected_text("run", {.expected_s = 60}) == "");
  CHECK(expected_text("run", {}) == "");
}

TEST_CASE("a log gets lines instead of a bar") {
  CHECK(progress_line("run", {0.25, 75, 0.5, 60}, 10) == "run: 25 %, t = 75 s, accuracy 0.500 at 60 s, 30 s left");
  CHECK(progress_line("run", {.score = -1}, 10) == "run: 0 %, t = 0 s");
}

// Output of `work` to stderr, redirected to a file.
std::string written(const std::function<void()>& work) {
  std::fflush(stderr);
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  const int before = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  work();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  std::rewind(file);
  std::string text(10000, ' ');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST_CASE("an output that is no terminal gets the expectation once and a line now and then, or nothing if quiet") {
  const run::Progress now{.fraction = 0.25, .simulated_s = 75, .score = -1, .expected_s = 600};
  const auto show = [&](bool wanted, std::chrono::milliseconds between) {
    return written([&] {
      ProgressLine line("run", wanted, between);
      line.show(now);
      line.show(now);
    });
  };
  const std::string expectation = "run: takes roughly 10 min by the clock\n", line = "run: 25 %, t = 75 s, 0 s left\n";
  CHECK(show(true, std::chrono::milliseconds(0)) == expectation + line + line);
  CHECK(show(true, std::chrono::hours(1)) == expectation);
  CHECK(show(false, std::chrono::milliseconds(0)) == "");
}

TEST_CASE("a log says at once that many workers are set up, and of few nothing") {
  const auto begin = [](std::optional<int> workers) {
    return written([&] { ProgressLine("run", true).begin(workers); });
  };
  CHECK(begin(10000) == "run: sets up 10,000 workers\n");
  CHECK(begin(999) == "");
  CHECK(begin(std::nullopt) == "");
}

TEST_CASE("an interrupted sweep says how far it is, and how to go on") {
  CHECK(interrupted_text({.runs = 9, .finished = 5}) ==
        "interrupted: 5 of 9 runs are finished and kept; the same command goes on from there");
}

TEST_CASE("the line of many runs tells what was kept, what failed, and the time left by the work that is left") {
  // Three quarters of the work took 30 s, so the last quarter takes 10 s.
  const jobs::RunsProgress progress{9, 5, 2, 1, 3, 1, "x/1", 30, 1};
  const std::string text = "grid: 5 of 9 runs, 2 kept from before, 1 failed, about 10 s left", last = ", last x/1";
  CHECK(runs_text("grid", progress, 30, std::string::npos) == text + last);
  CHECK(runs_text("grid", {.runs = 9}, 30, std::string::npos) == "grid: 0 of 9 runs");
  // The last run's name is whole, or is not there.
  CHECK(runs_text("grid", progress, 30, text.size() + last.size()) == text + last);
  CHECK(runs_text("grid", progress, 30, text.size() + last.size() - 1) == text);
}

TEST_CASE(
    "the time left of runs is what they took so far, spread over those at once, and before that what was expected") {
  // Ten runs that cost a second each, two at once: five seconds before the first ends.
  jobs::RunsProgress progress{.runs = 10, .work_left = 10, .at_once = 2, .expected_s = 1};
  CHECK(*progress.seconds_left(0) == 5);
  // The first took 3 s, with the other one as far: 27 s of work in all are left, 3 s of them done.
  const jobs::Job job{.name = "x/1", .cost = 1};
  progress.note_end(job, true, 3);
  CHECK(*progress.seconds_left(3) == 12);
  // A run that fails at once says nothing about the others, and is not left.
  progress.note_end(job, false, 0);
  CHECK(*progress.seconds_left(3) == 10.5);
  // With unknown durations, progress decides: a quarter in 6 s.
  CHECK(*jobs::RunsProgress{.work_done = 1, .work_left = 3}.seconds_left(6) == 18);
  CHECK_FALSE(jobs::RunsProgress{.work_left = 3}.seconds_left(6));
  CHECK_FALSE(jobs::RunsProgress{.work_done = 3, .took_s = 3}.seconds_left(6));
}

}  // namespace
}  // namespace ddl::cli::progress_test
