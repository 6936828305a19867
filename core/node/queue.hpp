// What a node has sent to one target and the network has not taken yet.
#pragma once

#include <cstddef>
#include <functional>

#include "core/node/message.hpp"

namespace ddl {

// A capability of a Node. First in first out; one message is on the wire at a time. Calls marked W can wait.
class SendQueue {
 public:
  virtual ~SendQueue() = default;
  virtual std::size_t length() const = 0;  // messages not yet on the wire
  // Adds the values into the first queued message that is_same() names, which then has this one's step; false if there
  // is none.
  virtual bool merge(const Message& message, const std::function<bool(const Message& queued)>& is_same) = 0;
  virtual void wait_for_room(std::size_t depth) = 0;  // W. until length() < depth
  virtual void flush() = 0;                           // W. until all that was sent is delivered
};

}  // namespace ddl
