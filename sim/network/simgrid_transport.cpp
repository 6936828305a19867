#include "sim/network/simgrid_transport.hpp"

#include <simgrid/Exception.hpp>

#include "sim/platform/simgrid_api.hpp"

namespace ddl::network {

namespace sg = simgrid::s4u;

void SimgridTransport::begin(Channel& channel) {
  if (!idle_actors_.empty()) {
    TransferActor& transfer_actor = *idle_actors_.back();
    idle_actors_.pop_back();
    transfer_actor.channel = &channel;
    quiescence_.later([&transfer_actor] { transfer_actor.work.ring(); });
    return;
  }
  const int number = static_cast<int>(transfer_actors_.size());
  TransferActor& transfer_actor = *transfer_actors_.emplace_back(std::make_unique<TransferActor>(quiescence_, number));
  transfer_actor.channel = &channel;
  quiescence_.later([this, &transfer_actor] {
    quiescence_.expect_turn();
    simgrid_api::add_actor("carrier", fabric_.host(0), [this, &transfer_actor] {
      quiescence_.has_turn();
      run_transfers(transfer_actor);
    })->daemonize();
  });
}

void SimgridTransport::run_transfers(TransferActor& transfer_actor) {
  while (true) {
    while (user_.next(*transfer_actor.channel)) carry(transfer_actor);
    idle_actors_.push_back(&transfer_actor);
    transfer_actor.work.wait();
  }
}

void SimgridTransport::carry(TransferActor& transfer_actor) {
  Channel& along = *transfer_actor.channel;
  while (along.on_wire) {  // unless it is broken off
    transfer(transfer_actor);
    if (!along.on_wire) return;
    const std::optional<double> retry_s = user_.arrived(along);
    if (!retry_s) return;
    sg::this_actor::sleep_for(*retry_s);
    if (along.waits_to_retry) user_.sent_again(along);
  }
}

void SimgridTransport::transfer(TransferActor& transfer_actor) {
  Channel& along = *transfer_actor.channel;
  sg::Host *const source = fabric_.host(along.source), *const target = fabric_.host(along.target);
  if (source == target) return;
  along.transfer = transfer_actor.number;
  transfer_actor.transfer = sg::Comm::sendto_init(source, target);
  transfer_actor.transfer->set_payload_size(static_cast<std::uint64_t>(along.on_wire_bytes));
  transfer_actor.transfer->start();
  try {
    transfer_actor.transfer->wait();
  } catch (const simgrid::Exception&) {
    if (along.on_wire) throw;  // nobody has broken it off
  }
  transfer_actor.transfer = nullptr;
  along.transfer = -1;
}

double SimgridTransport::break_off(Channel& channel) {
  const double carried = channel.on_wire_bytes - remaining_bytes(channel);
  const sg::CommPtr transfer = transfer_actors_.at(static_cast<std::size_t>(channel.transfer))->transfer;
  channel.transfer = -1;
  quiescence_.later([transfer] { transfer->cancel(); });
  return carried;
}

double SimgridTransport::remaining_bytes(const Channel& channel) const {
  return transfer_actors_.at(static_cast<std::size_t>(channel.transfer))->transfer->get_remaining();
}

}  // namespace ddl::network
