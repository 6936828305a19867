#include "sim/network/flow_transport.hpp"

#include <algorithm>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <utility>

#include "sim/network/sharing.hpp"

namespace ddl::network {

namespace sg = simgrid::s4u;

FlowTransport::FlowTransport(platform::Fabric& fabric, TransportUser& user)
    : fabric_(fabric), user_(user), flows_(capacities(fabric)) {
  fabric.when_bandwidth_changes([this](int link, double bandwidth) {
    if (stopped_) return;
    flows_.set_capacity(sg::Engine::get_clock(), link, bandwidth);
    wake_at(flows_.next_s());
  });
}

void FlowTransport::begin(Channel& channel) {
  beginning_.push_back(&channel);
  wake_at(sg::Engine::get_clock());
}

void FlowTransport::carry_all(Channel& channel) {
  while (user_.next(channel)) {
    if (fabric_.host(channel.source) == fabric_.host(channel.target)) {
      user_.arrived(channel);
      continue;
    }
    start(channel);
    return;
  }
}

void FlowTransport::start(Channel& channel) {
  FlowShape shape = flow_shape(fabric_, channel.source, channel.target);
  shape.penalty /= channel.flows;
  channel.transfer = flows_.start(sg::Engine::get_clock(), shape, channel.on_wire_bytes);
  const auto number = static_cast<std::size_t>(channel.transfer);
  if (number >= carried_.size()) carried_.resize(number + 1);
  carried_[number] = &channel;
}

double FlowTransport::break_off(Channel& channel) {
  const double left = flows_.cancel(sg::Engine::get_clock(), channel.transfer);
  channel.transfer = -1;
  wake_at(flows_.next_s());
  begin(channel);
  return channel.on_wire_bytes - left;
}

void FlowTransport::on_timer() {
  timer_ = nullptr;
  std::vector<Channel*> through;  // first: what starts next uses the transfers' numbers again
  for (const int transfer : flows_.advance(sg::Engine::get_clock())) {
    through.push_back(carried_[static_cast<std::size_t>(transfer)]);
    through.back()->transfer = -1;
  }
  for (Channel* channel : through) {
    const std::optional<double> retry_s = user_.arrived(*channel);
    if (retry_s) {
      retries_.push({sg::Engine::get_clock() + *retry_s, retries_so_far_++, channel});
    } else {
      carry_all(*channel);
    }
  }
  for (; !retries_.empty() && retries_.top().at_s <= sg::Engine::get_clock(); retries_.pop()) {
    Channel& channel = *retries_.top().channel;
    if (!channel.waits_to_retry) {  // broken off meanwhile
      carry_all(channel);
      continue;
    }
    user_.sent_again(channel);
    start(channel);
  }
  for (Channel* channel : std::exchange(beginning_, {})) carry_all(*channel);
  double next_s = flows_.next_s();
  if (!retries_.empty()) next_s = std::min(next_s, retries_.top().at_s);
  wake_at(next_s);
}

// A timer that goes off too early does no harm.
void FlowTransport::wake_at(double time_s) {
  if (stopped_ || !(time_s < MaxMin::never) || (timer_ != nullptr && timer_->get_date() <= time_s)) return;
  if (timer_ != nullptr) timer_->remove();
  timer_ = simgrid::kernel::timer::Timer::set(time_s, [this] { on_timer(); });
}

void FlowTransport::stop() {
  stopped_ = true;
  if (timer_ != nullptr) timer_->remove();
  timer_ = nullptr;
}

}  // namespace ddl::network
