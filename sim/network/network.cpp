#include "sim/network/network.hpp"

#include <algorithm>
#include <cmath>
#include <simgrid/s4u/Engine.hpp>
#include <string>

#include "core/node/vectors.hpp"
#include "sim/network/flow_transport.hpp"
#include "sim/network/simgrid_transport.hpp"

namespace ddl::network {

Network::Network(platform::Fabric& fabric, Quiescence& quiescence, runtime::Tracer& tracer, std::uint64_t seed,
                 double header_bytes, std::function<void(Message)> deliver, std::function<void()> idle)
    : fabric_(fabric),
      quiescence_(quiescence),
      tracer_(tracer),
      losses_(fabric, seed),
      uneven_(fabric, seed),
      header_bytes_(header_bytes),
      deliver_(std::move(deliver)),
      idle_(std::move(idle)),
      channels_(static_cast<std::size_t>(fabric.node_count())),
      reachable_(channels_.size(), true) {
  TransportUser& user = *this;
  if (fabric.has_own_sharing()) {
    transport_ = std::make_unique<FlowTransport>(fabric, user);
  } else {
    transport_ = std::make_unique<SimgridTransport>(fabric, quiescence, user);
  }
}

Channel& Network::channel(int source, int target) {
  Channel& found = channels_[static_cast<std::size_t>(source)][target];
  found.source = source;
  found.target = target;
  return found;
}

const Channel* Network::find(int source, int target) const {
  const auto& from = channels_[static_cast<std::size_t>(source)];
  const auto found = from.find(target);
  return found == from.end() ? nullptr : &found->second;
}

void Network::send(Message message) {
  check(message.source != message.target, "a node sends to others only");
  if (!reaches(message.source, message.target)) {
    ++messages_accepted_;
    ++messages_lost_;
    return;
  }
  Channel& to = channel(message.source, message.target);
  ++under_way_;
  ++messages_accepted_;
  ++to.undelivered;
  to.queue.push_back(std::move(message));
  longest_queue_ = std::max(longest_queue_, static_cast<std::int64_t>(to.queue.size()));
  if (to.busy) return;
  to.busy = true;
  transport_->begin(to);
}

std::size_t Network::waiting(int source, int target) const {
  const Channel* to = find(source, target);
  return to == nullptr ? 0 : to->queue.size();
}

bool Network::merge_into_waiting(int source, int target, const Message& message,
                                 const std::function<bool(const Message&)>& is_same) {
  return add_to_same(channel(source, target).queue, message, is_same);
}

void Network::wait_for_room(int source, int target, std::size_t depth) {
  Channel& to = channel(source, target);
  while (to.queue.size() >= depth) {
    Signal room(quiescence_);
    to.waiting_for_room.push_back(&room);
    room.wait();
  }
}

void Network::wait_until_delivered(int source, int target) {
  Channel& to = channel(source, target);
  while (to.undelivered > 0) {
    Signal delivered(quiescence_);
    to.waiting_for_delivery.push_back(&delivered);
    delivered.wait();
  }
}

// What is sent meanwhile counts, too.
void Network::wait_until_all_delivered(int source) {
  const auto& from = channels_[static_cast<std::size_t>(source)];
  const auto find = [&] {
    return std::ranges::find_if(from, [](const auto& channel) { return channel.second.undelivered > 0; });
  };
  for (auto waits = find(); waits != from.end(); waits = find()) wait_until_delivered(source, waits->first);
}

// --- hosts that go ---

void Network::set_reachable(int node, bool reachable) {
  reachable_[static_cast<std::size_t>(node)] = reachable;
  if (reachable) return;
  const std::int64_t lost_before = messages_lost_;
  std::vector<Signal*> woken;
  for (auto& from : channels_) {
    for (auto& [target, channel] : from) {
      if (channel.source == node || target == node) break_off(channel, woken);
    }
  }
  quiescence_.do_postponed();
  Signal::ring_all(woken);
  if (messages_lost_ > lost_before && under_way_ == 0) idle_();
}

void Network::break_off(Channel& channel, std::vector<Signal*>& woken) {
  const auto lost = static_cast<std::int64_t>(channel.queue.size()) + (channel.on_wire ? 1 : 0);
  messages_lost_ += lost;
  under_way_ -= lost;
  channel.undelivered -= lost;  // one may be being delivered
  channel.queue.clear();
  if (channel.waits_to_retry) {  // its transmission is lost already, and not sent again
    channel.waits_to_retry = false;
    --sent_again_;
    channel.on_wire.reset();
  }
  if (channel.on_wire) {
    ++lost_on_wire_;
    bytes_lost_ += channel.on_wire_bytes;
    channel.bytes_lost += channel.on_wire_bytes;
    if (channel.transfer >= 0) {
      const double carried = transport_->break_off(channel);
      channel.bytes_wasted += carried;
      tracer_.end_message(channel.traced, channel.source, channel.target, carried, runtime::MessageEnd::lost);
    }
    channel.on_wire.reset();
  }
  for (auto* waiting : {&channel.waiting_for_room, &channel.waiting_for_delivery}) {
    for (Signal* signal : std::exchange(*waiting, {})) woken.push_back(signal);
  }
}

bool Network::next(Channel& from) {
  from.busy = !from.queue.empty();
  if (!from.busy) return false;
  from.on_wire = std::move(from.queue.front());
  from.queue.erase(from.queue.begin());
  from.on_wire_bytes = static_cast<double>(from.on_wire->wire_bytes) + header_bytes_;
  put_on_wire(from);
  // Last: others may run before this returns.
  Signal::ring_all(std::exchange(from.waiting_for_room, {}));
  return true;
}

bool Network::stays_in_host(const Channel& channel) const {
  return fabric_.host(channel.source) == fabric_.host(channel.target);
}

void Network::put_on_wire(Channel& from) {
  ++messages_sent_;
  ++from.messages;
  bytes_sent_ += from.on_wire_bytes;
  from.bytes += from.on_wire_bytes;
  if (stays_in_host(from)) return;
  from.flows = uneven_.flows(from.source, from.target);
  from.traced = tracer_.begin_message(from.source, from.target, from.on_wire->step, from.on_wire_bytes);
}

void Network::sent_again(Channel& from) {
  from.waits_to_retry = false;
  put_on_wire(from);
}

std::optional<double> Network::arrived(Channel& from) {
  if (!stays_in_host(from)) {
    const auto retry_s = losses_.retry_after_s(from.source, from.target, simgrid::s4u::Engine::get_clock());
    tracer_.end_message(from.traced, from.source, from.target, from.on_wire_bytes,
                        retry_s ? runtime::MessageEnd::lost : runtime::MessageEnd::arrived);
    if (retry_s) {
      ++sent_again_;
      ++lost_on_wire_;
      bytes_lost_ += from.on_wire_bytes;
      from.bytes_lost += from.on_wire_bytes;
      from.bytes_wasted += from.on_wire_bytes;
      from.waits_to_retry = true;
      return retry_s;
    }
  }
  ++messages_delivered_;
  bytes_delivered_ += from.on_wire_bytes;
  from.bytes_delivered += from.on_wire_bytes;
  Message message = std::move(*from.on_wire);
  from.on_wire.reset();
  deliver_(std::move(message));
  if (--from.undelivered == 0) Signal::ring_all(std::exchange(from.waiting_for_delivery, {}));
  if (--under_way_ == 0) idle_();
  return std::nullopt;
}

std::vector<experiment::PairRow> Network::pairs() const {
  std::vector<experiment::PairRow> rows;
  for (const auto& from : channels_) {
    for (const auto& [target, channel] : from) {
      if (channel.messages > 0) rows.push_back({channel.source, target, channel.messages, channel.bytes});
    }
  }
  return rows;
}

std::vector<double> Network::bytes_per_link() const {
  std::vector<double> bytes(fabric_.links().size());
  for (const auto& from : channels_) {
    for (const auto& [target, channel] : from) {
      double carried = channel.bytes_delivered + channel.bytes_wasted;
      if (channel.transfer >= 0) carried += channel.on_wire_bytes - transport_->remaining_bytes(channel);
      if (carried == 0) continue;
      for (const int link : fabric_.find_route(channel.source, target).links)
        bytes[static_cast<std::size_t>(link)] += carried;
    }
  }
  return bytes;
}

void Network::end_trace() {
  for (const auto& from : channels_) {
    for (const auto& [target, channel] : from) {
      if (channel.transfer < 0) continue;
      const double carried = channel.on_wire_bytes - transport_->remaining_bytes(channel);
      tracer_.end_message(channel.traced, channel.source, target, carried, runtime::MessageEnd::cut_off);
    }
  }
}

void Network::check_accounts() const {
  std::int64_t queued = 0, on_wire = 0, retrying = 0, sent = 0;
  double bytes_on_wire = 0, bytes_sent = 0;
  const auto equal = [](double a, double b) { return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), 1.0); };
  for (const auto& from : channels_) {
    for (const auto& [target, channel] : from) {
      queued += static_cast<std::int64_t>(channel.queue.size());
      sent += channel.messages;
      bytes_sent += channel.bytes;
      const bool is_on_wire = channel.on_wire && !channel.waits_to_retry;
      const double now_on_wire = is_on_wire ? channel.on_wire_bytes : 0;
      on_wire += is_on_wire ? 1 : 0;
      retrying += channel.waits_to_retry ? 1 : 0;
      bytes_on_wire += now_on_wire;
      check(equal(channel.bytes, channel.bytes_delivered + channel.bytes_lost + now_on_wire),
            "what a channel put on the wire is delivered, lost or on it");
    }
  }
  check(messages_accepted_ == messages_delivered_ + on_wire + retrying + queued + messages_lost_,
        "every message is delivered, on the wire, to be sent again, queued or lost");
  check(messages_sent_ == messages_delivered_ + lost_on_wire_ + on_wire,
        "every message put on the wire is delivered, lost or on it");
  check(messages_sent_ == sent && equal(bytes_sent_, bytes_sent), "the whole is the sum of its channels");
  check(equal(bytes_sent_, bytes_delivered_ + bytes_lost_ + bytes_on_wire),
        "every byte put on the wire is delivered, lost or on it");
}

void Network::describe_waiting(std::vector<std::string>& lines) const {
  for (const auto& from : channels_) {
    for (const auto& [target, channel] : from) {
      if (channel.waiting_for_room.empty()) continue;
      lines.push_back(fabric_.name(channel.source) + " waits for room in its queue to " + fabric_.name(target));
    }
  }
}

}  // namespace ddl::network
