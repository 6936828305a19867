// soak FIRST LAST [FOLDER]: random scenarios FIRST to LAST, each run twice. Those with a problem are kept in FOLDER as
// soak_<seed>.json, to be run by ddlsim. Exit code 1 if there are any, 2 for a range without scenarios.
#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tests/soak/soak.hpp"

namespace {

std::optional<std::uint64_t> seed_of(std::string_view word) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seed);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(seed) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  const auto first = argc > 1 ? seed_of(argv[1]) : std::nullopt, last = argc > 2 ? seed_of(argv[2]) : std::nullopt;
  if (!first || !last || *first > *last) {
    std::fprintf(stderr, "usage: soak FIRST LAST [FOLDER], FIRST no greater than LAST\n");
    return 2;
  }
  std::printf("seeds %s to %s\n", argv[1], argv[2]);
  constexpr unsigned most_seconds = 120;
  const std::string folder = argc > 3 ? argv[3] : ".";
  std::map<std::string, int> ends, systems, refusals;
  int problems = 0;
  for (std::uint64_t seed = *first; seed <= *last; ++seed) {
    const ddl::SoakOutcome outcome = ddl::soak(seed, most_seconds);
    ++ends[outcome.ended];
    ++systems[outcome.algorithm];
    if (outcome.ended == "refused")
      ++refusals[outcome.refusal.substr(0, outcome.refusal.find_first_of("[\"0123456789"))];
    if (outcome.problem.empty()) continue;
    ++problems;
    const std::string file = folder + "/soak_" + std::to_string(seed) + ".json";
    std::ofstream(file) << outcome.scenario;
    std::printf("%s: %s: %s\n", file.c_str(), outcome.algorithm.c_str(), outcome.problem.c_str());
    std::fflush(stdout);
  }
  for (const auto& [end, count] : ends) std::printf("%s %d\n", end.empty() ? "(none)" : end.c_str(), count);
  for (const auto& [system, count] : systems) std::printf("  %s %d\n", system.c_str(), count);
  for (const auto& [refusal, count] : refusals) std::printf("  refused: %s %d\n", refusal.c_str(), count);
  std::printf("%d problems\n", problems);
  return problems > 0 ? 1 : 0;
}
