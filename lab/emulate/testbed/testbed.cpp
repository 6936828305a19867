#include "lab/emulate/testbed/testbed.hpp"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.hpp"

namespace ddl::emulate {
namespace {

constexpr double frame_bytes = 1500 + ethernet_bytes, bucket_s = 0.001;

std::string limit(const std::string& device, double bytes_per_s, const LinkQueue& queue) {
  const double bucket = std::max(2 * frame_bytes, bytes_per_s * bucket_s);
  return fmt::format("qdisc add dev {} root tbf rate {:.0f}bit burst {:.0f} limit {:.0f}\n", device, 8 * bytes_per_s,
                     bucket, bucket + queue.bytes_at(bytes_per_s));
}

bool needs_delay_box(const Star& star, const TestbedSettings& settings, bool links_change) {
  if (settings.links != LinkKind::automatic) return settings.links == LinkKind::delay_box;
  const auto is_far = [](const std::vector<double>& ways) {
    return std::ranges::any_of(ways, [](double latency_s) { return latency_s >= least_delay_s; });
  };
  return links_change || settings.jitter_s > 0 || settings.loss > 0 || std::ranges::any_of(star.latency_s, is_far);
}

void check_settings(const Star& star, const TestbedSettings& settings, bool has_box, bool links_change) {
  if (!has_box && (settings.jitter_s > 0 || settings.loss > 0 || links_change)) {
    throw InputError(
        "emulate: token buckets know neither jitter nor loss nor links that change; expected --links delay_box");
  }
  if (!has_box) return;
  std::vector<double> up, down;
  for (const StarHost& host : star.hosts) {
    up.push_back(host.up_bytes_per_s);
    down.push_back(host.down_bytes_per_s);
    if (settings.jitter_s > std::min(host.up_latency_s, host.down_latency_s)) {
      throw InputError(fmt::format("emulate: --jitter {} s: is more than the latency of {}'s link, {} s; expected less",
                                   settings.jitter_s, host.name, std::min(host.up_latency_s, host.down_latency_s)));
    }
  }
  check_packet_rate(up, down);
}

// Sets TCP in the thread's namespace.
void set_slow_start_after_idle(bool on) {
  std::ofstream("/proc/sys/net/ipv4/tcp_slow_start_after_idle") << (on ? "1" : "0");
}

// Like `ethtool -K eth0 tso off` in the thread's namespace: the frames of a burst leave one by one. Virtual devices
// would keep them together, and a full queue would drop them together, which no switch does.
void cut_bursts_into_frames() {
  ethtool_value segmentation{ETHTOOL_STSO, 0};
  ifreq request{};
  std::strncpy(request.ifr_name, "eth0", IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&segmentation);
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (ioctl(any.number(), SIOCETHTOOL, &request) != 0) {
    throw InputError(std::string("emulate: eth0: segmentation offload cannot be switched off: ") +
                     std::strerror(errno));
  }
}

std::string hardware_address(std::size_t node) { return fmt::format("02:00:00:00:00:{:02x}", node + 1); }

// Hosts' announcements to their neighbours would only be noise here. A kernel without IPv6 has no such file.
void silence_ipv6() { std::ofstream("/proc/sys/net/ipv6/conf/all/disable_ipv6") << "1"; }

struct Segments {
  double sent = 0, again = 0;
};

// Counts in the thread's namespace: two lines "Tcp: ..." of names and of values.
Segments segments_here() {
  std::ifstream file("/proc/thread-self/net/snmp");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Tcp: ")) lines.push_back(line);
  }
  Segments segments;
  if (lines.size() != 2) return segments;
  std::istringstream names(lines[0]), values(lines[1]);
  for (std::string name, value; names >> name && values >> value;) {
    if (name == "OutSegs") segments.sent = std::stod(value);
    if (name == "RetransSegs") segments.again = std::stod(value);
  }
  return segments;
}

}  // namespace

double Testbed::retransmitted_share() const {
  Segments all;
  for (const NetworkNamespace& host : hosts_) {
    const InNamespace visit(host);
    const Segments here = segments_here();
    all.sent += here.sent;
    all.again += here.again;
  }
  return all.sent > 0 ? all.again / all.sent : 0;
}

