// Scenarios of law tests: the textbook network, no jitter, and a test's own settings.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/check.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/support/run.hpp"

namespace ddl {

// Max-min sharing of full-duplex links, nothing else: the network of closed forms.
inline const std::string textbook = R"("network": {"model": "CM02"})";

inline scenario::Scenario scenario_from(const std::string& json) {
  return scenario::parse_scenario(systems::built_in(), json, "law.json");
}

// A star of 8 Mbit/s (1 MB/s) links and messages of 1 MB, so that N/B is a second; gradients take 100 ms.
inline scenario::Scenario timing_only(const std::string& algorithm, int workers, int servers,
                                      const std::string& latency, const std::string& stop) {
  return scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{"topology": "star", "workers": {}, "servers": {}, "bandwidth": "8Mbps",
          "latency": "{}", {}}}, "model": "none", "wire": {{"model_bytes": "1MB"}},
          "compute": {{"seconds_per_batch": "100ms", "jitter": 0}}, "algorithm": {}, "stop": {}}})",
      workers, servers, latency, textbook, algorithm, stop));
}

// A small real network (a softmax classifier) on a quick star.
inline std::string learning_text(const std::string& algorithm, int workers, int servers, const std::string& rest) {
  return fmt::format(
      R"({{"name": "law", "platform": {{"topology": "star", "workers": {}, "servers": {}, "bandwidth": "80Mbps",
          "latency": "1ms", {}}}, "model": "softmax", "compute": {{"seconds_per_batch": "100ms", "jitter": 0}},
          "algorithm": {}, {}}})",
      workers, servers, textbook, algorithm, rest);
}
inline scenario::Scenario learning(const std::string& algorithm, int workers, int servers, const std::string& rest) {
  return scenario_from(learning_text(algorithm, workers, servers, rest));
}

// A perceptron with three layers of weights.
inline nn::ModelSpec three_layers() {
  return scenario_from(R"({"name": "model", "platform": {"topology": "star", "bandwidth": "1Mbps"},
                           "model": {"layers": [{"type": "dense", "units": 16}, {"type": "relu"},
                                                {"type": "dense", "units": 8}, {"type": "relu"},
                                                {"type": "dense", "units": 10}]},
                           "algorithm": "alone", "stop": {"iterations": 1}})")
      .model;
}

// When a worker's steps are over.
inline std::vector<double> ends_of(const run::RunResult& result, int worker) {
  std::vector<double> ends;
  for (const run::IterationRow& row : result.iterations) {
    if (row.worker == worker) ends.push_back(row.end_s);
  }
  return ends;
}

inline double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  check(a.size() == b.size(), "vectors of one length");
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return largest;
}

// No worker is excluded.
inline platform::Places all_of(int workers) {
  platform::Places places{.of_workers = std::vector<int>(static_cast<std::size_t>(workers)), .among = workers};
  std::iota(places.of_workers.begin(), places.of_workers.end(), 0);
  return places;
}

}  // namespace ddl
