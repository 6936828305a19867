// Emphasis on terminals. Elsewhere, and where NO_COLOR is set (no-color.org), text stays as it is.
#pragma once

#include <string>

namespace ddl::cli {

class Terminal {
 public:
  // Of stdout or stderr, by its number.
  explicit Terminal(int stream);
  explicit Terminal(bool takes_colours) : takes_colours_(takes_colours) {}

  std::string bold(const std::string& text) const { return in("1", text); }
  std::string good(const std::string& text) const { return in("32", text); }
  std::string bad(const std::string& text) const { return in("1;31", text); }
  // A table or paragraph with its first line in bold.
  std::string titled(const std::string& text) const;

 private:
  std::string in(const char* code, const std::string& text) const;

  bool takes_colours_;
};

}  // namespace ddl::cli
