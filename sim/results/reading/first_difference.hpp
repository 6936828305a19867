// Where two results that should be the same are not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/results/reading/finished_run.hpp"

namespace ddl::results {

// The first place at which `there` differs from `here`, which has been made again: "curve.csv, row 3 (5,w1), column
// test_loss: 2 there, 1.75 here"; "" if they are the same. Tables that the digest is over are compared to the bit if
// the digests differ, times and all else within rounding. Throws InputError where a file cannot be read.
std::string first_difference(const FinishedRun& there, const FinishedRun& here);

// Numbers that differ by at most `relative` times the larger, or times `scale`, pass for the same.
struct Tolerance {
  double relative = 0;
  double scale = 0;            // for numbers that are differences of larger ones, such as waiting times
  bool of_times_only = false;  // in tables: of columns in seconds, "..._s"
};

// The same between two texts of a file of this name: "row 3 (5,w1), column test_loss: 2 there, 1.75 here" in a table,
// whose rows count from 1 and begin with what they are of; "line 4: "a": 1 there, "a": 2 here" in JSON; "" in others.
// Nothing where the texts are the same.
std::optional<std::string> first_difference(std::string_view name, std::string_view there, std::string_view here,
                                            const Tolerance& tolerance);

}  // namespace ddl::results
