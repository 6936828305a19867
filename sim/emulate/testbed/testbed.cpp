#include "sim/emulate/testbed/testbed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ddl::emulate {
namespace {

constexpr double frame_bytes = 1514, bucket_s = 0.001;

std::string limit(const std::string& device, double bytes_per_s, double queue_s) {
  const double bucket = std::max(2 * frame_bytes, bytes_per_s * bucket_s);
  const double queue = std::max(8 * frame_bytes, bytes_per_s * queue_s);
  return fmt::format("qdisc add dev {} root tbf rate {:.0f}bit burst {:.0f} limit {:.0f}\n", device, 8 * bytes_per_s,
                     bucket, bucket + queue);
}

std::string hardware_address(std::size_t node) { return fmt::format("02:00:00:00:00:{:02x}", node + 1); }

// What hosts tell their neighbours of themselves would only be noise here. A kernel without IPv6 has no such file.
void silence_ipv6() { std::ofstream("/proc/sys/net/ipv6/conf/all/disable_ipv6") << "1"; }

struct Segments {
  double sent = 0, again = 0;
};

// Of the namespace that the thread is in: two lines "Tcp: ..." of names and of values.
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

Testbed::Testbed(const Star& star, double queue_s) : bridge_(NetworkNamespace::make()) {
  std::string links = "link add bridge type bridge mcast_snooping 0\nlink set bridge up\n", limits;
  for (std::size_t node = 0; node < star.hosts.size(); ++node) {
    hosts_.push_back(NetworkNamespace::make());
    links += fmt::format("link add port{0} type veth peer name eth0 address {1}\nlink set eth0 netns {2}\n", node,
                         hardware_address(node), hosts_.back().path());
    links += fmt::format("link set port{0} master bridge\nlink set port{0} up\n", node);
    limits += limit(fmt::format("port{}", node), star.hosts[node].down_bytes_per_s, queue_s);
  }
  {
    const InNamespace visit(bridge_);
    silence_ipv6();
  }
  bridge_.run({"ip", "-batch", "-"}, links);
  bridge_.run({"tc", "-batch", "-"}, limits);
  for (std::size_t node = 0; node < star.hosts.size(); ++node) {
    {
      const InNamespace visit(hosts_[node]);
      silence_ipv6();
    }
    std::string own = fmt::format("addr add {}/24 dev eth0\nlink set eth0 up\n", address(static_cast<int>(node)));
    for (std::size_t other = 0; other < star.hosts.size(); ++other) {
      if (other == node) continue;
      own += fmt::format("neigh add {} lladdr {} dev eth0 nud permanent\n", address(static_cast<int>(other)),
                         hardware_address(other));
    }
    hosts_[node].run({"ip", "-batch", "-"}, own);
    hosts_[node].run({"tc", "-batch", "-"}, limit("eth0", star.hosts[node].up_bytes_per_s, queue_s));
  }
}

}  // namespace ddl::emulate
