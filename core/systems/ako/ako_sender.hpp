// How an Ako worker's gradients reach its peers.
#pragma once

#include <memory>

#include "core/node/node.hpp"
#include "core/systems/ako/ako.hpp"
#include "core/systems/ako/ako_plan.hpp"

namespace ddl::systems {

class AkoSender {
 public:
  virtual ~AkoSender() = default;
  virtual void start() {}  // the services that it needs, until the run ends
  // W where a full queue makes the worker wait. The gradient of this step, which took so many seconds.
  virtual void send(const Payload& gradient, double seconds) = 0;
};

// As the settings say. All three outlive it.
std::unique_ptr<AkoSender> make_sender(Node& node, const AkoParams& params, const AkoPlan& plan);

}  // namespace ddl::systems
