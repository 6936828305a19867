// What carries messages between hosts: SimGrid's transfers, our own solver of the same model (FlowTransport), or
// single packets.
#pragma once

#include <limits>
#include <simgrid/s4u/Engine.hpp>
#include <vector>

#include "sim/network/transmission.hpp"

namespace ddl::network {

inline double now() { return simgrid::s4u::Engine::get_clock(); }  // simulated seconds

class Transport {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  virtual ~Transport() = default;
  // Starts to carry them, each between two hosts. Until one has ended, its transfer >= 0 names it.
  virtual void start(const std::vector<Transmission*>& transmissions) = 0;
  // Gives it up, and returns what of it got through.
  virtual double cancel(Transmission& transmission) = 0;
  // The node has gone, and with it what was known of connections to and from it. Nothing of it is carried now.
  virtual void forget(int) {}
  // What of it has not got through.
  virtual double remaining_bytes(const Transmission& transmission) const = 0;
  // Those that have ended since this was last asked.
  virtual std::vector<Transmission*> take_ended() = 0;
  // When it is to be asked for them next. One that cannot know calls back when it is time.
  virtual double next_end_s() = 0;
  // The run is over: it calls back no more.
  virtual void stop() = 0;
};

}  // namespace ddl::network
