#include "sim/network/network.hpp"

#include <algorithm>
#include <utility>

#include "core/base/check.hpp"
#include "sim/network/tcp/tcp_transport.hpp"
#include "sim/network/transports/flow_transport.hpp"
#include "sim/network/transports/packet_transport.hpp"
#include "sim/network/transports/simgrid_transport.hpp"
#include "sim/platform/engine.hpp"

namespace ddl::network {
namespace {

// `ended` is called when a message has ended, `soon` when the next end has moved.
std::unique_ptr<Transport> transport_over(platform::Fabric& fabric, Quiescence& quiescence, std::uint64_t seed,
                                          std::function<void()> ended, std::function<void()> soon) {
  std::unique_ptr<Transport> transport;
  switch (fabric.network_plan().carried_by) {
    case platform::CarriedBy::packets:
      return std::make_unique<PacketTransport>(fabric, seed, std::move(soon));
    case platform::CarriedBy::accelerator:
      transport = std::make_unique<FlowTransport>(fabric, std::move(soon));
      break;
    case platform::CarriedBy::simgrid:
      transport = std::make_unique<SimgridTransport>(fabric, quiescence, std::move(ended));
  }
  if (!fabric.network_numbers().follows_connections) return transport;
  return std::make_unique<TcpTransport>(std::move(transport), fabric);
}

// Looks routes up, so that a missing one is an error in the sender's actor: one in the engine's ends the process.
Channel& open_channel(Channels& channels, const platform::Fabric& fabric, const Pair& pair) {
  if (Channel* const open = find(channels, pair)) return *open;
  Transmission transmission = {.pair = pair, .route = fabric.find_route(pair.source, pair.target)};
  if (fabric.needs_way_back()) transmission.back = fabric.find_route(pair.target, pair.source);
  Channel& opened = channels[static_cast<std::size_t>(pair.source)][pair.target];
  opened.transmission = std::move(transmission);
  return opened;
}

// Sorts by pair, because the transport's order of completion is arbitrary.
std::vector<Transmission*> in_order(std::vector<Transmission*> transmissions) {
  std::ranges::sort(transmissions, {}, &Transmission::pair);
  return transmissions;
}

// Ends messages within hosts, which no transport carries. Their queues may bring the next ones.
void end_at_once(std::vector<Transmission*>& within_hosts, const std::function<void(const Transmission&)>& end) {
  while (!within_hosts.empty()) {
    for (const Transmission* it : in_order(std::exchange(within_hosts, {}))) end(*it);
  }
}

double remaining_bytes(const Transport& transport, const Transmission& it) {
  return transport.remaining_bytes(it) + it.rest_bytes;
}

// Messages that can be lost are delivered whole, and so are those whose latencies SimGrid does not let us set.
bool takes_slices(platform::Fabric& fabric) {
  return fabric.changes().losses.empty() && (fabric.network_plan().carried_by != platform::CarriedBy::simgrid ||
                                             platform::has_default("network/latency-factor"));
}

void cut_off(const Channels& channels, const Transport& transport, Observer& observer) {
  for (const auto& from : channels) {
    for (const auto& [target, channel] : from) {
      if (channel.stage != Channel::Stage::on_wire) continue;
      const Transmission& it = channel.transmission;
      const double carried = channel.is_carried() ? it.bytes - remaining_bytes(transport, it) : it.bytes;
      observer.end_message(channel.observed, it.pair.source, target, carried, MessageEnd::cut_off);
    }
  }
}

void describe(const Channels& channels, const platform::Fabric& fabric, std::vector<std::string>& lines) {
  for (const auto& from : channels) {
    for (const auto& [target, channel] : from) {
      if (channel.waiting_for_room.empty()) continue;
      lines.push_back(fabric.name(channel.transmission.pair.source) + " waits for room in its queue to " +
                      fabric.name(target));
    }
  }
}

}  // namespace

Network::Network(platform::Fabric& fabric, Quiescence& quiescence, Observer& observer, std::uint64_t seed,
                 double header_bytes, std::function<void(Message)> deliver)
    : fabric_(fabric),
      quiescence_(quiescence),
      observer_(observer),
      losses_(fabric, seed),
      uneven_(fabric, seed),
      header_bytes_(header_bytes),
      deliver_(std::move(deliver)),
      channels_(static_cast<std::size_t>(fabric.node_count())),
      reachable_(channels_.size(), true),
      accounts_(observer),
      pauses_(quiescence, [this] { wake_at(now()); }),
      takes_slices_(takes_slices(fabric)) {
  transport_ = transport_over(
      fabric, quiescence, seed, [this] { wake_at(now()); }, [this] { wake_at(transport_->next_end_s()); });
}

// --- calls of nodes ---

void Network::send(Message message) {
  check(message.source != message.target, "a node sends to others only");
  if (!reaches(message.source, message.target)) return accounts_.lose_unreachable();
  Channel& to = open_channel(channels_, fabric_, {message.source, message.target});
  quiescence_.begins();
  accounts_.accept();
  if (message.relay && (to.transmission.route.within_host() || !takes_slices_)) message.relay.reset();
  if (message.relay && to.goes_on()) join(to, message);
  to.queue.push_back(std::move(message));
  accounts_.queue(to);
  if (to.stage == Channel::Stage::idle) begin(to);
}

std::size_t Network::waiting(int source, int target) const {
  const Channel* to = find(channels_, {source, target});
  return to == nullptr ? 0 : to->queue.size();
}

void Network::wait_for_room(int source, int target, std::size_t depth) {
  while (waiting(source, target) >= depth) {
    Signal room(quiescence_);
    find(channels_, {source, target})->waiting_for_room.push_back(&room);
    room.wait();
    pause(source, Pauses::After::sending);
  }
}

void Network::wait_until_delivered(int source, int target) {
  for (Channel* to = find(channels_, {source, target}); to != nullptr && to->undelivered() > 0;
       to = find(channels_, {source, target})) {
    Signal delivered(quiescence_);
    to->waiting_for_delivery.push_back(&delivered);
    delivered.wait();
    pause(source, Pauses::After::sending);
  }
}

// Includes messages sent during the wait.
void Network::wait_until_all_delivered(int source) {
  const auto& from = channels_[static_cast<std::size_t>(source)];
  const auto undelivered = [&] {
    return std::ranges::find_if(from, [](const auto& channel) { return channel.second.undelivered() > 0; });
  };
  for (auto waits = undelivered(); waits != from.end(); waits = undelivered()) {
    wait_until_delivered(source, waits->first);
  }
}

void Network::pause(int node, Pauses::After after) {
  if (reachable_[static_cast<std::size_t>(node)]) pauses_.wait(node, after);
}

void Network::wait_for_the_instant() { pauses_.wait(Pauses::no_node, Pauses::After::everything); }

// --- hosts that go ---

void Network::set_reachable(int node, bool reachable) {
  reachable_[static_cast<std::size_t>(node)] = reachable;
  if (reachable) return;
  std::int64_t lost = 0;
  std::vector<Signal*> woken;
  for (auto& from : channels_) {
    for (auto& [target, channel] : from) {
      if (channel.transmission.pair.source == node || target == node) lost += break_off(channel, woken);
    }
  }
  transport_->forget(node);
  pauses_.end_those_of(node, woken);
  quiescence_.do_postponed();
  Signal::ring_all(woken);
  if (lost > 0) quiescence_.ends(lost);
}

std::int64_t Network::break_off(Channel& channel, std::vector<Signal*>& woken) {
  const auto lost = static_cast<std::int64_t>(channel.undelivered());
  accounts_.lose(lost);
  channel.queue.clear();
  accounts_.queue(channel);
  if (channel.stage == Channel::Stage::waits_to_retry) {  // its transmission is lost already, and not sent again
    accounts_.lose_before_sent_again();
    retries_.forget(channel);
    begin(channel);
  } else if (channel.stage == Channel::Stage::on_wire) {
    Transmission& it = channel.transmission;
    double carried = it.bytes;
    if (channel.is_carried()) {
      carried = it.done_bytes + transport_->cancel(it);
      wake_at(transport_->next_end_s());
      begin(channel);
    } else {  // it has just ended, and takes the next message when the transport calls
      channel.stage = Channel::Stage::beginning;
    }
    observer_.end_message(channel.observed, it.pair.source, it.pair.target, carried, MessageEnd::lost);
    accounts_.lose_transmission(it, carried);
  }
  channel.on_wire.reset();
  for (auto* waiting : {&channel.waiting_for_room, &channel.waiting_for_delivery}) {
    for (Signal* signal : std::exchange(*waiting, {})) woken.push_back(signal);
  }
  return lost;
}

// --- the way of a message ---

void Network::begin(Channel& channel) {
  channel.stage = Channel::Stage::beginning;
  beginning_.push_back(&channel);
  wake_at(now());
}

void Network::wake_at(double time_s) {
  if (stopped_ || !(time_s < Transport::never) || (timer_ != nullptr && timer_->get_date() <= time_s)) return;
  if (timer_ != nullptr) timer_->remove();
  timer_ = simgrid::kernel::timer::Timer::set(time_s, [this] { advance(); });
}

void Network::advance() {
  timer_ = nullptr;
  for (const Transmission* ended : transport_->take_ended()) end_transmission(*find(channels_, ended->pair));
  while (Channel* const channel = held_back_.take_due(now())) end_transmission(*channel);
  while (Channel* const channel = retries_.take_due(now())) send_again(*channel);
  for (Channel* channel : std::exchange(beginning_, {})) start_next(*channel);
  transport_->start(in_order(std::exchange(starting_, {})));
  end_at_once(within_hosts_, [this](const Transmission& it) { end_transmission(*find(channels_, it.pair)); });
  pauses_.end_all();
  wake_at(std::min({transport_->next_end_s(), retries_.next_s(), held_back_.next_s()}));
}

void Network::start_next(Channel& from) {
  if (from.queue.empty()) {
    const Pair pair = from.transmission.pair;
    channels_[static_cast<std::size_t>(pair.source)].erase(pair.target);  // and `from` with it
    return;
  }
  from.take_next(header_bytes_);
  put_on_wire(from);
  Signal::ring_all(std::exchange(from.waiting_for_room, {}));
}

void Network::put_on_wire(Channel& from) {
  accounts_.put_on_wire(from);
  Transmission& it = from.transmission;
  from.observed = observer_.begin_message(it.pair.source, it.pair.target, from.on_wire->step, it.bytes);
  if (it.route.within_host()) return within_hosts_.push_back(&it);
  it.flows = uneven_.flows(it);
  it.latency_s.reset();
  if (const auto& relay = from.on_wire->relay) {
    const double latency_s = fabric_.latency_now_s(it.route) * fabric_.network_numbers().latency_factor;
    const double left_since_s = std::clamp(now() - relay->sent_s, 0.0, latency_s);
    from.left_s = now() - left_since_s;
    it.latency_s = latency_s - left_since_s;
  }
  starting_.push_back(&it);
}

// --- messages in slices ---

// Its bytes leave right behind those of the messages before it, so its latency passes while these arrive.
void Network::join(const Channel& busy, const Message& message) {
  message.relay->sent_s = now();
  const double rest_bytes = static_cast<double>(message.wire_bytes - message.relay->first_bytes);
  transport_->expect(busy.transmission, static_cast<double>(message.relay->first_bytes) + header_bytes_, rest_bytes);
}

void Network::pass_first_slice(Channel& from) {
  Transmission& it = from.transmission;
  from.slice_s = now() - from.left_s;
  it.done_bytes = it.bytes - std::exchange(it.rest_bytes, 0);
  it.latency_s = 0;
  starting_.push_back(&it);
  deliver_(*from.on_wire);
  pauses_.count_arrival();
}

// A message is whole a slice's time after the one that it follows, or later.
bool Network::is_held_back(Channel& from) {
  const auto& relay = from.on_wire->relay;
  if (!relay || !relay->follows) return false;
  const double whole_s = relay->follows->whole_s + from.slice_s;
  if (whole_s <= now()) return false;
  if (whole_s < Transport::never) {
    held_back_.add(whole_s, from);
  } else {
    followers_.push_back(&from);
  }
  return true;
}

// --- the end of a message ---

void Network::end_transmission(Channel& from) {
  if (from.stage == Channel::Stage::beginning) return start_next(from);  // lost with a host since it ended
  const Transmission& it = from.transmission;
  if (it.rest_bytes > 0) return pass_first_slice(from);
  if (is_held_back(from)) return;
  const auto retry_s = losses_.retry_after_s(it, now());
  observer_.end_message(from.observed, it.pair.source, it.pair.target, it.bytes,
                        retry_s ? MessageEnd::lost : MessageEnd::arrived);
  if (!retry_s) {
    deliver(from);
    return start_next(from);
  }
  accounts_.lose_transmission(it, it.bytes);
  accounts_.send_again();
  from.stage = Channel::Stage::waits_to_retry;
  retries_.add(now() + *retry_s, from);
}

void Network::send_again(Channel& from) {
  from.stage = Channel::Stage::on_wire;
  put_on_wire(from);
}

void Network::deliver(Channel& from) {
  accounts_.deliver(from.transmission);
  Message message = std::move(*from.on_wire);
  from.on_wire.reset();
  from.stage = Channel::Stage::beginning;
  if (message.relay) {
    message.relay->whole_s = now();
    message.relay->follows.reset();
    for (Channel* follower : std::exchange(followers_, {})) {
      if (!is_held_back(*follower)) held_back_.add(now(), *follower);
    }
  }
  deliver_(std::move(message));
  pauses_.count_arrival();
  if (from.undelivered() == 0) Signal::ring_all(std::exchange(from.waiting_for_delivery, {}));
  quiescence_.ends();
}

void Network::stop() {
  stopped_ = true;
  if (timer_ != nullptr) timer_->remove();
  timer_ = nullptr;
  transport_->stop();
}

// --- reports ---

Totals Network::totals() const {
  return accounts_.totals(channels_, fabric_,
                          [this](const Transmission& it) { return remaining_bytes(*transport_, it); });
}

void Network::end_observation() { cut_off(channels_, *transport_, observer_); }

void Network::describe_waiting(std::vector<std::string>& lines) const { describe(channels_, fabric_, lines); }

}  // namespace ddl::network
