// Hears of every transmission between two hosts, such as to draw it. Nothing that is simulated depends on it.
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
  // So many messages wait now, from source to target, to be put on the wire.
  virtual void queue_changed(int source, int target, std::size_t waiting) = 0;

 protected:
  ~Observer() = default;
};

}  // namespace ddl::network
