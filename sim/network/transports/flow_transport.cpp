#include "sim/network/transports/flow_transport.hpp"

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

void FlowTransport::start(Transmission& it) {
  flows::FlowShape shape = flow_shape(fabric_, it.route, it.latency_s);
  shape.bound = std::min(shape.bound, it.most_bytes_per_s / shape.efficiency);
  shape.penalty /= it.flows;
  it.transfer = flows_.start(now(), shape, it.flow_bytes() * it.flows);
  const auto number = static_cast<std::size_t>(it.transfer);
  if (number >= carried_.size()) carried_.resize(number + 1);
  carried_[number] = &it;
}

double FlowTransport::cancel(Transmission& it) {
  const double left = flows_.cancel(now(), it.transfer);
  it.transfer = -1;
  return std::max(0.0, it.part_bytes() - left);
}

double FlowTransport::remaining_bytes(const Transmission& it) const {
  return std::min(it.part_bytes(), flows_.remaining_bytes(now(), it.transfer));
}

std::vector<Transmission*> FlowTransport::take_ended() {
  std::vector<Transmission*> ended;
  for (const int transfer : flows_.advance(now())) {
    ended.push_back(carried_[static_cast<std::size_t>(transfer)]);
    ended.back()->transfer = -1;
  }
  return ended;
}

}  // namespace ddl::network
