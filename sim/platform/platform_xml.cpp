#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "sim/platform/layout.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::platform {
namespace {

class Writer {
 public:
  explicit Writer(const Layout& layout) : layout_(layout) {}

  std::string text() {
    line("<?xml version='1.0'?>");
    line("<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">");
    line("<platform version=\"4.1\">");
    switch (layout_.shape) {
      case Layout::Shape::sites:
        sites();
        break;
      case Layout::Shape::mesh:
        joined("mesh", "Full");
        break;
      case Layout::Shape::ring:
        // Tables of all routes would take time cubic in the number of hosts.
        joined("ring", "DijkstraCache");
        break;
    }
    line("</platform>");
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  void host(const Layout::Host& host) {
    const std::string start = fmt::format("<host id=\"{}\" speed=\"{}f\"", host.name, host.speed_flops);
    if (layout_.site_names.empty()) return line("{}/>", start);
    line("{}><prop id=\"site\" value=\"{}\"/></host>", start, layout_.site_names[host.site]);
  }
  void link(const std::string& id, double bytes_per_s, double latency_s, bool duplex) {
    const bool is_read = latency_s >= std::numeric_limits<double>::min();  // SimGrid reads no subnormal numbers
    line("<link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}s\"{}/>", id, bytes_per_s, is_read ? latency_s : 0,
         duplex ? " sharing_policy=\"SPLITDUPLEX\"" : "");
  }

  void sites() {
    line("<zone id=\"sites\" routing=\"Full\">");
    windows();
    for (std::size_t at = 0; at < layout_.ways.size(); ++at) site(at);
    for (const Layout::Link& one : layout_.links) {
      if (is_even(one)) {
        link(one.name, one.up_bytes_per_s, one.latency_s, true);
      } else {
        link(one.name + "_UP", one.up_bytes_per_s, one.latency_s, false);
        link(one.name + "_DOWN", one.down_bytes_per_s, one.latency_s, false);
      }
    }
    for (std::size_t source = 0; source < layout_.ways.size(); ++source) {
      for (std::size_t target = source + 1; target < layout_.ways.size(); ++target) ways(source, target);
    }
    line("</zone>");
  }

  // SimGrid has nothing for them, and keeps properties that it does not know.
  void windows() {
    for (std::size_t source = 0; source < layout_.windows.size(); ++source) {
      for (std::size_t target = 0; target < layout_.windows.size(); ++target) {
        if (source == target) continue;
        line("<prop id=\"tcp_window {} {}\" value=\"{}\"/>", layout_.site_names[source], layout_.site_names[target],
             scenario::write_quantity(layout_.windows[source][target], scenario::Dimension::size));
      }
    }
  }

  // SimGrid calls a star Cluster.
  void site(std::size_t at) {
    line("<zone id=\"site{0}\" routing=\"Cluster\"><router id=\"gate{0}\"/>", at);
    for (const Layout::Host& one : layout_.hosts) {
      if (one.site != at) continue;
      host(one);
      link(one.name, one.bandwidth_bytes_per_s, one.latency_s, true);
      line("<host_link id=\"{0}\" up=\"{0}_UP\" down=\"{0}_DOWN\"/>", one.name);
    }
    line("</zone>");
  }

  // Both directions of a file's full-duplex link have one bandwidth.
  static bool is_even(const Layout::Link& link) { return link.up_bytes_per_s == link.down_bytes_per_s; }

  // Both ways at once where that can be said.
  void ways(std::size_t source, std::size_t target) {
    const auto even = [&](const scenario::Hop& hop) { return is_even(layout_.links[hop.link]); };
    const bool both = std::ranges::all_of(layout_.ways[source][target], even);
    way(source, target, both);
    if (!both) way(target, source, both);
  }

  void way(std::size_t source, std::size_t target, bool both) {
    std::string links;
    for (const auto& [number, up] : layout_.ways[source][target]) {
      const Layout::Link& one = layout_.links[number];
      const char* direction = up ? "UP" : "DOWN";
      links += is_even(one) ? fmt::format("<link_ctn id=\"{}\" direction=\"{}\"/>", one.name, direction)
                            : fmt::format("<link_ctn id=\"{}_{}\"/>", one.name, direction);
    }
    line("<zoneRoute src=\"site{0}\" dst=\"site{1}\" gw_src=\"gate{0}\" gw_dst=\"gate{1}\"{2}>{3}</zoneRoute>", source,
         target, both ? "" : " symmetrical=\"NO\"", links);
  }

  // Hosts, and links between them.
  void joined(const char* zone, const char* routing) {
    const bool duplex = layout_.shape == Layout::Shape::ring;
    line("<zone id=\"{}\" routing=\"{}\">", zone, routing);
    for (const Layout::Host& one : layout_.hosts) host(one);
    for (const Layout::Link& one : layout_.links) link(one.name, one.up_bytes_per_s, one.latency_s, duplex);
    for (const Layout::Link& one : layout_.links) {
      line("<route src=\"{}\" dst=\"{}\"{}><link_ctn id=\"{}\"{}/></route>", layout_.hosts[one.source].name,
           layout_.hosts[one.target].name, duplex ? "" : " symmetrical=\"NO\"", one.name,
           duplex ? " direction=\"UP\"" : "");
    }
    line("</zone>");
  }

  const Layout& layout_;
  std::string text_;
};

}  // namespace

std::string platform_xml(const Layout& layout) { return Writer(layout).text(); }

}  // namespace ddl::platform
