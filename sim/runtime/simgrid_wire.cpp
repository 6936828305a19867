#include "sim/runtime/simgrid_wire.hpp"

#include <simgrid/Exception.hpp>

#include "sim/platform/simgrid_api.hpp"

namespace ddl {

namespace sg = simgrid::s4u;

void SimgridWire::begin(Channel& channel) {
  if (!idle_carriers_.empty()) {
    Carrier& carrier = *idle_carriers_.back();
    idle_carriers_.pop_back();
    carrier.channel = &channel;
    liveness_.later([&carrier] { carrier.work.ring(); });
    return;
  }
  const int number = static_cast<int>(carriers_.size());
  Carrier& carrier = *carriers_.emplace_back(std::make_unique<Carrier>(liveness_, number));
  carrier.channel = &channel;
  liveness_.later([this, &carrier] {
    ++liveness_.waking;
    simgrid_api::add_actor("carrier", fabric_.host(0), [this, &carrier] {
      --liveness_.waking;
      carry_forever(carrier);
    })->daemonize();
  });
}

void SimgridWire::carry_forever(Carrier& carrier) {
  while (true) {
    while (user_.next(*carrier.channel)) carry(carrier);
    idle_carriers_.push_back(&carrier);
    carrier.work.wait();
  }
}

void SimgridWire::carry(Carrier& carrier) {
  Channel& along = *carrier.channel;
  while (along.on_wire) {  // unless it is broken off
    transfer(carrier);
    if (!along.on_wire) return;
    const std::optional<double> retry_s = user_.arrived(along);
    if (!retry_s) return;
    sg::this_actor::sleep_for(*retry_s);
    if (along.waits_to_retry) user_.sent_again(along);
  }
}

void SimgridWire::transfer(Carrier& carrier) {
  Channel& along = *carrier.channel;
  sg::Host *const source = fabric_.host(along.source), *const target = fabric_.host(along.target);
  if (source == target) return;
  along.transfer = carrier.number;
  carrier.transfer = sg::Comm::sendto_init(source, target);
  carrier.transfer->set_payload_size(static_cast<std::uint64_t>(along.on_wire_bytes));
  carrier.transfer->start();
  try {
    carrier.transfer->wait();
  } catch (const simgrid::Exception&) {
    if (along.on_wire) throw;  // nobody has broken it off
  }
  carrier.transfer = nullptr;
  along.transfer = -1;
}

double SimgridWire::break_off(Channel& channel) {
  const double carried = channel.on_wire_bytes - remaining_bytes(channel);
  const sg::CommPtr transfer = carriers_.at(static_cast<std::size_t>(channel.transfer))->transfer;
  channel.transfer = -1;
  liveness_.later([transfer] { transfer->cancel(); });
  return carried;
}

double SimgridWire::remaining_bytes(const Channel& channel) const {
  return carriers_.at(static_cast<std::size_t>(channel.transfer))->transfer->get_remaining();
}

}  // namespace ddl
