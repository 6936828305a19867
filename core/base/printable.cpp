#include "core/base/printable.hpp"

#include <algorithm>

namespace ddl {
namespace {

constexpr std::size_t longest_quote = 60;

// Length of the UTF-8 character at the beginning of `text`, in its shortest form and no surrogate (RFC 3629, section
// 4). 0 if there is none, or a control character, one that breaks lines or one that turns their direction (U+2028 to
// U+202E, U+2066 to U+2069).
std::size_t printable_bytes(std::string_view text) {
  const auto between = [&](std::size_t at, unsigned least, unsigned most) {
    const unsigned byte = at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
    return byte >= least && byte <= most;
  };
  if (between(0, 0x20, 0x7e)) return 1;
  if (between(0, 0xc2, 0xdf)) return between(1, between(0, 0xc2, 0xc2) ? 0xa0 : 0x80, 0xbf) ? 2 : 0;
  if (between(0, 0xe0, 0xef)) {
    const bool second = between(1, between(0, 0xe0, 0xe0) ? 0xa0 : 0x80, between(0, 0xed, 0xed) ? 0x9f : 0xbf);
    const bool moves =
        text.starts_with("\xe2\x80") ? between(2, 0xa8, 0xae) : text.starts_with("\xe2\x81") && between(2, 0xa6, 0xa9);
    return second && between(2, 0x80, 0xbf) && !moves ? 3 : 0;
  }
  if (between(0, 0xf0, 0xf4)) {
    const bool second = between(1, between(0, 0xf0, 0xf0) ? 0x90 : 0x80, between(0, 0xf4, 0xf4) ? 0x8f : 0xbf);
    return second && between(2, 0x80, 0xbf) && between(3, 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string on_one_line(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = printable_bytes(text);
    if (length == 0) result += '?';
    result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= longest_quote) return '"' + on_one_line(text) + '"';
  std::size_t end = longest_quote;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return '"' + on_one_line(text.substr(0, end)) + "...\"";
}

}  // namespace ddl
