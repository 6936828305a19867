#include "sim/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
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

// Narrower ones have lines of this many letters all the same.
constexpr std::size_t least_columns = 40;

std::size_t width_of(int stream) {
  winsize size{};
  std::size_t columns = 0;
  if (ioctl(stream, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  if (const char* told = std::getenv("COLUMNS"); columns == 0 && told != nullptr) {
    const std::string_view text = told;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
    if (error != std::errc() || end != text.data() + text.size()) columns = 0;
  }
  return columns == 0 ? results::text_columns : std::max(columns, least_columns);
}

}  // namespace

Terminal::Terminal(int stream)
    : takes_colours_(isatty(stream) == 1 && !is_set("NO_COLOR") && !is_dumb()), columns_(width_of(stream)) {}

std::string Terminal::titled(const std::string& text) const {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return bold(text.substr(0, end)) + text.substr(end);
}

std::string Terminal::in(const char* code, const std::string& text) const {
  return takes_colours_ && !text.empty() ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

}  // namespace ddl::cli
