#include "lab/emulate/channels.hpp"

#include <algorithm>
#include <utility>

#include "core/base/check.hpp"
#include "lab/emulate/node_set.hpp"

namespace ddl::emulate {

void Channels::open(std::vector<Connection> connections, NodeSet& nodes, std::uint64_t header_bytes,
                    bool network_has_latencies) {
  nodes_ = nodes.size();
  for (Connection& connection : connections) {
    const auto source = static_cast<std::size_t>(connection.source),
               target = static_cast<std::size_t>(connection.target);
    if (source >= nodes_ || target >= nodes_) continue;
    EmulatedNode& receiver = nodes[connection.target];
    channels_.push_back(std::make_unique<TcpChannel>(
        std::move(connection),
        TcpChannel::Surroundings{nodes[static_cast<int>(source)].monitor(),
                                 network_has_latencies ? 0 : star_.latency_s[source][target], header_bytes,
                                 [&receiver](Message message) { receiver.deliver(std::move(message)); }, under_way_}));
    channels_.back()->start();
  }
}

TcpChannel& Channels::between(int source, int target) {
  check(source != target, "a node sends to others only");
  const std::size_t from = static_cast<std::size_t>(source), to = static_cast<std::size_t>(target);
  return *channels_[from * (nodes_ - 1) + to - (to > from ? 1 : 0)];
}

void Channels::stop() {
  for (const auto& channel : channels_) channel->stop();
}

double Channels::bytes_sent(NodeSet& nodes) const {
  double bytes = 0;
  for (const auto& channel : channels_) {
    const std::scoped_lock held(nodes[channel->source()].monitor());
    bytes += channel->bytes();
  }
  return bytes;
}

network::Totals Channels::totals() const {
  network::Totals totals;
  totals.bytes_per_link.resize(fabric_.links().size());
  for (const auto& channel : channels_) {
    check(channel->bytes_carried() <= channel->bytes() * (1 + 1e-9), "what is read has been sent");
    const StarHost& source = star_.hosts[static_cast<std::size_t>(channel->source())];
    const StarHost& target = star_.hosts[static_cast<std::size_t>(channel->target())];
    totals.bytes_per_link[static_cast<std::size_t>(source.up)] += channel->bytes_carried();
    totals.bytes_per_link[static_cast<std::size_t>(target.down)] += channel->bytes_carried();
    totals.bytes_sent += channel->bytes();
    totals.bytes_delivered += channel->bytes_delivered();
    totals.messages_sent += channel->messages();
    totals.longest_queue = std::max(totals.longest_queue, channel->longest_queue());
    if (channel->messages() > 0) {
      totals.pairs.push_back({channel->source(), channel->target(), channel->messages(), channel->bytes()});
    }
  }
  return totals;
}

}  // namespace ddl::emulate
