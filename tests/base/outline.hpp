// Where functions and classes begin and end in a file of C++, as clang-format leaves it. Not a parser: what begins in a
// column ends with the next brace in that column.
#pragma once

#include <string>
#include <vector>

namespace ddl {

struct Definition {
  enum Kind { of_class, of_function };
  Kind kind;
  std::string name;       // as it stands there, without arguments of templates: "Simulation::run", "run"
  std::string in_class;   // of the outermost class around it, in whose body it stands; or empty
  std::size_t first = 0;  // lines, from 1
  std::size_t last = 0;

  int lines() const { return static_cast<int>(last - first) + 1; }
};

std::vector<Definition> outline(const std::string& text);

}  // namespace ddl
