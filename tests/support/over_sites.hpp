// Three sites of two workers, for laws of faults.
#pragma once

#include "tests/support/scenarios.hpp"

namespace ddl {

// Three sites of two workers each, w0 and w1 at a; 1 MB/s everywhere, no latency, models of 1 MB.
inline scenario::Scenario over_sites(const std::string& algorithm, const std::string& faults, const std::string& stop,
                                     const std::string& model = R"("model": "none")") {
  return scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{"sites": [
            {{"name": "a", "workers": 2, "bandwidth": "8Mbps", "latency": "0s"}},
            {{"name": "b", "workers": 2, "bandwidth": "8Mbps", "latency": "0s"}},
            {{"name": "c", "workers": 2, "bandwidth": "8Mbps", "latency": "0s"}}], "links": [
            {{"from": "a", "to": "b", "up": "8Mbps", "latency": "0s"}},
            {{"from": "a", "to": "c", "up": "8Mbps", "latency": "0s"}},
            {{"from": "b", "to": "c", "up": "8Mbps", "latency": "0s"}}], {}}},
          {}, "wire": {{"model_bytes": "1MB"}}, "training": {{"batch_size": 10}},
          "compute": {{"seconds_per_batch": "1s", "jitter": 0}}, "algorithm": {}, "stop": {}, "faults": [{}]}})",
      textbook, model, algorithm, stop, faults));
}

}  // namespace ddl
