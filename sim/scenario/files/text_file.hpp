// The text of files that users name, with a limit on its size.
#pragma once

#include <cstddef>
#include <string>

namespace ddl::scenario {

// The kind of file expected.
struct TextFile {
  const char* what;  // "a scenario", for errors
  std::size_t most_bytes;
  bool pipes = false;  // whether it may be a pipe, so that a shell can hand over what a command prints
};

inline constexpr TextFile platform_file{"a SimGrid platform file", 64 << 20};

// Where the name of a scenario's file may stand: the standard input, whose relative paths start in the current folder.
inline constexpr const char* standard_input = "-";

// Throws InputError with what is wrong, without the file's name: "no such file; expected a scenario". Never blocks on
// anything but a file or a pipe that is allowed.
std::string text_of_file(const std::string& path, const TextFile& expected);

// The name of something called after its file: its stem, or `otherwise` where it comes by the standard input.
std::string name_of_file(const std::string& path, const char* otherwise);

}  // namespace ddl::scenario
