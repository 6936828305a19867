#include "sim/network/flow_transport.hpp"

#include <algorithm>
#include <utility>

#include "sim/network/sharing.hpp"

namespace ddl::network {

FlowTransport::FlowTransport(platform::Fabric& fabric, std::function<void()> sooner)
    : fabric_(fabric), flows_(capacities(fabric)) {
  fabric.when_bandwidth_changes([this, sooner = std::move(sooner)](int link, double bandwidth) {
    if (stopped_) return;
    flows_.set_capacity(now(), link, bandwidth);
    sooner();
  });
}

void FlowTransport::start(Channel& channel) {
  flows::FlowShape shape = flow_shape(fabric_, channel.source, channel.target, channel.latency_s);
  shape.bound = std::min(shape.bound, channel.most_bytes_per_s / shape.efficiency);
  shape.penalty /= channel.flows;
  channel.transfer = flows_.start(now(), shape, channel.flow_bytes() * channel.flows);
  const auto number = static_cast<std::size_t>(channel.transfer);
  if (number >= carried_.size()) carried_.resize(number + 1);
  carried_[number] = &channel;
}

double FlowTransport::cancel(Channel& channel) {
  const double left = flows_.cancel(now(), channel.transfer);
  channel.transfer = -1;
  return std::max(0.0, channel.on_wire_bytes - left);
}

double FlowTransport::remaining_bytes(const Channel& channel) const {
  return std::min(channel.on_wire_bytes, flows_.remaining_bytes(now(), channel.transfer));
}

std::vector<Channel*> FlowTransport::take_ended() {
  std::vector<Channel*> ended;
  for (const int transfer : flows_.advance(now())) {
    ended.push_back(carried_[static_cast<std::size_t>(transfer)]);
    ended.back()->transfer = -1;
  }
  return ended;
}

}  // namespace ddl::network
