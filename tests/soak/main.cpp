// soak FIRST LAST [FOLDER]: random scenarios FIRST to LAST, each run twice. Those with a problem are kept in FOLDER as
// soak_<seed>.json, to be run by ddlsim. Exit code 1 if there are any.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <string>

#include "tests/soak/soak.hpp"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: soak FIRST LAST [FOLDER]\n");
    return 2;
  }
  constexpr unsigned most_seconds = 120;
  const std::string folder = argc > 3 ? argv[3] : ".";
  std::map<std::string, int> ends, systems, refusals;
  int problems = 0;
  for (std::uint64_t seed = std::strtoull(argv[1], nullptr, 10), last = std::strtoull(argv[2], nullptr, 10);
       seed <= last; ++seed) {
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
