// Messages as SimGrid's transfers. A transfer needs an actor to wait for it; these carriers are pooled: as many as
// transfers were ever under way at once, however many pairs of nodes there are.
#pragma once

#include <memory>
#include <simgrid/s4u/Comm.hpp>
#include <vector>

#include "sim/network/transport.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class SimgridTransport : public Transport {
 public:
  SimgridTransport(platform::Fabric& fabric, Quiescence& quiescence, TransportUser& user)
      : fabric_(fabric), quiescence_(quiescence), user_(user) {}

  void begin(Channel& channel) override;
  double remaining_bytes(const Channel& channel) const override;
  double break_off(Channel& channel) override;
  void stop() override {}

 private:
  struct TransferActor {
    TransferActor(Quiescence& quiescence, int its_number) : work(quiescence), number(its_number) {}
    Signal work;
    int number = 0;
    Channel* channel = nullptr;
    simgrid::s4u::CommPtr transfer;
  };

  void run_transfers(TransferActor& transfer_actor);
  void carry(TransferActor& transfer_actor);     // until it has arrived
  void transfer(TransferActor& transfer_actor);  // once

  platform::Fabric& fabric_;
  Quiescence& quiescence_;
  TransportUser& user_;
  std::vector<std::unique_ptr<TransferActor>> transfer_actors_;
  std::vector<TransferActor*> idle_actors_;
};

}  // namespace ddl::network
