#include "core/base/natural_order.hpp"

#include <cstddef>

namespace ddl {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The run of digits at `at`, without leading zeros; moves `at` past it.
std::string_view take_number(std::string_view text, std::size_t& at) {
  while (at < text.size() && text[at] == '0') ++at;
  const std::size_t begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return text.substr(begin, at - begin);
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view left = take_number(a, i), right = take_number(b, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else if (a[i] != b[j]) {
      return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
    } else {
      ++i;
      ++j;
    }
  }
  const std::size_t left = a.size() - i, right = b.size() - j;
  return left != right ? left < right : a < b;
}

}  // namespace ddl
