// Connections between sites and what binds them, for reports.
#pragma once

#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

// The window of a connection over its round trip; the links of the two hosts; those between two sites. latency: the
// message is so short that its way takes longer than its bytes.
enum class Binding { window, host, route, latency };
constexpr auto enum_names(Binding) { return in_order<Binding>("window", "host", "route", "latency"); }

struct SiteConnection {
  std::string from{}, to{};  // sites
  Binding binding = Binding::latency;
  double window_bytes = 0;  // infinite: no limit
  double bytes_per_s = 0;   // at most, once its window has grown
  double message_s = 0;     // least time of the message
};

// For archives.
template <class Archive>
void members(Archive& archive, SiteConnection& it) {
  archive(it.from, it.to, it.binding, it.window_bytes, it.bytes_per_s, it.message_s);
}

// Between the first hosts of any two sites, by the number of the first, then of the second: a message of so many bytes
// alone on the network, over as many connections as it has. Pairs without a route are left out.
std::vector<SiteConnection> connections_between_sites(const platform::Fabric& fabric, double message_bytes);

}  // namespace ddl::network
