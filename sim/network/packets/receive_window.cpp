#include "sim/network/packets/receive_window.hpp"

#include <algorithm>
#include <cmath>

#include "sim/network/packets/segment.hpp"

namespace ddl::network::packets {
namespace {

// A segment takes 2304 bytes of the buffer; 160/256 of them count as data (tcp_win_from_space).
constexpr double data_share = 160.0 / 256, memory_of_segment = 2304;
constexpr double first_buffer = 131072, first_window = 65160;
constexpr double growth_per_segment = 2 * segment_bytes, first_measured = 10 * segment_bytes;
constexpr double unit = 1024;  // a window's unit on the wire: 2 to the window scale

double in_units(double bytes) { return std::ceil(bytes / unit) * unit; }

}  // namespace

ReceiveWindow::ReceiveWindow(double most_segments)
    : most_bytes_(most_segments * segment_bytes),
      buffer_bytes_(std::min(first_buffer, most_bytes_ / data_share)),
      window_bytes_(std::min(first_window, most_bytes_)),
      told_bytes_(window_bytes_),
      end_bytes_(window_bytes_),
      measured_bytes_(first_measured) {}

double ReceiveWindow::clamp() const { return buffer_bytes_ * data_share; }

double ReceiveWindow::free(double held_bytes) const {
  return clamp() - held_bytes / segment_bytes * memory_of_segment * data_share;
}

bool ReceiveWindow::grow(double held_bytes) {
  const double most = clamp() >= most_bytes_ ? most_bytes_ : free(held_bytes);
  if (window_bytes_ >= most) return false;
  window_bytes_ = std::min(most, window_bytes_ + growth_per_segment);
  return true;
}

double ReceiveWindow::offer(double held_bytes) const {
  if (clamp() >= most_bytes_ && window_bytes_ >= most_bytes_) return most_bytes_;
  return in_units(std::clamp(free(held_bytes), 0.0, window_bytes_));
}

void ReceiveWindow::tell(double next_bytes, double held_bytes) {
  const double left = end_bytes_ - next_bytes, window = offer(held_bytes);
  told_bytes_ = std::min(window < left ? in_units(left) : window, std::max(most_bytes_, left));
  end_bytes_ = next_bytes + told_bytes_;
}

bool ReceiveWindow::is_worth_telling(double next_bytes, double held_bytes) const {
  const double left = end_bytes_ - next_bytes;
  return 2 * left <= clamp() && offer(held_bytes) >= 2 * left;
}

// c: bytes read in the last round trip, minus the waiting ones. If c exceeds the last measure m, the buffer grows to 2
// c (1 + 2 (c - m) / m) of data, plus data beyond a gap.
void ReceiveWindow::note_read(double now_s, double read_bytes, double waiting_bytes, double beyond_bytes,
                              double round_trip_s) {
  if (now_s - measured_since_s_ < round_trip_s) return;
  const double came = read_bytes - measured_from_bytes_ - waiting_bytes;
  if (came > measured_bytes_) {
    const double data = 2 * came * (1 + 2 * (came - measured_bytes_) / measured_bytes_) + beyond_bytes;
    buffer_bytes_ = std::max(buffer_bytes_, std::min(data, most_bytes_) / data_share);
    measured_bytes_ = came;
  }
  measured_since_s_ = now_s;
  measured_from_bytes_ = read_bytes;
}

}  // namespace ddl::network::packets
