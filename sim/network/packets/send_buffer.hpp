// The sender's socket buffer. The application writes a message into it as there is room, and the connection sends only
// written data. It holds two windows of segments, each counted with its descriptors.
#pragma once

#include <cstdint>

#include "sim/network/packets/loss/scoreboard.hpp"

namespace ddl::network::packets {

class SendBuffer {
 public:
  // A message, rounded up to whole bytes, behind those before it.
  void write(double bytes, const Scoreboard& board);
  // The application writes on, with a window of `window` segments. False if it had nothing to write or no room.
  bool write_on(std::int64_t window, const Scoreboard& board);
  void take(double bytes) { unsent_bytes_ -= bytes; }  // they are sent

  double unsent_bytes() const { return unsent_bytes_; }                   // written and not sent
  bool is_waited_for() const { return unwritten_bytes_ > 0; }             // the application waits to write on
  double left_bytes() const { return unsent_bytes_ + unwritten_bytes_; }  // unsent bytes of the message

 private:
  double kept_bytes(const Scoreboard& board) const;
  void fill(const Scoreboard& board);

  double unsent_bytes_ = 0, unwritten_bytes_ = 0, size_bytes_ = 0;
};

}  // namespace ddl::network::packets
