// Examples in text files: an input, and below it, indented by two blanks, the expected result. A line that begins with
// # is a comment, and an empty line separates examples.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ddl {

inline std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The end of `pattern` in `text`, searched for from `from` on, or npos; "..." in it matches any text within a line.
inline std::size_t end_of_match(const std::string& text, const std::string& pattern, std::size_t from = 0) {
  const std::string any = "...";
  for (std::size_t part = 0; part <= pattern.size();) {
    const std::size_t end = std::min(pattern.find(any, part), pattern.size());
    const std::string piece = pattern.substr(part, end - part);
    const std::size_t at = text.find(piece, from);
    if (at == std::string::npos || (part > 0 && text.substr(from, at - from).find('\n') != std::string::npos))
      return std::string::npos;
    from = at + piece.size();
    part = end + any.size();
  }
  return from;
}

// True if the whole line matches the pattern.
inline bool is_like(const std::string& line, const std::string& pattern) {
  return end_of_match("\n" + line + "\n", "\n" + pattern + "\n") == line.size() + 2;
}

struct Example {
  std::string place;                  // file and line
  std::string given;                  // one or more lines
  std::vector<std::string> expected;  // patterns
};

// Reads a file named from the root of the repository.
inline std::vector<Example> examples_in(const std::string& name) {
  std::ifstream file(std::filesystem::path(DDLSIM_SOURCE_DIR) / name);
  REQUIRE_MESSAGE(file.good(), name);
  std::vector<Example> examples;
  int number = 0;
  bool goes_on = false;
  for (std::string line; std::getline(file, line); goes_on = !line.empty() && !line.starts_with("  ")) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("  ")) {
      REQUIRE_MESSAGE(!examples.empty(), name);
      examples.back().expected.push_back(line.substr(2));
    } else if (goes_on && !examples.empty() && examples.back().expected.empty()) {
      examples.back().given += "\n" + line;
    } else {
      examples.push_back({name + ":" + std::to_string(number), line, {}});
    }
  }
  REQUIRE_MESSAGE(!examples.empty(), name);
  return examples;
}

}  // namespace ddl
