// Hears of every transmission between two hosts, for instance to draw it. The simulation does not depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ddl::network {

enum class MessageEnd { arrived, lost, cut_off };  // cut off: by the end of the run

class Observer {
 public:
  struct Handle {
    std::size_t span = std::numeric_limits<std::size_t>::max();  // none: not noted
    double start_s = 0;
  };
  // It begins now.
  virtual Handle begin_message(int source, int target, std::int64_t step, double bytes) = 0;
  // `carried`: bytes that went over the links of the route so far.
  virtual void end_message(const Handle& handle, int source, int target, double carried, MessageEnd how) = 0;
  // Now `waiting` messages from source to target wait for the wire.
  virtual void queue_changed(int source, int target, std::size_t waiting) = 0;

 protected:
  ~Observer() = default;
};

}  // namespace ddl::network
