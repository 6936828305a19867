#include <fmt/format.h>

#include <algorithm>

#include "sim/platform/layout.hpp"

namespace ddl::platform {
namespace {

// Tables of all routes take time cubic in the number of nodes; beyond this, routes are found when asked for.
constexpr std::size_t most_nodes_of_a_table = 200;

class Writer {
 public:
  explicit Writer(const Layout& layout) : layout_(layout) {}

  std::string text() {
    line("<?xml version='1.0'?>");
    line("<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">");
    line("<platform version=\"4.1\">");
    switch (layout_.shape) {
      case Layout::Shape::star:
        star("star", "switch", 0);
        break;
      case Layout::Shape::sites:
        sites();
        break;
      case Layout::Shape::mesh:
        flat("mesh", "Full", false);
        break;
      case Layout::Shape::ring:
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

  void host(const Layout::Host& host) {
    const std::string start = fmt::format("<host id=\"{}\" speed=\"{}f\"", host.name, host.speed_flops);
    if (layout_.names.empty()) return line("{}/>", start);
    line("{}><prop id=\"site\" value=\"{}\"/></host>", start, layout_.names[host.site]);
  }
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

  void sites() {
    line("<zone id=\"{}\" routing=\"Full\">", layout_.names.empty() ? "both" : "all");
    const std::size_t sites = layout_.ways.size();
    for (std::size_t site = 0; site < sites; ++site)
      star(fmt::format("site{}", site), fmt::format("gate{}", site), site);
    for (const Layout::SiteLink& one : layout_.between) {
      if (is_even(one)) {
        link({one.name, one.up_bytes_per_s, one.latency_s, 0, 0}, true);
      } else {
        link({one.name + "_UP", one.up_bytes_per_s, one.latency_s, 0, 0}, false);
        link({one.name + "_DOWN", one.down_bytes_per_s, one.latency_s, 0, 0}, false);
      }
    }
    for (std::size_t source = 0; source < sites; ++source) {
      for (std::size_t target = source + 1; target < sites; ++target) ways(source, target);
    }
    line("</zone>");
  }

  // Of a file's full-duplex link both directions have one bandwidth.
  static bool is_even(const Layout::SiteLink& link) { return link.up_bytes_per_s == link.down_bytes_per_s; }

  // Both ways at once where that can be said.
  void ways(std::size_t source, std::size_t target) {
    const auto even = [&](const scenario::Hop& hop) { return is_even(layout_.between[hop.link]); };
    const bool both = std::ranges::all_of(layout_.ways[source][target], even);
    way(source, target, both);
    if (!both) way(target, source, both);
  }

  void way(std::size_t source, std::size_t target, bool both) {
    std::string links;
    for (const auto& [number, up] : layout_.ways[source][target]) {
      const Layout::SiteLink& one = layout_.between[number];
      const char* direction = up ? "UP" : "DOWN";
      links += is_even(one) ? fmt::format("<link_ctn id=\"{}\" direction=\"{}\"/>", one.name, direction)
                            : fmt::format("<link_ctn id=\"{}_{}\"/>", one.name, direction);
    }
    line("<zoneRoute src=\"site{0}\" dst=\"site{1}\" gw_src=\"gate{0}\" gw_dst=\"gate{1}\"{2}>{3}</zoneRoute>", source,
         target, both ? "" : " symmetrical=\"NO\"", links);
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
  std::string text_;
};

}  // namespace

std::string platform_xml(const scenario::PlatformSpec& platform) {
  const Layout layout = layout_of(platform);
  return Writer(layout).text();
}

}  // namespace ddl::platform
