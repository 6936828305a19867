// Messages as SimGrid's transfers. A transfer needs an actor to wait for it; these are pooled: as many as transfers
// were ever under way at once, however many pairs of nodes there are.
#pragma once

#include <functional>
#include <memory>
#include <simgrid/s4u/Comm.hpp>
#include <utility>
#include <vector>

#include "sim/network/quiescence.hpp"
#include "sim/network/transport.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class SimgridTransport : public Transport {
 public:
  // `ended` is called when a transfer has come to its end.
  SimgridTransport(platform::Fabric& fabric, Quiescence& quiescence, std::function<void()> ended)
      : fabric_(fabric), quiescence_(quiescence), ended_call_(std::move(ended)) {}

  void start(Channel& channel) override;
  double cancel(Channel& channel) override;
  double remaining_bytes(const Channel& channel) const override;
  std::vector<Channel*> take_ended() override { return std::exchange(ended_, {}); }
  double next_end_s() override { return never; }
  void stop() override {}

 private:
  struct TransferActor {
    TransferActor(Quiescence& quiescence, int its_number) : work(quiescence), number(its_number) {}
    Signal work;
    int number = 0;
    Channel* channel = nullptr;  // null: cancelled
    simgrid::s4u::CommPtr transfer;
  };
  void run_transfers(TransferActor& actor);
  void transfer(TransferActor& actor);

  platform::Fabric& fabric_;
  Quiescence& quiescence_;
  const std::function<void()> ended_call_;
  std::vector<std::unique_ptr<TransferActor>> actors_;  // by number, which is also the transfer's
  std::vector<TransferActor*> idle_;
  std::vector<Channel*> ended_;
};

}  // namespace ddl::network
