// The accelerator: messages as flows of the project's own solver of SimGrid's model.
#pragma once

#include <functional>
#include <vector>

#include "sim/network/flows/flows.hpp"
#include "sim/network/transports/transport.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class FlowTransport : public Transport {
 public:
  // `sooner` is called when next_end_s() may have become another by itself.
  FlowTransport(platform::Fabric& fabric, std::function<void()> sooner);

  void start(const std::vector<Transmission*>& transmissions) override {
    for (Transmission* transmission : transmissions) start(*transmission);
  }
  double cancel(Transmission& transmission) override;
  double remaining_bytes(const Transmission& transmission) const override;
  std::vector<Transmission*> take_ended() override;
  double next_end_s() override { return flows_.next_s(); }
  void stop() override { stopped_ = true; }

 private:
  void start(Transmission& transmission);
  platform::Fabric& fabric_;
  flows::Flows flows_;
  std::vector<Transmission*> carried_;  // by transfer
  bool stopped_ = false;
};

}  // namespace ddl::network
