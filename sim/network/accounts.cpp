#include "sim/network/accounts.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"

namespace ddl::network {

void Accounts::queue(const Channel& channel) {
  totals_.longest_queue = std::max(totals_.longest_queue, static_cast<std::int64_t>(channel.queue.size()));
  observer_.queue_changed(channel.source, channel.target, channel.queue.size());
}

void Accounts::put_on_wire(Channel& channel) {
  queue(channel);  // one fewer, unless it is sent again
  ++totals_.messages_sent;
  ++channel.messages;
  totals_.bytes_sent += channel.on_wire_bytes;
  channel.bytes += channel.on_wire_bytes;
}

void Accounts::deliver(Channel& channel) {
  ++delivered_;
  totals_.bytes_delivered += channel.on_wire_bytes;
  channel.bytes_delivered += channel.on_wire_bytes;
}

void Accounts::lose_transmission(Channel& channel, double carried_bytes) {
  ++lost_on_wire_;
  totals_.bytes_lost += channel.on_wire_bytes;
  channel.bytes_lost += channel.on_wire_bytes;
  channel.bytes_wasted += carried_bytes;
}

Totals Accounts::totals(const Channels& channels, const platform::Fabric& fabric,
                        const std::function<double(const Channel&)>& remaining_bytes) const {
  Totals totals = totals_;
  totals.messages_lost = lost_ + sent_again_;
  totals.messages_sent_again = sent_again_;
  totals.bytes_per_link.resize(fabric.links().size());
  for (const auto& from : channels) {
    for (const auto& [target, channel] : from) {
      if (channel.messages > 0) totals.pairs.push_back({channel.source, target, channel.messages, channel.bytes});
      double carried = channel.bytes_delivered + channel.bytes_wasted;
      if (channel.transfer >= 0) {
        carried += channel.on_wire_bytes - remaining_bytes(channel);
      } else if (channel.has_ended()) {
        carried += channel.on_wire_bytes;
      }
      if (carried == 0) continue;
      for (const int link : fabric.find_route(channel.source, target).links) {
        totals.bytes_per_link[static_cast<std::size_t>(link)] += carried;
      }
    }
  }
  return totals;
}

void Accounts::check(const Channels& channels) const {
  std::int64_t queued = 0, on_wire = 0, retrying = 0, sent = 0;
  double bytes_on_wire = 0, bytes_sent = 0;
  const auto equal = [](double a, double b) { return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), 1.0); };
  for (const auto& from : channels) {
    for (const auto& [target, channel] : from) {
      queued += static_cast<std::int64_t>(channel.queue.size());
      sent += channel.messages;
      bytes_sent += channel.bytes;
      const bool is_on_wire = channel.on_wire && !channel.waits_to_retry;
      const double now_on_wire = is_on_wire ? channel.on_wire_bytes : 0;
      on_wire += is_on_wire ? 1 : 0;
      retrying += channel.waits_to_retry ? 1 : 0;
      bytes_on_wire += now_on_wire;
      ddl::check(equal(channel.bytes, channel.bytes_delivered + channel.bytes_lost + now_on_wire),
                 "what a channel put on the wire is delivered, lost or on it");
    }
  }
  const Totals& all = totals_;
  ddl::check(accepted_ == delivered_ + on_wire + retrying + queued + lost_,
             "every message is delivered, on the wire, to be sent again, queued or lost");
  ddl::check(all.messages_sent == delivered_ + lost_on_wire_ + on_wire,
             "every message put on the wire is delivered, lost or on it");
  ddl::check(all.messages_sent == sent && equal(all.bytes_sent, bytes_sent), "the whole is the sum of its channels");
  ddl::check(equal(all.bytes_sent, all.bytes_delivered + all.bytes_lost + bytes_on_wire),
             "every byte put on the wire is delivered, lost or on it");
}

}  // namespace ddl::network
