// How the study of measured cells judges rankings.
#include "lab/studies/validation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace ddl::studies::validation {
namespace {

// Gossip was measured to take 1.0 to 1.2 s a cycle, a ring 1.4 to 1.6.
std::vector<MeasuredCell> two_cells() {
  return read_measured(
      "network,workers,message_mb,scheme,queue_s,seed,stop_s,seconds_per_cycle\n"
      "uniform,2,1,gossip,0.05,1,3.0,1.0\n"
      "uniform,2,1,gossip,0.05,2,3.0,1.2\n"
      "uniform,2,1,ring_allreduce,0.05,1,3.0,1.4\n"
      "uniform,2,1,ring_allreduce,0.05,2,3.0,1.6\n");
}

Verdict verdict(double gossip_s, double ring_s, std::optional<double> half_width) {
  const std::vector<MeasuredCell> cells = two_cells();
  const Outcome outcome({{place_of(cells[0], "packets"), cells[0].mean(), gossip_s, half_width},
                         {place_of(cells[1], "packets"), cells[1].mean(), ring_s, half_width}});
  const std::vector<Claim> all = claims(cells);
  const auto ranked = std::ranges::find(all, "With the model packets, schemes are ranked as measured.", &Claim::text);
  REQUIRE(ranked != all.end());
  return ranked->judge(outcome);
}

TEST_CASE("a pair is reversed if the simulation has it the other way or equal") {
  CHECK(verdict(1.2, 1.3, 0.1).holds);
  CHECK(verdict(1.2, 1.3, 0.1).numbers == "tau 1 in 1 of 1, 0 of 1 pairs reversed");
  CHECK_FALSE(verdict(1.3, 1.3, 0.1).holds);
  CHECK_FALSE(verdict(1.3, 1.2, 0.1).holds);
}

TEST_CASE("of reversed pairs those are counted whose simulated intervals do not overlap") {
  const std::string example = ", such as ring_allreduce before: uniform, 2 workers, 1 MB, gossip";
  const auto numbers = [&](int apart) {
    return "tau 1 in 0 of 1, 1 of 1 pairs reversed (" + std::to_string(apart) +
           " with simulated intervals that do not overlap)" + example;
  };
  CHECK(verdict(1.3, 1.2, 0.06).numbers == numbers(0));
  CHECK(verdict(1.3, 1.2, 0.04).numbers == numbers(1));
  CHECK(verdict(1.3, 1.3, 0.0).numbers == numbers(0));
  CHECK(verdict(1.3, 1.2, std::nullopt).numbers == numbers(0));  // one run, no interval
}

}  // namespace
}  // namespace ddl::studies::validation
