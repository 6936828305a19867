// How wide a terminal is, and emphasis on it. Elsewhere, and where NO_COLOR is set (no-color.org), text stays as it is.
#pragma once

#include <cstddef>
#include <string>

#include "sim/results/text/layout.hpp"

namespace ddl::cli {

class Terminal {
 public:
  // `stream`: the number of stdout or stderr.
  explicit Terminal(int stream);
  explicit Terminal(bool takes_colours) : takes_colours_(takes_colours) {}

  // Letters of a line: the terminal's; elsewhere as COLUMNS says, or 80.
  std::size_t columns() const { return columns_; }

  std::string bold(const std::string& text) const { return in("1", text); }
  std::string good(const std::string& text) const { return in("32", text); }
  std::string bad(const std::string& text) const { return in("1;31", text); }
  // A table or paragraph with its first line in bold.
  std::string titled(const std::string& text) const;

 private:
  std::string in(const char* code, const std::string& text) const;

  bool takes_colours_;
  std::size_t columns_ = results::text_columns;
};

}  // namespace ddl::cli
