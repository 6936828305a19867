#include "sim/network/simgrid_transport.hpp"

#include <algorithm>
#include <cmath>
#include <simgrid/Exception.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "sim/network/sharing.hpp"
#include "sim/platform/simgrid_api.hpp"

namespace ddl::network {

namespace sg = simgrid::s4u;

SimgridTransport::SimgridTransport(platform::Fabric& fabric, Quiescence& quiescence, std::function<void()> ended)
    : fabric_(fabric), quiescence_(quiescence), ended_call_(std::move(ended)) {
  if (fabric.changes().of_latency() || fabric.network_numbers().follows_connections) {
    simgrid_api::set_latency_factor(fabric.engine(), [this] { return latency_factor_; });
  }
}

// SimGrid would report what is still under way as forgotten.
SimgridTransport::~SimgridTransport() {
  for (const auto& actor : actors_) {
    for (const sg::CommPtr& flow : actor->flows) flow->cancel();
  }
}

void SimgridTransport::start(Channel& channel) {
  const bool is_new = idle_.empty();
  if (is_new) {
    actors_.push_back(std::make_unique<WaitingActor>(quiescence_, static_cast<int>(actors_.size())));
    idle_.push_back(actors_.back().get());
  }
  WaitingActor& actor = *idle_.back();
  idle_.pop_back();
  actor.channel = &channel;
  channel.transfer = actor.number;
  set_model(channel);
  for (int flow = 0; flow < channel.flows; ++flow) {
    actor.flows.push_back(sg::Comm::sendto_init(fabric_.host(channel.source), fabric_.host(channel.target)));
    actor.flows.back()->set_payload_size(static_cast<std::uint64_t>(channel.flow_bytes()));
    actor.flows.back()->start();
  }
  if (!is_new) return actor.work.ring();
  quiescence_.expect_turn();
  simgrid_api::add_actor("transfers", fabric_.host(0), [this, &actor] {
    quiescence_.has_turn();
    wait_for_messages(actor);
  })->daemonize();
}

// SimGrid applies these settings to transfers that start after them.
void SimgridTransport::set_model(const Channel& channel) {
  const platform::NetworkNumbers& numbers = fabric_.network_numbers();
  const platform::Route& route = fabric_.route(channel.source, channel.target);
  const double now_s = fabric_.latency_now_s(route);
  const double latency_s = channel.latency_s.value_or(now_s * numbers.latency_factor);
  if (route.latency_s > 0) latency_factor_ = latency_s / route.latency_s;
  if ((std::isinf(numbers.window_bytes) && !fabric_.any_free_link()) || !(route.latency_s > 0)) return;
  const double window_bytes =
      std::min({flow_window(channel), 2 * route.latency_s * flow_bound(channel), simgrid_api::no_window_bytes});
  if (std::exchange(window_bytes_, window_bytes) == window_bytes) return;
  sg::Engine::set_config("network/TCP-gamma", window_bytes);
}

// SimGrid bounds a flow by its window over twice the nominal latency, and knows no other bound of a flow. A message's
// flows share its window.
double SimgridTransport::flow_window(const Channel& channel) const {
  const platform::NetworkNumbers& numbers = fabric_.network_numbers();
  const platform::Route& route = fabric_.route(channel.source, channel.target);
  if (numbers.follows_connections) {
    return 2 * route.latency_s * (channel.most_bytes_per_s / numbers.bandwidth_factor / channel.flows);
  }
  const double now_s = fabric_.latency_now_s(route);
  return now_s > 0 ? numbers.window_bytes / channel.flows * (route.latency_s / now_s) : simgrid_api::no_window_bytes;
}

// A fat pipe gives each flow all that it has: those of one message share it.
double SimgridTransport::flow_bound(const Channel& channel) const {
  if (channel.flows == 1 || !fabric_.any_free_link()) return never;
  return most_by_free_links(fabric_, channel.source, channel.target) / channel.flows;
}

void SimgridTransport::wait_for_messages(WaitingActor& actor) {
  while (true) {
    wait_for_message(actor);
    idle_.push_back(&actor);
    actor.work.wait();
  }
}

void SimgridTransport::wait_for_message(WaitingActor& actor) {
  try {
    for (const sg::CommPtr& flow : actor.flows) flow->wait();
  } catch (const simgrid::Exception&) {
    if (actor.channel != nullptr) throw;  // nothing has cancelled it
  }
  actor.flows.clear();
  if (actor.channel == nullptr) return;
  actor.channel->transfer = -1;
  ended_.push_back(actor.channel);
  ended_call_();
}

double SimgridTransport::cancel(Channel& channel) {
  const double carried = channel.on_wire_bytes - remaining_bytes(channel);
  WaitingActor& actor = *actors_.at(static_cast<std::size_t>(channel.transfer));
  channel.transfer = -1;
  actor.channel = nullptr;
  quiescence_.later([flows = actor.flows] {
    for (const sg::CommPtr& flow : flows) flow->cancel();
  });
  return carried;
}

double SimgridTransport::remaining_bytes(const Channel& channel) const {
  double bytes = 0;
  for (const sg::CommPtr& flow : actors_.at(static_cast<std::size_t>(channel.transfer))->flows) {
    bytes += flow->get_remaining();
  }
  return std::min(channel.on_wire_bytes, bytes);
}

}  // namespace ddl::network
