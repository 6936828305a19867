// Calls that SimGrid renamed in 4.0 and 4.1, under one name for every version from 3.32 on. Header only, so that
// programs on SimGrid alone can use it as well.
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

namespace ddl::simgrid_api {

namespace s4u = simgrid::s4u;

// SimGrid 3.32 treats a window of 0 as a bound of 0, and then gives flows more than their links have.
constexpr double no_window_bytes = 1e30;

// Whether a setting network/latency-factor may be a list of factors by the sizes of messages.
constexpr bool factors_by_size = SIMGRID_VERSION >= 33300;

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
