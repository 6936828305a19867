// The network of an emulation: every host has a namespace of its own. The machine's own network is neither used nor
// touched. A star's links are made in one of two ways, both of which limit each host's sending and receiving.
//
// Token buckets, for negligible latencies: each host has a virtual cable to a bridge in a namespace of its own, with
// tc's tbf at both ends. A bucket holds a millisecond's worth (at least two frames). TCP sees only the round trips of
// queues. Segmentation offload is off: frames of a burst leave, and are dropped, one by one, as in a switch.
//
// A delay box (delay_box.hpp), for other latencies: each host has a TUN device, whose packets the box holds for a
// queue, a rate and the link's latency, up and down. A host's own link then lies behind its device, like a router's:
// TCP knows its queue only by delays and losses, while with a bucket it also waits for its own device.
//
// Limits count Ethernet frames (14 bytes of Ethernet, 20 of IP, 32 of TCP with time stamps and 1,448 of data), so TCP
// carries at most 95.6 % of the nominal bandwidth, as on a real link. Frames without room in the queue (at least eight
// frames) are dropped, as by a router.
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

// Limit of each limited link's queue: seconds of traffic at its bandwidth, or bytes.
struct LinkQueue {
  double seconds = 0.05, bytes = 0;  // bytes if they are above 0
  double bytes_at(double bytes_per_s) const;
};

enum class LinkKind { automatic, token_buckets, delay_box };
constexpr double least_delay_s = 1e-3;  // automatic: a delay box from this latency of a way on

struct TestbedSettings {
  LinkKind links = LinkKind::automatic;
  LinkQueue queue = {};
  // Per packet at each link up and down, drawn from `seed`; only with a delay box.
  double jitter_s = 0, loss = 0;
  std::uint64_t seed = 1;
  bool slow_start_after_idle = true;  // TCP's (RFC 5681, section 4.1)
};

class Testbed {
 public:
  // `changes` of links only a delay box can make. Throws InputError: no root, no iproute2, no namespaces, no TUN; more
  // packets than a delay box carries.
  Testbed(const Star& star, const TestbedSettings& settings, std::vector<LineChange> changes = {});

  const NetworkNamespace& host(int node) const { return hosts_[static_cast<std::size_t>(node)]; }
  std::string address(int node) const;  // within the stage
  // The share of retransmissions among the TCP segments of all hosts.
  double retransmitted_share() const;

  // True if packets are held for the latency of their route; otherwise the reader of a message has to wait for it.
  bool has_latencies() const { return box_ != nullptr; }
  void begin(WallClock::time_point start);     // starts the run: links change, the box counts
  void stop();                                 // the box carries nothing any more
  std::optional<DelayBoxUse> box_use() const;  // once stopped

 private:
  void lay_cables(const Star& star, const LinkQueue& queue);
  void lay_delayed_links(const Star& star, const TestbedSettings& settings, std::vector<LineChange> changes);

  std::optional<NetworkNamespace> bridge_;
  std::vector<NetworkNamespace> hosts_;
  std::unique_ptr<DelayBox> box_;
};

}  // namespace ddl::emulate
