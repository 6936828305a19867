// The sender's socket buffer. The application writes a message into it as there is room, and the connection sends only
// what has been written. It holds two windows of segments, each counted with its descriptors.
#pragma once

#include <cstdint>

#include "sim/network/packets/scoreboard.hpp"

namespace ddl::network::packets {

class SendBuffer {
 public:
  // A message, whose segments the board gets as they fit in. Returns how many they are.
  std::int64_t write(double bytes, Scoreboard& board);
  // With a window of so many segments. Whether the application wrote on, if anything was left to write.
  bool write_on(std::int64_t window, Scoreboard& board);

 private:
  void fill(Scoreboard& board);

  double unwritten_bytes_ = 0, size_bytes_ = 0;
};

}  // namespace ddl::network::packets
