// The calls which SimGrid renamed in 4.0 and 4.1, under one name for every version from 3.32 on. Zones need their
// parent before their hosts since 4.0. Header only, so that programs on SimGrid alone can use it as well.
#pragma once

#include <simgrid/forward.h>  // version.h needs it
#include <simgrid/version.h>

#include <functional>
#if SIMGRID_VERSION < 40000
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Link.hpp>
#include <simgrid/s4u/NetZone.hpp>
#include <string>
#include <vector>

namespace ddl::simgrid_api {

namespace s4u = simgrid::s4u;

// SimGrid 3.32 treats a window of 0 as a bound of 0, and then gives flows more than their links have.
constexpr double no_window_bytes = 1e30;

// Whether a setting network/latency-factor may be a list of factors by the sizes of messages.
constexpr bool factors_by_size = SIMGRID_VERSION >= 33300;

using LinksOfRoute = std::vector<s4u::LinkInRoute>;

// A zone and the router by which routes between zones enter and leave it.
struct GatedZone {
  s4u::NetZone* zone = nullptr;
  simgrid::kernel::routing::NetPoint* gate = nullptr;
};

#if SIMGRID_VERSION >= 40000

// The parent of the outermost zone that a program makes.
inline s4u::NetZone* outermost(const s4u::Engine& engine) { return engine.get_netzone_root(); }

inline s4u::NetZone* add_star(s4u::NetZone* parent, const std::string& name) { return parent->add_netzone_star(name); }
inline s4u::NetZone* add_full(s4u::NetZone* parent, const std::string& name) { return parent->add_netzone_full(name); }
inline s4u::NetZone* add_dijkstra(s4u::NetZone* parent, const std::string& name, bool cache) {
  return parent->add_netzone_dijkstra(name, cache);
}

inline s4u::Host* add_host(s4u::NetZone* zone, const std::string& name, double speed_flops) {
  return zone->add_host(name, speed_flops);
}

inline s4u::Link* add_link(s4u::NetZone* zone, const std::string& name, double bytes_per_s) {
  return zone->add_link(name, bytes_per_s);
}

inline s4u::SplitDuplexLink* add_split_duplex(s4u::NetZone* zone, const std::string& name, double bytes_per_s) {
  return zone->add_split_duplex_link(name, bytes_per_s);
}

inline GatedZone add_gate(s4u::NetZone* zone, const std::string& name) {
  auto* const gate = zone->add_router(name);
  zone->set_gateway(gate);
  return {zone, gate};
}

// From `source` to `target`, and back where `both_ways`. In a star `target` is null: a host's links to the middle.
inline void add_route(s4u::NetZone* zone, const s4u::Host* source, const s4u::Host* target, const LinksOfRoute& links,
                      bool both_ways) {
  zone->add_route(source, target, links, both_ways);
}

inline void add_route(s4u::NetZone* zone, const GatedZone& source, const GatedZone& target, const LinksOfRoute& links,
                      bool both_ways) {
  zone->add_route(source.zone, target.zone, links, both_ways);
}

#else

inline s4u::NetZone* outermost(const s4u::Engine&) { return nullptr; }

inline s4u::NetZone* inside(s4u::NetZone* parent, s4u::NetZone* zone) {
  if (parent != nullptr) zone->set_parent(parent);
  return zone;
}

inline s4u::NetZone* add_star(s4u::NetZone* parent, const std::string& name) {
  return inside(parent, s4u::create_star_zone(name));
}

inline s4u::NetZone* add_full(s4u::NetZone* parent, const std::string& name) {
  return inside(parent, s4u::create_full_zone(name));
}

inline s4u::NetZone* add_dijkstra(s4u::NetZone* parent, const std::string& name, bool cache) {
  return inside(parent, s4u::create_dijkstra_zone(name, cache));
}

inline s4u::Host* add_host(s4u::NetZone* zone, const std::string& name, double speed_flops) {
  return zone->create_host(name, speed_flops);
}

inline s4u::Link* add_link(s4u::NetZone* zone, const std::string& name, double bytes_per_s) {
  return zone->create_link(name, bytes_per_s);
}

inline s4u::SplitDuplexLink* add_split_duplex(s4u::NetZone* zone, const std::string& name, double bytes_per_s) {
  return zone->create_split_duplex_link(name, bytes_per_s);
}

inline GatedZone add_gate(s4u::NetZone* zone, const std::string& name) { return {zone, zone->create_router(name)}; }

inline void add_route(s4u::NetZone* zone, const s4u::Host* source, const s4u::Host* target, const LinksOfRoute& links,
                      bool both_ways) {
  zone->add_route(source->get_netpoint(), target == nullptr ? nullptr : target->get_netpoint(), nullptr, nullptr, links,
                  both_ways);
}

inline void add_route(s4u::NetZone* zone, const GatedZone& source, const GatedZone& target, const LinksOfRoute& links,
                      bool both_ways) {
  zone->add_route(source.zone->get_netpoint(), target.zone->get_netpoint(), source.gate, target.gate, links, both_ways);
}

#endif

inline s4u::ActorPtr add_actor(const std::string& name, s4u::Host* host, const std::function<void()>& code) {
#if SIMGRID_VERSION >= 40100
  return host->add_actor(name, code);
#elif SIMGRID_VERSION >= 40000
  return s4u::Engine::add_actor(name, host, code);
#else
  return s4u::Actor::create(name, host, code);
#endif
}

// `factor` is asked for whenever a transfer starts. Only where network/latency-factor has its default.
inline void set_latency_factor(const s4u::Engine& engine, const std::function<double()>& factor) {
  const auto answer = [factor](const auto&...) { return factor(); };
#if SIMGRID_VERSION >= 40000
  engine.get_netzone_root()->set_latency_factor_cb(answer);
#else
  engine.get_netzone_root()->get_network_model()->set_lat_factor_cb(answer);
#endif
}

}  // namespace ddl::simgrid_api
