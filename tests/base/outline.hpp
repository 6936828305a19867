// Beginnings and ends of functions and classes in a C++ file formatted by clang-format. Not a parser: a definition that
// begins in a column ends with the next brace in that column.
#pragma once

#include <string>
#include <vector>

namespace ddl {

struct Definition {
  enum Kind { of_class, of_function };
  Kind kind;
  std::string name;       // as written, without template arguments: "Simulation::run", "run"
  std::string in_class;   // the outermost class with this in its body; or empty
  std::size_t first = 0;  // lines, from 1
  std::size_t last = 0;

  int lines() const { return static_cast<int>(last - first) + 1; }
};

std::vector<Definition> outline(const std::string& text);

}  // namespace ddl
