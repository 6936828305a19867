#include "sim/network/packets/send_buffer.hpp"

#include <algorithm>
#include <cmath>

#include "sim/network/packets/segment.hpp"

namespace ddl::network::packets {
namespace {

// Linux makes room for a segment with its descriptors when the application waits for it.
constexpr double room_for_segment_bytes = 2304;
constexpr double kept_for_unsent_bytes = 1486, kept_for_sent_bytes = 1864;  // sent ones are cut off, two at a time
constexpr double windows_in_buffer = 2, least_segments = 10;

double size_for(double segments) { return windows_in_buffer * segments * room_for_segment_bytes; }

}  // namespace

double SendBuffer::kept_bytes(const Scoreboard& board) const {
  const double sent_bytes = board.next_bytes() - board.first_bytes();
  return (sent_bytes * kept_for_sent_bytes + unsent_bytes_ * kept_for_unsent_bytes) / segment_bytes;
}

void SendBuffer::write(double bytes, const Scoreboard& board) {
  unwritten_bytes_ += std::max(std::ceil(bytes), 1.0);
  size_bytes_ = std::max(size_bytes_, size_for(least_segments));
  fill(board);
}

void SendBuffer::fill(const Scoreboard& board) {
  while (unwritten_bytes_ > 0 && kept_bytes(board) < size_bytes_) {
    const double bytes = std::min(unwritten_bytes_, segment_bytes);
    unwritten_bytes_ -= bytes;
    unsent_bytes_ += bytes;
  }
}

// The application is woken when a third of the buffer is free.
bool SendBuffer::write_on(std::int64_t window, const Scoreboard& board) {
  if (!(unwritten_bytes_ > 0)) return false;
  if (board.under_way() < window) {
    size_bytes_ = std::max(size_bytes_, size_for(std::max(least_segments, static_cast<double>(window))));
  }
  const double kept = kept_bytes(board);
  if (size_bytes_ - kept < kept / 2) return false;
  fill(board);
  return true;
}

}  // namespace ddl::network::packets
