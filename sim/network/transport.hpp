// What carries messages between two nodes: SimGrid's transfers, or the project's own sharing of links.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/node/message.hpp"
#include "sim/network/quiescence.hpp"
#include "sim/runtime/tracer.hpp"

namespace ddl::network {

// An ordered pair of nodes that has talked.
struct Channel {
  int source = 0, target = 0;
  bool busy = false;               // the wire is at it
  std::vector<Message> queue;      // not yet on the wire
  std::optional<Message> on_wire;  // and its size there
  double on_wire_bytes = 0;
  runtime::Tracer::Handle traced;
  int flows = 1;      // that it counts as where links are full
  int transfer = -1;  // the wire's own name for what it carries
  std::vector<Signal*> waiting_for_room, waiting_for_delivery;
  std::int64_t undelivered = 0;  // queued or on the wire
  std::int64_t messages = 0;     // put on the wire
  double bytes = 0, bytes_delivered = 0;
  double bytes_lost = 0, bytes_wasted = 0;  // of transmissions that did not arrive; the part of them it had carried
  bool waits_to_retry = false;              // the message on the wire was lost and is not there
};

// Whom a wire tells.
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
