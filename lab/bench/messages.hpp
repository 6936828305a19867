// Speed of simulated messages, with links shared equally, and memory per simulated worker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/node/registry.hpp"

namespace ddl::bench {

struct MessageRow {
  std::string name;  // the pattern: a training system
  int workers = 0;
  std::int64_t messages = 0;
  double wall_s = 0, messages_per_s = 0;
  double peak_memory_bytes = 0;
};

struct MessageBench {
  std::vector<std::string> patterns = {"ps_sync", "d_psgd", "gossip", "ako", "ring_allreduce"};
  std::vector<int> workers = {25, 100, 400, 1000, 4000, 16384};
  int rounds = 20;
  double most_seconds = 10;  // approximate wall time for each pattern; larger runs that would not fit are skipped
};

// Timing-only runs on a star of 100 Mbit/s links (a server: 10 Gbit/s), 1 MB models, 100 ms +- 10 % of compute: one row
// for each pattern and count of workers that fits. The first count of a pattern is always run.
std::vector<MessageRow> measure_messages(const Registry& systems, const MessageBench& bench = {});

// The memory that one more worker takes, and its unavoidable part; all in bytes per worker.
struct MemoryRow {
  std::string name;  // optimizer
  double parameters = 0, optimizer_state = 0;
  double in_flight = 0;  // its gradient, and one model that it has requested
  double measured = 0;
  double sum() const { return parameters + optimizer_state + in_flight; }
};

// Gossip with real gradients of `model` with 32 and with 32 + `more_workers` workers, for SGD, momentum and Adam.
std::vector<MemoryRow> measure_memory(const Registry& systems, const std::string& model = "mlp",
                                      int more_workers = 256);

}  // namespace ddl::bench
