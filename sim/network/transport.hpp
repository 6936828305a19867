// What carries a channel's messages: SimGrid's transfers, or the project's own sharing of links.
#pragma once

#include <optional>

#include "sim/network/channel.hpp"

namespace ddl::network {

// What a transport tells.
class TransportUser {
 public:
  // Puts the first queued message on the wire; false, and the channel is no longer busy, when there is none.
  virtual bool next(Channel& channel) = 0;
  // The message on the wire has come to its end. Nothing: it was delivered. Otherwise it was lost, and is to be put on
  // the wire again after so many seconds, which sent_again() is told when they are over.
  virtual std::optional<double> arrived(Channel& channel) = 0;
  virtual void sent_again(Channel& channel) = 0;

 protected:
  ~TransportUser() = default;
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Carries one message after another until the channel's queue is empty. Begins in this instant, but not before the
  // caller waits for something.
  virtual void begin(Channel& channel) = 0;
  // Bytes of the message on the wire that have not got through.
  virtual double remaining_bytes(const Channel& channel) const = 0;
  // Gives up the message that it carries (channel.transfer), and returns what of it got through. Goes on with the
  // channel's queue in this instant, but not before the caller waits for something.
  virtual double break_off(Channel& channel) = 0;
  // The run is over: nothing more happens.
  virtual void stop() = 0;
};

}  // namespace ddl::network
