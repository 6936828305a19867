// Messages as SimGrid's transfers. A transfer needs an actor to wait for it; these carriers are pooled: as many as
// transfers were ever under way at once, however many pairs of nodes there are.
#pragma once

#include <memory>
#include <simgrid/s4u/Comm.hpp>
#include <vector>

#include "sim/platform/fabric.hpp"
#include "sim/runtime/wire.hpp"

namespace ddl {

class SimgridWire : public Wire {
 public:
  SimgridWire(Fabric& fabric, Liveness& liveness, WireUser& user) : fabric_(fabric), liveness_(liveness), user_(user) {}

  void begin(Channel& channel) override;
  double remaining_bytes(const Channel& channel) const override;
  double break_off(Channel& channel) override;
  void stop() override {}

 private:
  struct Carrier {
    Carrier(Liveness& liveness, int its_number) : work(liveness), number(its_number) {}
    Signal work;
    int number = 0;
    Channel* channel = nullptr;
    simgrid::s4u::CommPtr transfer;
  };

  void carry_forever(Carrier& carrier);
  void carry(Carrier& carrier);     // until it has arrived
  void transfer(Carrier& carrier);  // once

  Fabric& fabric_;
  Liveness& liveness_;
  WireUser& user_;
  std::vector<std::unique_ptr<Carrier>> carriers_;
  std::vector<Carrier*> idle_carriers_;
};

}  // namespace ddl
