#include <fmt/format.h>

#include "sim/platform/layout.hpp"

namespace ddl::platform {
namespace {

// Tables of all routes take time cubic in the number of nodes; beyond this, routes are found when asked for.
constexpr std::size_t most_nodes_of_a_table = 200;

class Writer {
 public:
  Writer(const Layout& layout, scenario::Topology topology) : layout_(layout), topology_(topology) {}

  std::string text() {
    line("<?xml version='1.0'?>");
    line("<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">");
    line("<platform version=\"4.1\">");
    switch (topology_) {
      case scenario::Topology::star:
        star("star", "switch", 0);
        break;
      case scenario::Topology::two_sites:
        two_sites();
        break;
      case scenario::Topology::mesh:
        flat("mesh", "Full", false);
        break;
      case scenario::Topology::ring:
        flat("ring", "DijkstraCache", true);
        break;
    }
    line("</platform>");
    return std::move(text_);
  }

 private:
  void line(std::string_view what) {
    text_ += what;
    text_ += '\n';
  }
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    line(std::string_view(fmt::format(format, std::forward<Arguments>(arguments)...)));
  }

  static std::string escaped(const std::string& name) {
    std::string text;
    for (const char letter : name) text += letter == '>' ? std::string("&gt;") : std::string(1, letter);
    return text;
  }

  void host(const Layout::Host& host) { line("<host id=\"{}\" speed=\"{}f\"/>", host.name, host.speed_flops); }
  void link(const Layout::Link& link, bool duplex) {
    line("<link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}s\"{}/>", escaped(link.name), link.bandwidth_bytes_per_s,
         link.latency_s, duplex ? " sharing_policy=\"SPLITDUPLEX\"" : "");
  }

  void star(const std::string& zone, const std::string& router, std::size_t site) {
    line("<zone id=\"{}\" routing=\"{}\">", zone,
         layout_.hosts.size() > most_nodes_of_a_table ? "DijkstraCache" : "Floyd");
    for (const Layout::Host& one : layout_.hosts) {
      if (one.site == site) host(one);
    }
    line("<router id=\"{}\"/>", router);
    for (const Layout::Link& one : layout_.links) {
      if (layout_.hosts[one.source].site == site) link(one, true);
    }
    for (const Layout::Link& one : layout_.links) {
      const Layout::Host& end = layout_.hosts[one.source];
      if (end.site != site) continue;
      line("<route src=\"{}\" dst=\"{}\"><link_ctn id=\"{}\" direction=\"UP\"/></route>", end.name, router, one.name);
    }
    line("</zone>");
  }

  void two_sites() {
    line("<zone id=\"both\" routing=\"Full\">");
    star("site0", "gate0", 0);
    star("site1", "gate1", 1);
    link(*layout_.between_sites, true);
    line(
        "<zoneRoute src=\"site0\" dst=\"site1\" gw_src=\"gate0\" gw_dst=\"gate1\">"
        "<link_ctn id=\"sites\" direction=\"UP\"/></zoneRoute>");
    line("</zone>");
  }

  void flat(const std::string& zone, const std::string& routing, bool duplex) {
    line("<zone id=\"{}\" routing=\"{}\">", zone, routing);
    for (const Layout::Host& one : layout_.hosts) host(one);
    for (const Layout::Link& one : layout_.links) link(one, duplex);
    for (const Layout::Link& one : layout_.links) {
      line("<route src=\"{}\" dst=\"{}\"{}><link_ctn id=\"{}\"{}/></route>", layout_.hosts[one.source].name,
           layout_.hosts[one.target].name, duplex ? "" : " symmetrical=\"NO\"", escaped(one.name),
           duplex ? " direction=\"UP\"" : "");
    }
    line("</zone>");
  }

  const Layout& layout_;
  const scenario::Topology topology_;
  std::string text_;
};

}  // namespace

std::string platform_xml(const scenario::GeneratedPlatform& spec) {
  const Layout layout = layout_of(spec);
  return Writer(layout, spec.topology).text();
}

}  // namespace ddl::platform
