// The clock of TF.AKO, which keeps the staleness bound of synchronous training there. Every worker tells worker 0 of
// how many steps it has received everything (a ping), and worker 0 tells all workers when the least of these has risen
// (a pong).
#pragma once

#include <cstdint>
#include <vector>

#include "core/node/node.hpp"
#include "core/systems/ako/ako.hpp"

namespace ddl::systems {

// Whether it replaces the wait for peers.
inline bool keeps_tf_ako_clock(const AkoParams& params, const Cluster& cluster) {
  return params.staleness_bound && params.tf_ako.clock == AkoClock::ping_pong && cluster.workers > 1;
}

// Pings and pongs carry nothing but a number. They travel in the channels of the gradients, behind what waits there.
class TfAkoClock {
 public:
  TfAkoClock(Node& node, int port);

  void start();  // serves until the run ends
  // This worker has received everything of so many steps.
  void received(std::int64_t steps);
  // W. Until every worker has received everything of so many steps, or worker 0 is not there to tell.
  void wait(std::int64_t steps);

 private:
  void serve();
  void note_event(int node, Presence presence);
  void note(int worker, std::int64_t steps);  // at worker 0

  Node& node_;
  const int port_;
  std::vector<std::int64_t> received_;  // per worker; worker 0 knows all, others their own
  std::int64_t all_received_ = 0;       // by every worker, as far as this one knows
};

}  // namespace ddl::systems
