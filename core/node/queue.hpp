// Messages that a node has sent to one target and the network has not taken yet.
#pragma once

#include <cstddef>

namespace ddl {

// A capability of a Node. First in, first out; one message is on the wire at a time. Calls marked W can wait.
class SendQueue {
 public:
  virtual ~SendQueue() = default;
  virtual std::size_t length() const = 0;             // messages not yet on the wire
  virtual void wait_for_room(std::size_t depth) = 0;  // W. until length() < depth
  virtual void flush() = 0;                           // W. until everything sent is delivered
};

}  // namespace ddl
