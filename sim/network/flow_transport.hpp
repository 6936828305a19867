// Messages as flows of the project's own sharing of links. No actor waits for them: the next event of the network is a
// timer of SimGrid's, and what arrives is handed on from there.
#pragma once

#include <queue>
#include <simgrid/kernel/Timer.hpp>
#include <utility>
#include <vector>

#include "sim/network/flows.hpp"
#include "sim/network/transport.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class FlowTransport : public Transport {
 public:
  FlowTransport(platform::Fabric& fabric, TransportUser& user);

  void begin(Channel& channel) override;
  double remaining_bytes(const Channel& channel) const override { return flows_.remaining_bytes(channel.transfer); }
  double break_off(Channel& channel) override;
  void stop() override;

 private:
  void start(Channel& channel);
  void carry_all(Channel& channel);  // until one takes time
  void on_timer();                   // at the time of the timer
  void wake_at(double time_s);

  platform::Fabric& fabric_;
  TransportUser& user_;
  Flows flows_;
  std::vector<Channel*> beginning_, carried_;  // the second by transfer
  struct Retry {
    double at_s = 0;
    std::int64_t order = 0;
    Channel* channel = nullptr;
    bool operator>(const Retry& other) const { return std::pair(at_s, order) > std::pair(other.at_s, other.order); }
  };
  std::priority_queue<Retry, std::vector<Retry>, std::greater<>> retries_;
  std::int64_t retries_so_far_ = 0;
  simgrid::kernel::timer::Timer* timer_ = nullptr;  // SimGrid's, until it goes off
  bool stopped_ = false;
};

}  // namespace ddl::network
