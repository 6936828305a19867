// Messages as SimGrid's transfers: a message that counts as k flows is k equal transfers over the same route, which get
// equal shares and end together. A message needs an actor to wait for it; these are pooled: as many as messages were
// ever under way at once, however many pairs of nodes there are.
#pragma once

#include <functional>
#include <memory>
#include <simgrid/s4u/Comm.hpp>
#include <utility>
#include <vector>

#include "sim/network/quiescence.hpp"
#include "sim/network/transports/transport.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class SimgridTransport : public Transport {
 public:
  // `ended` is called when a message has ended.
  SimgridTransport(platform::Fabric& fabric, Quiescence& quiescence, std::function<void()> ended);
  ~SimgridTransport() override;
  SimgridTransport(const SimgridTransport&) = delete;
  SimgridTransport& operator=(const SimgridTransport&) = delete;

  void start(const std::vector<Transmission*>& transmissions) override {
    for (Transmission* transmission : transmissions) start(*transmission);
  }
  double cancel(Transmission& transmission) override;
  double remaining_bytes(const Transmission& transmission) const override;
  std::vector<Transmission*> take_ended() override { return std::exchange(ended_, {}); }
  double next_end_s() override { return never; }
  void stop() override {}

 private:
  struct WaitingActor {
    WaitingActor(Quiescence& quiescence, int its_number) : work(quiescence), number(its_number) {}
    Signal work;
    int number = 0;
    Transmission* carries = nullptr;  // null: cancelled, or none
    std::vector<simgrid::s4u::CommPtr> flows;
  };
  void start(Transmission& transmission);
  void set_model(const Transmission& transmission);
  double flow_bound(const Transmission& transmission) const;   // bytes per second
  double flow_window(const Transmission& transmission) const;  // bytes, as SimGrid counts them
  void wait_for_messages(WaitingActor& actor);
  void wait_for_message(WaitingActor& actor);

  platform::Fabric& fabric_;
  Quiescence& quiescence_;
  const std::function<void()> ended_call_;
  double latency_factor_ = 1, window_bytes_ = 0;       // for the flows that start next
  bool sets_latency_ = false;                          // SimGrid asks for the first
  std::vector<std::unique_ptr<WaitingActor>> actors_;  // by number, which is also the transmission's transfer
  std::vector<WaitingActor*> idle_;
  std::vector<Transmission*> ended_;
};

}  // namespace ddl::network
