// Checks that this machine permits emulation. A test that cannot go on says so and counts as skipped.
#pragma once

#include <doctest/doctest.h>

#include <optional>

#include "core/base/check.hpp"
#include "lab/emulate/emulate.hpp"
#include "lab/emulate/testbed/testbed.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::emulate {

inline bool stage_is_allowed() {
  try {
    const Star pair{{{"a", 0, 1, 1e6, 1e6}, {"b", 2, 3, 1e6, 1e6}}, {{0, 0}, {0, 0}}};
    const Testbed testbed(pair, {});
    return true;
  } catch (const InputError& error) {
    MESSAGE("[skipped] " << error.what());
    return false;
  }
}

// Measures until the expected value is met, three times at most: a busy machine's delays say nothing about the links,
// and a wrong value stays wrong. Nothing if `measure` returns nothing.
template <class Measure>
std::optional<double> one_of_three(const doctest::Approx& expected, Measure measure) {
  std::optional<double> measured = measure();
  for (int again = 0; again < 2 && measured && *measured != expected; ++again) measured = measure();
  return measured;
}

// A star of 40 Mbit/s and messages of 500 kB, a tenth of a second each.
inline scenario::Scenario small_star(const std::string& algorithm, int workers, int servers, const std::string& rest) {
  return scenario_from(fmt::format(
      R"({{"name": "measured_law", "platform": {{"topology": "star", "workers": {}, "servers": {},
          "bandwidth": "40Mbps", "latency": "100us"}}, "algorithm": {}, "wire": {{"model_bytes": "500kB"}},
          "compute": {{"seconds_per_batch": "50ms"}}, {}}})",
      workers, servers, algorithm, rest));
}

}  // namespace ddl::emulate
