// The accelerator: messages as flows of the project's own solver of SimGrid's model.
#pragma once

#include <functional>
#include <vector>

#include "sim/network/flows/flows.hpp"
#include "sim/network/transport.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class FlowTransport : public Transport {
 public:
  // `sooner` is called when next_end_s() may have become another by itself.
  FlowTransport(platform::Fabric& fabric, std::function<void()> sooner);

  void start(const std::vector<Channel*>& channels) override {
    for (Channel* channel : channels) start(*channel);
  }
  double cancel(Channel& channel) override;
  double remaining_bytes(const Channel& channel) const override;
  std::vector<Channel*> take_ended() override;
  double next_end_s() override { return flows_.next_s(); }
  void stop() override { stopped_ = true; }

 private:
  void start(Channel& channel);
  platform::Fabric& fabric_;
  flows::Flows flows_;
  std::vector<Channel*> carried_;  // by transfer
  bool stopped_ = false;
};

}  // namespace ddl::network
