// The buffer into which the application writes a message, of which the connection can send no more than that holds: as
// large as two windows, in which a segment counts with its descriptors.
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
