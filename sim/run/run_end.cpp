#include "sim/run/run_end.hpp"

#include <algorithm>

namespace ddl::run {

std::string joined(const std::vector<std::string>& waiting) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(waiting.size(), most); ++i) text += (i == 0 ? "" : "; ") + waiting[i];
  return waiting.size() > most ? text + "; and " + std::to_string(waiting.size() - most) + " more wait" : text;
}

}  // namespace ddl::run
