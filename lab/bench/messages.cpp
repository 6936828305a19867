#include "lab/bench/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/systems/table.hpp"
#include "lab/runs/run.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::bench {
namespace {

std::string algorithm_of(const std::string& pattern) {
  if (pattern == "d_psgd") return R"({"name": "d_psgd", "topology": "random_regular", "degree": 4})";
  if (pattern == "ako") return R"({"name": "ako", "partitions": 4, "overflow": "block"})";
  return '"' + pattern + '"';
}

bool needs_servers(const Registry& systems, const std::string& pattern) {
  return std::ranges::any_of(
      systems, [&](const auto& system) { return system->facts().name == pattern && system->facts().needs_servers; });
}

scenario::Scenario timing_only(const Registry& systems, const std::string& pattern, int workers, int rounds) {
  return scenario::parse_scenario(
      systems,
      fmt::format(R"({{"name": "bench", "platform": {{"topology": "star", "workers": {}, "bandwidth": "100Mbps",
                      "latency": "1ms", "network": {{"model": "TCP"}}{}}}, "model": "none",
                      "wire": {{"model_bytes": "1MB"}},
                      "compute": {{"seconds_per_batch": "100ms"}}, "algorithm": {}, "stop": {{"iterations": {}}}}})",
                  workers, needs_servers(systems, pattern) ? R"(, "servers": 1, "server_bandwidth": "10Gbps")" : "",
                  algorithm_of(pattern), rounds),
      "bench");
}

scenario::Scenario learning(const Registry& systems, const std::string& model, const std::string& optimizer,
                            int workers) {
  return scenario::parse_scenario(
      systems,
      fmt::format(R"({{"name": "bench", "platform": {{"topology": "star", "workers": {}, "bandwidth": "100Mbps",
                      "latency": "1ms"}}, "model": "{}", "compute": {{"seconds_per_batch": "100ms"}},
                      "training": {{"optimizer": {{"type": "{}", "learning_rate": 0.01}}}},
                      "data": {{"source": "synthetic", "train": 4000, "test": 100}},
                      "algorithm": "gossip", "stop": {{"iterations": 5}}}})",
                  workers, model, optimizer),
      "bench");
}

int states_of(const std::string& optimizer) { return optimizer == "adam" ? 2 : optimizer == "momentum" ? 1 : 0; }

}  // namespace

std::vector<MessageRow> measure_messages(const Registry& systems, const MessageBench& bench) {
  std::vector<MessageRow> rows;
  for (const std::string& pattern : bench.patterns) {
    double left_s = bench.most_seconds;
    for (std::size_t i = 0; i < bench.workers.size(); ++i) {
      const int workers = bench.workers[i];
      const scenario::Scenario scenario = timing_only(systems, pattern, workers, bench.rounds);
      if (i > 0) {
        // With all-to-all traffic, the number of messages grows with the square of the workers, and so does the cost of
        // each. In some other patterns the number does, so this is assumed for all of them.
        const double growth = static_cast<double>(workers) / bench.workers[i - 1];
        const bool all_to_all = scenario.algorithm->memory(0, workers).all_to_all;
        if (rows.back().wall_s * std::pow(growth, all_to_all ? 4 : 2) > left_s) break;
      }
      const run::RunResult result = run::run(scenario);
      rows.push_back({pattern, workers, result.messages_sent, result.wall_s,
                      static_cast<double>(result.messages_sent) / std::max(result.wall_s, 1e-9),
                      result.peak_memory_bytes});
      left_s -= result.wall_s;
    }
  }
  return rows;
}

std::vector<MemoryRow> measure_memory(const Registry& systems, const std::string& model, int more_workers) {
  constexpr int few_workers = 32;
  std::vector<MemoryRow> rows;
  for (const char* optimizer : {"sgd", "momentum", "adam"}) {
    const run::RunResult few =
        run::run(learning(systems, model, optimizer, few_workers), {.threads = 1, .progress = {}});
    const run::RunResult many =
        run::run(learning(systems, model, optimizer, few_workers + more_workers), {.threads = 1, .progress = {}});
    const double model_bytes = 4.0 * static_cast<double>(few.weights.front().size());
    rows.push_back({optimizer, model_bytes, states_of(optimizer) * model_bytes, 2 * model_bytes,
                    (many.peak_memory_bytes - few.peak_memory_bytes) / more_workers});
  }
  return rows;
}

}  // namespace ddl::bench
