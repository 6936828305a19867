// How a training system looks in every picture and page: one colour and mark each, so that figures beside each other
// can be read together.
#pragma once

#include <string>
#include <vector>

namespace ddl::view {

constexpr int dash_kinds = 5;  // that gnuplot knows

struct Look {
  std::string colour;  // "#0072b2"
  int mark = 1;        // gnuplot's point type
  int dash = 1;        // gnuplot's dash type: 1 is a solid line
  bool operator==(const Look&) const = default;
};

// Of a system by its name, or of any other word: the same word looks the same in every picture, and hardly like
// another.
Look look_of(const std::string& system);

// Of one thing drawn: its system, and the name under which it is drawn, such as "ako partitions=4".
struct Drawn {
  std::string system, name;
};

// Each as its system looks. Where several names are of one system they have its mark, and differ in shade and dash, in
// the natural order of their names. With `grey` shades and dashes follow the order in which they are drawn; only marks
// are the systems' own.
std::vector<Look> looks_of(const std::vector<Drawn>& drawn, bool grey = false);

}  // namespace ddl::view
