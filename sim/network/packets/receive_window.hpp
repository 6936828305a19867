// A receiver's window, like Linux 6.18: its buffer, which grows by the application's reading in a round trip
// (tcp_rcv_space_adjust), the window in it, which grows as segments arrive (tcp_grow_window), and the part of it
// advertised to the sender (tcp_select_window). Bytes are counted over the connection's life. Without a clock.
#pragma once

namespace ddl::network::packets {

class ReceiveWindow {
 public:
  explicit ReceiveWindow(double most_segments);

  // A segment has arrived; with it `held_bytes` wait to be read or lie beyond a gap. True if the window has grown.
  bool grow(double held_bytes);
  // The window now, in whole units, if `held_bytes` wait.
  double offer(double held_bytes) const;
  // Advertises with an acknowledgement of all bytes before `next_bytes`: bytes before the end have room. The end never
  // shrinks.
  void tell(double next_bytes, double held_bytes);
  double told_bytes() const { return told_bytes_; }  // the window last advertised
  // True if little of the advertised window is left, and it would now be twice as much.
  bool is_worth_telling(double next_bytes, double held_bytes) const;
  double end_bytes() const { return end_bytes_; }

  // The application has read all before `read_bytes`; `waiting_bytes` still wait, and `beyond_bytes` lie beyond a gap,
  // from its first byte to the last. `round_trip_s`: never, if unknown.
  void note_read(double now_s, double read_bytes, double waiting_bytes, double beyond_bytes, double round_trip_s);

 private:
  double clamp() const;                  // the buffer's limit for data
  double free(double held_bytes) const;  // the rest of that

  const double most_bytes_;
  double buffer_bytes_, window_bytes_;  // the second is rcv_ssthresh
  double told_bytes_, end_bytes_;
  double measured_since_s_ = 0, measured_bytes_, measured_from_bytes_ = 0;
};

}  // namespace ddl::network::packets
