// Transports of messages between hosts: SimGrid's transfers, our own solver of the same model (FlowTransport), or
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
  // A message in slices joins those under way on the transmission's connection. It will start when they have ended, and
  // its bytes may leave before.
  virtual void expect(const Transmission&, double /*first_bytes*/, double /*rest_bytes*/) {}
  // Cancels the transmission, and returns its delivered bytes.
  virtual double cancel(Transmission& transmission) = 0;
  // The node has gone: forget the state of its connections. None of its messages is under way.
  virtual void forget(int) {}
  // The transmission's undelivered bytes.
  virtual double remaining_bytes(const Transmission& transmission) const = 0;
  // Transmissions that have ended since the last call.
  virtual std::vector<Transmission*> take_ended() = 0;
  // Time of the next call of take_ended(). A transport that cannot know calls back when it is time.
  virtual double next_end_s() = 0;
  // The run is over: makes no more calls back.
  virtual void stop() = 0;
};

}  // namespace ddl::network
