// TF.AKO's clock for synchronous training. Every worker tells worker 0 of how many steps it has received everything
// (ping), and worker 0 tells everybody whenever the least of these has risen (pong).
#pragma once

#include <cstdint>
#include <vector>

#include "core/node/node.hpp"

namespace ddl::systems {

// Pings and pongs carry nothing but a number. They travel in the channels of the gradients, behind what waits there.
class PingPongClock {
 public:
  PingPongClock(Node& node, int port);

  void start();  // serves until the run ends
  // This worker has received everything of so many steps.
  void received(std::int64_t steps);
  // Of how many steps every worker has received everything, as far as this one knows. It rises with a notify(),
  // and falls when somebody comes back.
  std::int64_t steps() const { return all_received_; }

 private:
  void serve();
  void note_event(int node, Presence presence);
  void note(int worker, std::int64_t steps);  // at worker 0

  Node& node_;
  const int port_;
  std::vector<std::int64_t> received_;  // per worker; worker 0 knows all, others their own
  std::int64_t all_received_ = 0;
};

}  // namespace ddl::systems
