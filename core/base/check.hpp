// Checks that stay on in every build: a broken invariant ends the run with a clear error, never with a wrong number.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ddl {

// Wrong input: a file, a platform, or a setting that turns out to be impossible. Exit code 2. The text is made one
// printable line, whatever the input contains.
struct InputError : std::runtime_error {
  explicit InputError(std::string_view what);
};

// An invariant of the program itself does not hold. Exit code 1.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

// Throws InternalError with the source location unless `holds`.
inline void check(bool holds, const char* what, std::source_location at = std::source_location::current()) {
  if (!holds) {
    throw InternalError(std::string(at.file_name()) + ":" + std::to_string(at.line()) + ": " + what);
  }
}

}  // namespace ddl
