#include "sim/cli/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace ddl::cli {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool is_dumb() {
  const char* kind = std::getenv("TERM");
  return kind == nullptr || std::string_view(kind) == "dumb";
}

}  // namespace

Terminal::Terminal(int stream) : takes_colours_(isatty(stream) == 1 && !is_set("NO_COLOR") && !is_dumb()) {}

std::string Terminal::titled(const std::string& text) const {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return bold(text.substr(0, end)) + text.substr(end);
}

std::string Terminal::in(const char* code, const std::string& text) const {
  return takes_colours_ && !text.empty() ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

}  // namespace ddl::cli
