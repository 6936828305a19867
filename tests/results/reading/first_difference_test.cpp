// The first difference between two tables that should be the same.
#include "sim/results/reading/first_difference.hpp"

#include <doctest/doctest.h>

namespace ddl::results::first_difference_test {
namespace {

std::optional<std::string> different_row(const std::string& there, const std::string& here,
                                         const Tolerance& tolerance = {}) {
  return first_difference("curve.csv", there, here, tolerance);
}
std::optional<std::string> different_line(const std::string& there, const std::string& here,
                                          const Tolerance& tolerance = {}) {
  return first_difference("summary.json", there, here, tolerance);
}

}  // namespace

TEST_CASE("equal tables do not differ") { CHECK_FALSE(different_row("a,b\n1,2\n", "a,b\n1,2\n")); }

TEST_CASE("the first difference is named by row, column and both values") {
  const char* there = "time_s,worker,loss\n1,w0,5\n2,w0,4\n3,w0,3\n";
  CHECK(different_row(there, "time_s,worker,loss\n1,w0,5\n2,w0,4.5\n3,w0,0\n") ==
        "row 2 (2,w0), column loss: 4 there, 4.5 here");
  CHECK(different_row(there, "time_s,worker,loss\n1,w0,5\n2,w0,\n3,w0,3\n") ==
        "row 2 (2,w0), column loss: 4 there, nothing here");
}

TEST_CASE("rows that are missing and other headers are differences") {
  CHECK(different_row("a,b\n1,2\n", "a,b\n1,2\n3,4\n") == "row 2: none there, one here");
  CHECK(different_row("a,b\n1,2\n", "a,b\n") == "row 1: one there, none here");
  CHECK(different_row("a,b\n1,2\n", "a,c\n1,2\n") == "the header");
}

TEST_CASE("a comma between quotes separates nothing") {
  CHECK(different_row("n,x\n\"a,b\",1\n", "n,x\n\"a,b\",2\n") == "row 1 (\"a,b\",2), column x: 1 there, 2 here");
}

TEST_CASE("numbers within the tolerance pass, in tables and lines, and words never do") {
  const Tolerance close{.relative = 1e-9, .scale = 1};
  const char* there = "worker,start_s,wait_s,loss\nw1,200,0,3\n";
  CHECK_FALSE(different_row(there, "worker,start_s,wait_s,loss\nw1,200.0000001,2e-10,3.000000001\n", close));
  CHECK(different_row(there, "worker,start_s,wait_s,loss\nw1,200.000001,0,3\n", close) ==
        "row 1 (w1,200.000001), column start_s: 200 there, 200.000001 here");
  CHECK(different_row(there, "worker,start_s,wait_s,loss\nw1,200,2e-9,3\n", close));
  CHECK(different_row(there, "worker,start_s,wait_s,loss\nw1,200,,3\n", close));
  CHECK(different_row("n,x\nw1000000000,1\n", "n,x\nw1000000001,1\n", close));
  // If only times may differ, a loss must not, not even by a digit.
  const Tolerance times{.relative = 1e-9, .scale = 1, .of_times_only = true};
  CHECK_FALSE(different_row(there, "worker,start_s,wait_s,loss\nw1,200.0000001,0,3\n", times));
  CHECK(different_row(there, "worker,start_s,wait_s,loss\nw1,200.0000001,0,3.000000001\n", times) ==
        "row 1 (w1,200.0000001), column loss: 3 there, 3.000000001 here");

  CHECK_FALSE(different_line("{\n  \"a\": [1, 2.5]\n}\n", "{\n  \"a\": [1, 2.5000000001]\n}\n", close));
  CHECK(different_line("\"a\": 2.5\n", "\"a\": 2.50001\n", close) == "line 1: \"a\": 2.5 there, \"a\": 2.50001 here");
  CHECK(different_line("\"a\": \"w1\"\n", "\"a\": \"w2\"\n", close));
  CHECK(different_line("\"a\": null\n", "\"a\": 0\n", close));
}

TEST_CASE("texts that differ are told apart by their first different line") {
  const std::string there = "{\n  \"a\": 1,\n  \"b\": 2\n}\n";
  CHECK_FALSE(different_line(there, there));
  CHECK(different_line(there, "{\n  \"a\": 1,\n  \"b\": 3\n}\n") == "line 3: \"b\": 2 there, \"b\": 3 here");
  CHECK(different_line(there, "{\n  \"a\": 1,\n  \"b\": 2\n}\n5") == "line 5: nothing there, 5 here");
  CHECK(first_difference("weights-w0.safetensors", "1", "2", {}) == "");
}

}  // namespace ddl::results::first_difference_test
