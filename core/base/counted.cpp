#include "core/base/counted.hpp"

#include <algorithm>
#include <cctype>

namespace ddl {

std::string with_separators(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  const auto is_digit = [](unsigned char letter) { return std::isdigit(letter) != 0; };
  if (!std::all_of(digits.begin() + static_cast<std::ptrdiff_t>(first), digits.end(), is_digit)) return digits;
  for (std::size_t end = digits.size(); end > first + 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

std::string counted(std::int64_t count, std::string_view one) {
  return counted(with_separators(std::to_string(count)), one);
}

std::string counted(const std::string& number, std::string_view one) {
  std::string text = number + " " + std::string(one);
  if (number == "1") return text;
  const bool hisses = one.ends_with("tch") || one.ends_with('x') || one.ends_with('s');
  return text + (hisses ? "es" : "s");
}

}  // namespace ddl
