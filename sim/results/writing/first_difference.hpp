// Where two tables or texts that should be the same are not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ddl::results {

// Numbers that differ by at most `relative` times the larger, or times `scale`, pass for the same.
struct Tolerance {
  double relative = 0;
  double scale = 0;            // of numbers that are differences of larger ones, such as waiting times
  bool of_times_only = false;  // in tables: of columns in seconds, "..._s"
};

// "row 3 (5,w1), column test_loss: 2 there, 1.75 here", of CSV texts with a header line; rows count from 1, and a row's
// first two fields say what it is of. Nothing when the texts are equal.
std::optional<std::string> first_difference(std::string_view there, std::string_view here,
                                            const Tolerance& tolerance = {});

// The same of any text: "line 4: "a": 1 there, "a": 2 here".
std::optional<std::string> first_different_line(std::string_view there, std::string_view here,
                                                const Tolerance& tolerance = {});

}  // namespace ddl::results