std::string Testbed::address(int node) const { return fmt::format("10.0.0.{}", node + 1); }

double LinkQueue::bytes_at(double bytes_per_s) const {
  constexpr double least_frames = 8;
  return std::max(least_frames * frame_bytes, bytes > 0 ? bytes : bytes_per_s * seconds);
}

Testbed::Testbed(const Star& star, const TestbedSettings& settings, std::vector<LineChange> changes) {
  const bool with_box = needs_delay_box(star, settings, !changes.empty());
  check_settings(star, settings, with_box, !changes.empty());
  for (std::size_t node = 0; node < star.hosts.size(); ++node) {
    hosts_.push_back(NetworkNamespace::make());
    const InNamespace visit(hosts_.back());
    silence_ipv6();
    set_slow_start_after_idle(settings.slow_start_after_idle);
  }
  if (with_box) {
    lay_delayed_links(star, settings, std::move(changes));
  } else {
    lay_cables(star, settings.queue);
  }
}

void Testbed::lay_cables(const Star& star, const LinkQueue& queue) {
  bridge_.emplace(NetworkNamespace::make());
  std::string links = "link add bridge type bridge mcast_snooping 0\nlink set bridge up\n", limits;
  for (std::size_t node = 0; node < star.hosts.size(); ++node) {
    links += fmt::format("link add port{0} type veth peer name eth0 address {1}\nlink set eth0 netns {2}\n", node,
                         hardware_address(node), hosts_[node].path());
    links += fmt::format("link set port{0} master bridge\nlink set port{0} up\n", node);
    limits += limit(fmt::format("port{}", node), star.hosts[node].down_bytes_per_s, queue);
  }
  {
    const InNamespace visit(*bridge_);
    silence_ipv6();
  }
  bridge_->run({"ip", "-batch", "-"}, links);
  bridge_->run({"tc", "-batch", "-"}, limits);
  for (std::size_t node = 0; node < star.hosts.size(); ++node) {
    std::string own = fmt::format("addr add {}/24 dev eth0\nlink set eth0 up\n", address(static_cast<int>(node)));
    for (std::size_t other = 0; other < star.hosts.size(); ++other) {
      if (other == node) continue;
      own += fmt::format("neigh add {} lladdr {} dev eth0 nud permanent\n", address(static_cast<int>(other)),
                         hardware_address(other));
    }
    hosts_[node].run({"ip", "-batch", "-"}, own);
    const InNamespace visit(hosts_[node]);
    cut_bursts_into_frames();
    hosts_[node].run({"tc", "-batch", "-"}, limit("eth0", star.hosts[node].up_bytes_per_s, queue));
  }
}

void Testbed::lay_delayed_links(const Star& star, const TestbedSettings& settings, std::vector<LineChange> changes) {
  std::vector<DelayedStar::Host> lines;
  for (const StarHost& host : star.hosts) {
    const auto line = [&](double bytes_per_s, double latency_s, const char* direction) {
      return DelayLine({bytes_per_s, latency_s, settings.jitter_s, settings.loss, settings.queue.bytes_at(bytes_per_s)},
                       stream(settings.seed, host.name, std::string("emulated link ") + direction));
    };
    lines.push_back(
        {line(host.up_bytes_per_s, host.up_latency_s, "up"), line(host.down_bytes_per_s, host.down_latency_s, "down")});
  }
  box_ = std::make_unique<DelayBox>(hosts_, DelayedStar(std::move(lines)), std::move(changes));
  for (std::size_t node = 0; node < star.hosts.size(); ++node) {
    // The device's own queue never overflows before the box has emptied it.
    hosts_[node].run({"ip", "-batch", "-"},
                     fmt::format("addr add {}/24 dev eth0\nlink set eth0 mtu 1500 txqueuelen 10000\nlink set eth0 up\n",
                                 address(static_cast<int>(node))));
  }
}

void Testbed::begin(WallClock::time_point start) {
  if (box_) box_->begin(start);
}

void Testbed::stop() {
  if (box_) box_->stop();
}

std::optional<DelayBoxUse> Testbed::box_use() const { return box_ ? std::optional(box_->use()) : std::nullopt; }

}  // namespace ddl::emulate
