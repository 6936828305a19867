#include "sim/jobs/seeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/check.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::jobs {
namespace {

std::uint64_t parsed(const std::string& text, const char* expected) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    throw InputError(scenario::in_quotes(text) + " is no seed; expected " + expected);
  }
  return seed;
}

void add_part(const std::string& part, std::vector<std::uint64_t>& seeds) {
  const std::size_t dots = part.find("..");
  constexpr const char* expected = "a seed, a range 1..3 or a list 1,3,5";
  const std::uint64_t first = parsed(part.substr(0, dots), expected);
  const std::uint64_t last = dots == std::string::npos ? first : parsed(part.substr(dots + 2), expected);
  if (first > last) throw InputError(scenario::in_quotes(part) + " is empty; expected A..B with A not above B");
  if (last - first >= most_seeds || seeds.size() + (last - first) >= most_seeds) {
    throw InputError(scenario::in_quotes(part) + fmt::format(" is too long; expected at most {} seeds", most_seeds));
  }
  for (std::uint64_t offset = 0; offset <= last - first; ++offset) {
    if (std::ranges::count(seeds, first + offset) > 0) {
      throw InputError(std::to_string(first + offset) + " is given twice; expected each seed once");
    }
    seeds.push_back(first + offset);
  }
}

}  // namespace

std::uint64_t seed_of(const std::string& text) { return parsed(text, "a whole number from 0 to 2^64 - 1"); }

std::vector<std::uint64_t> seeds_of(const std::string& text) {
  std::vector<std::uint64_t> seeds;
  std::string rest = text;
  for (std::size_t comma; (comma = rest.find(',')) != std::string::npos; rest = rest.substr(comma + 1)) {
    add_part(rest.substr(0, comma), seeds);
  }
  add_part(rest, seeds);
  return seeds;
}

}  // namespace ddl::jobs
