// The network of an emulation: every host a namespace of its own. The machine's own network is neither used nor
// touched. A star's links are made in one of two ways, both of which limit what each host sends and what it receives.
//
// Token buckets, where latencies are next to nothing: each host has a virtual cable to a bridge, which stands in a
// namespace of its own, with tc's tbf at both ends. A bucket holds a millisecond's worth (at least two frames). TCP
// sees no round trips but those of queues. Segmentation offload is off: frames of a burst leave, and are dropped, one
// by one, as in a switch.
//
// A delay box (delay_box.hpp), where they are not: each host has a TUN device, whose packets the box holds for a queue,
// a rate and the link's latency, up and down. A host's own link is then one behind its device, as a router's: TCP knows
// of its queue by delays and losses only, where with a bucket it also waits for its own device.
//
// Limits count Ethernet frames (14 bytes of Ethernet, 20 of IP, 32 of TCP with time stamps and 1,448 of data), so TCP
// carries at most 95.6 % of the nominal bandwidth, as on a real link. What the queue has no room for (at least eight
// frames) is dropped, as by a router.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/emulate/testbed/delay_box.hpp"
#include "lab/emulate/testbed/network_namespace.hpp"
#include "lab/emulate/testbed/star.hpp"

namespace ddl::emulate {

// Of each limited link, of what waits at most: seconds of traffic at its bandwidth, or bytes.
struct LinkQueue {
  double seconds = 0.05, bytes = 0;  // bytes if they are above 0
  double bytes_at(double bytes_per_s) const;
};

enum class LinkKind { automatic, token_buckets, delay_box };
constexpr double least_delay_s = 1e-3;  // automatic: a delay box from this latency of a way on

struct TestbedSettings {
  LinkKind links = LinkKind::automatic;
  LinkQueue queue = {};
  // Of packets at each link up and down, drawn from `seed`; only by a delay box.
  double jitter_s = 0, loss = 0;
  std::uint64_t seed = 1;
  bool slow_start_after_idle = true;  // of TCP (RFC 5681, section 4.1)
};

class Testbed {
 public:
  // `changes` of links only a delay box can make. Throws InputError: no root, no iproute2, no namespaces, no TUN; more
  // packets than a delay box carries.
  Testbed(const Star& star, const TestbedSettings& settings, std::vector<LineChange> changes = {});

  const NetworkNamespace& host(int node) const { return hosts_[static_cast<std::size_t>(node)]; }
  std::string address(int node) const;  // within the stage
  // Of the TCP segments that all hosts have sent, the share that were sent again.
  double retransmitted_share() const;

  // Whether packets are held for the latency of their way; otherwise the reader of a message has to wait for it.
  bool has_latencies() const { return box_ != nullptr; }
  void begin(WallClock::time_point start);     // of the run: links change, the box counts
  void stop();                                 // a box carries nothing any more
  std::optional<DelayBoxUse> box_use() const;  // once stopped

 private:
  void lay_cables(const Star& star, const LinkQueue& queue);
  void lay_delayed_links(const Star& star, const TestbedSettings& settings, std::vector<LineChange> changes);

  std::optional<NetworkNamespace> bridge_;
  std::vector<NetworkNamespace> hosts_;
  std::unique_ptr<DelayBox> box_;
};

}  // namespace ddl::emulate
