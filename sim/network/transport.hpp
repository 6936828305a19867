// What carries messages between hosts: SimGrid's transfers, the accelerator of the same model, or
// single packets.
#pragma once

#include <limits>
#include <simgrid/s4u/Engine.hpp>
#include <vector>

#include "sim/network/channel.hpp"

namespace ddl::network {

inline double now() { return simgrid::s4u::Engine::get_clock(); }  // simulated seconds

class Transport {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  virtual ~Transport() = default;
  // Starts to carry the channels' messages, each between two hosts. Until one has ended, its channel.transfer >= 0
  // names it.
  virtual void start(const std::vector<Channel*>& channels) = 0;
  // Gives it up, and returns what of it got through.
  virtual double cancel(Channel& channel) = 0;
  // The node has gone, and with it what was known of connections to and from it. Nothing of it is carried now.
  virtual void forget(int) {}
  // What of it has not got through.
  virtual double remaining_bytes(const Channel& channel) const = 0;
  // The channels whose messages have come to their ends since this was last asked.
  virtual std::vector<Channel*> take_ended() = 0;
  // When it is to be asked for them next. One that cannot know calls back when it is time.
  virtual double next_end_s() = 0;
  // The run is over: it calls back no more.
  virtual void stop() = 0;
};

}  // namespace ddl::network
