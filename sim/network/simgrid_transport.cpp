#include "sim/network/simgrid_transport.hpp"

#include <simgrid/Exception.hpp>

#include "sim/platform/simgrid_api.hpp"

namespace ddl::network {

namespace sg = simgrid::s4u;

// The transfer is made here and not by the actor, so that what remains of it is known at once.
void SimgridTransport::start(Channel& channel) {
  const bool is_new = idle_.empty();
  if (is_new) {
    actors_.push_back(std::make_unique<TransferActor>(quiescence_, static_cast<int>(actors_.size())));
    idle_.push_back(actors_.back().get());
  }
  TransferActor& actor = *idle_.back();
  idle_.pop_back();
  actor.channel = &channel;
  actor.transfer = sg::Comm::sendto_init(fabric_.host(channel.source), fabric_.host(channel.target));
  actor.transfer->set_payload_size(static_cast<std::uint64_t>(channel.on_wire_bytes));
  channel.transfer = actor.number;
  if (!is_new) return actor.work.ring();
  quiescence_.expect_turn();
  simgrid_api::add_actor("transfers", fabric_.host(0), [this, &actor] {
    quiescence_.has_turn();
    run_transfers(actor);
  })->daemonize();
}

void SimgridTransport::run_transfers(TransferActor& actor) {
  while (true) {
    transfer(actor);
    idle_.push_back(&actor);
    actor.work.wait();
  }
}

void SimgridTransport::transfer(TransferActor& actor) {
  try {
    actor.transfer->start()->wait();
  } catch (const simgrid::Exception&) {
    if (actor.channel != nullptr) throw;  // nothing has cancelled it
  }
  actor.transfer = nullptr;
  if (actor.channel == nullptr) return;
  actor.channel->transfer = -1;
  ended_.push_back(actor.channel);
  ended_call_();
}

double SimgridTransport::cancel(Channel& channel) {
  const double carried = channel.on_wire_bytes - remaining_bytes(channel);
  TransferActor& actor = *actors_.at(static_cast<std::size_t>(channel.transfer));
  channel.transfer = -1;
  actor.channel = nullptr;
  quiescence_.later([transfer = actor.transfer] { transfer->cancel(); });
  return carried;
}

double SimgridTransport::remaining_bytes(const Channel& channel) const {
  return actors_.at(static_cast<std::size_t>(channel.transfer))->transfer->get_remaining();
}

}  // namespace ddl::network
