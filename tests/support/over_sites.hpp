// Three sites, for laws of faults.
#pragma once

#include <array>
#include <string>

#include "tests/support/scenarios.hpp"

namespace ddl {

// Keys of a platform of sites a, b and c with so many workers; each link has that bandwidth and no latency.
inline std::string three_sites(const std::array<int, 3>& workers, const std::string& bandwidth) {
  return fmt::format(
      R"("sites": [
            {{"name": "a", "workers": {0}, "bandwidth": "{3}", "latency": "0s"}},
            {{"name": "b", "workers": {1}, "bandwidth": "{3}", "latency": "0s"}},
            {{"name": "c", "workers": {2}, "bandwidth": "{3}", "latency": "0s"}}], "links": [
            {{"from": "a", "to": "b", "up": "{3}", "latency": "0s"}},
            {{"from": "a", "to": "c", "up": "{3}", "latency": "0s"}},
            {{"from": "b", "to": "c", "up": "{3}", "latency": "0s"}}])",
      workers[0], workers[1], workers[2], bandwidth);
}

// Three sites of two workers each, w0 and w1 at a; 1 MB/s everywhere, no latency, models of 1 MB.
inline scenario::Scenario over_sites(const std::string& algorithm, const std::string& faults, const std::string& stop,
                                     const std::string& model = R"("model": "none")") {
  return scenario_from(fmt::format(R"({{"name": "law", "platform": {{{}, {}}}, {}, "wire": {{"model_bytes": "1MB"}},
                       "training": {{"batch_size": 10}}, "compute": {{"seconds_per_batch": "1s", "jitter": 0}},
                       "algorithm": {}, "stop": {}, "faults": [{}]}})",
                                   three_sites({2, 2, 2}, "8Mbps"), textbook, model, algorithm, stop, faults));
}

}  // namespace ddl
