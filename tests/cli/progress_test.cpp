#include "sim/cli/progress.hpp"

#include <doctest/doctest.h>

namespace ddl {
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

}  // namespace
}  // namespace ddl
