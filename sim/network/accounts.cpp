#include "sim/network/accounts.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"

namespace ddl::network {

void Accounts::queue(const Channel& channel) {
  totals_.longest_queue = std::max(totals_.longest_queue, static_cast<std::int64_t>(channel.queue.size()));
  observer_.queue_changed(channel.transmission.pair.source, channel.transmission.pair.target, channel.queue.size());
}

void Accounts::put_on_wire(const Channel& channel) {
  queue(channel);  // one fewer, unless it is sent again
  Traffic& traffic = traffic_.get(channel.transmission.pair);
  ++totals_.messages_sent;
  ++traffic.messages;
  totals_.bytes_sent += channel.transmission.bytes;
  traffic.bytes += channel.transmission.bytes;
}

void Accounts::deliver(const Transmission& transmission) {
  ++delivered_;
  totals_.bytes_delivered += transmission.bytes;
  traffic_.get(transmission.pair).bytes_delivered += transmission.bytes;
}

void Accounts::lose_transmission(const Transmission& transmission, double carried_bytes) {
  Traffic& traffic = traffic_.get(transmission.pair);
  ++lost_on_wire_;
  totals_.bytes_lost += transmission.bytes;
  traffic.bytes_lost += transmission.bytes;
  traffic.bytes_wasted += carried_bytes;
}

Totals Accounts::totals(const Channels& channels, const platform::Fabric& fabric,
                        const std::function<double(const Transmission&)>& remaining_bytes) const {
  Totals totals = totals_;
  totals.messages_lost = lost_ + sent_again_;
  totals.messages_sent_again = sent_again_;
  totals.bytes_per_link.resize(fabric.links().size());
  for (const Pair& pair : traffic_.pairs()) {
    const Traffic& traffic = *traffic_.find(pair);
    totals.pairs.push_back({pair.source, pair.target, traffic.messages, traffic.bytes});
    double carried = traffic.bytes_delivered + traffic.bytes_wasted;
    if (const Channel* channel = find(channels, pair);
        channel != nullptr && channel->stage == Channel::Stage::on_wire) {
      carried += channel->transmission.bytes - (channel->is_carried() ? remaining_bytes(channel->transmission) : 0);
    }
    if (carried == 0) continue;
    for (const int link : fabric.find_route(pair.source, pair.target).links) {
      totals.bytes_per_link[static_cast<std::size_t>(link)] += carried;
    }
  }
  return totals;
}

void Accounts::check(const Channels& channels) const {
  std::int64_t queued = 0, on_wire = 0, retrying = 0, sent = 0;
  double bytes_on_wire = 0, bytes_sent = 0;
  const auto equal = [](double a, double b) { return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), 1.0); };
  const auto on_wire_of = [](const Channel& channel) {
    return channel.stage == Channel::Stage::on_wire ? channel.transmission.bytes : 0;
  };
  for (const auto& from : channels) {
    for (const auto& [target, channel] : from) {
      queued += static_cast<std::int64_t>(channel.queue.size());
      on_wire += channel.stage == Channel::Stage::on_wire ? 1 : 0;
      retrying += channel.stage == Channel::Stage::waits_to_retry ? 1 : 0;
      bytes_on_wire += on_wire_of(channel);
    }
  }
  for (const Pair& pair : traffic_.pairs()) {
    const Traffic& traffic = *traffic_.find(pair);
    sent += traffic.messages;
    bytes_sent += traffic.bytes;
    const Channel* channel = find(channels, pair);
    const double now_on_wire = channel == nullptr ? 0 : on_wire_of(*channel);
    ddl::check(equal(traffic.bytes, traffic.bytes_delivered + traffic.bytes_lost + now_on_wire),
               "what a pair put on the wire is delivered, lost or on it");
  }
  const Totals& all = totals_;
  ddl::check(accepted_ == delivered_ + on_wire + retrying + queued + lost_,
             "every message is delivered, on the wire, to be sent again, queued or lost");
  ddl::check(all.messages_sent == delivered_ + lost_on_wire_ + on_wire,
             "every message put on the wire is delivered, lost or on it");
  ddl::check(all.messages_sent == sent && equal(all.bytes_sent, bytes_sent), "the whole is the sum of its pairs");
  ddl::check(equal(all.bytes_sent, all.bytes_delivered + all.bytes_lost + bytes_on_wire),
             "every byte put on the wire is delivered, lost or on it");
}

}  // namespace ddl::network
