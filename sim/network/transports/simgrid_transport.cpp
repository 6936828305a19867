#include "sim/network/transports/simgrid_transport.hpp"

#include <algorithm>
#include <cmath>
#include <simgrid/Exception.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "sim/network/sharing.hpp"
#include "sim/platform/simgrid_api.hpp"

namespace ddl::network {

namespace sg = simgrid::s4u;

SimgridTransport::SimgridTransport(platform::Fabric& fabric, Quiescence& quiescence, std::function<void()> ended)
    : fabric_(fabric), quiescence_(quiescence), ended_call_(std::move(ended)) {}

// Otherwise SimGrid would report activities still under way as forgotten.
SimgridTransport::~SimgridTransport() {
  for (const auto& actor : actors_) {
    for (const sg::CommPtr& flow : actor->flows) flow->cancel();
  }
}

void SimgridTransport::start(Transmission& it) {
  const bool is_new = idle_.empty();
  if (is_new) {
    actors_.push_back(std::make_unique<WaitingActor>(quiescence_, static_cast<int>(actors_.size())));
    idle_.push_back(actors_.back().get());
  }
  WaitingActor& actor = *idle_.back();
  idle_.pop_back();
  actor.carries = &it;
  it.transfer = actor.number;
  set_model(it);
  for (int flow = 0; flow < it.flows; ++flow) {
    actor.flows.push_back(sg::Comm::sendto_init(fabric_.host(it.pair.source), fabric_.host(it.pair.target)));
    actor.flows.back()->set_payload_size(static_cast<std::uint64_t>(it.flow_bytes()));
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
void SimgridTransport::set_model(const Transmission& it) {
  const platform::NetworkNumbers& numbers = fabric_.network_numbers();
  const platform::Route& route = it.route;
  const double now_s = fabric_.latency_now_s(route);
  // Without latency SimGrid would give a flow the same claim as all others, whatever their links.
  const double least_s = std::min(now_s, 1e-12);
  const double latency_s = std::max(it.latency_s.value_or(now_s * numbers.latency_factor), least_s);
  if (route.latency_s > 0) latency_factor_ = latency_s / route.latency_s;
  if ((it.latency_s || fabric_.changes().of_latency()) && !std::exchange(sets_latency_, true)) {
    simgrid_api::set_latency_factor(fabric_.engine(), [this] { return latency_factor_; });
  }
  if (!(route.latency_s > 0)) return;
  const double window_bytes =
      std::min({flow_window(it), 2 * route.latency_s * flow_bound(it), simgrid_api::no_window_bytes});
  if (std::exchange(window_bytes_, window_bytes) == window_bytes) return;
  sg::Engine::set_config("network/TCP-gamma", window_bytes);
}

// SimGrid bounds a flow by its window over twice the nominal latency, and knows no other bound of a flow. A message's
// flows share its windows.
double SimgridTransport::flow_window(const Transmission& it) const {
  const platform::NetworkNumbers& numbers = fabric_.network_numbers();
  const platform::Route& route = it.route;
  if (numbers.follows_connections) {
    return 2 * route.latency_s * (it.most_bytes_per_s / numbers.bandwidth_factor / it.flows);
  }
  const double now_s = fabric_.latency_now_s(route);
  if (!(now_s > 0)) return simgrid_api::no_window_bytes;
  return numbers.connections * route.window_bytes / it.flows * (route.latency_s / now_s);
}

// A fat pipe gives each flow its whole bandwidth: the flows of one message share it.
double SimgridTransport::flow_bound(const Transmission& it) const {
  if (it.flows == 1 || !fabric_.any_free_link()) return never;
  return most_by_free_links(fabric_, it.route) / it.flows;
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
    if (actor.carries != nullptr) throw;  // nothing has cancelled it
  }
  actor.flows.clear();
  Transmission* const ended = std::exchange(actor.carries, nullptr);
  if (ended == nullptr) return;
  ended->transfer = -1;
  ended_.push_back(ended);
  ended_call_();
}

double SimgridTransport::cancel(Transmission& it) {
  const double carried = it.part_bytes() - remaining_bytes(it);
  WaitingActor& actor = *actors_.at(static_cast<std::size_t>(it.transfer));
  it.transfer = -1;
  actor.carries = nullptr;
  quiescence_.later([flows = actor.flows] {
    for (const sg::CommPtr& flow : flows) flow->cancel();
  });
  return carried;
}

double SimgridTransport::remaining_bytes(const Transmission& it) const {
  double bytes = 0;
  for (const sg::CommPtr& flow : actors_.at(static_cast<std::size_t>(it.transfer))->flows) {
    bytes += flow->get_remaining();
  }
  return std::min(it.part_bytes(), bytes);
}

}  // namespace ddl::network
