// How much a receiver has room for, as Linux 6.18 has it: its buffer, which grows by what the application reads in a
// round trip (tcp_rcv_space_adjust), the window in it, which grows as segments come (tcp_grow_window), and what of that
// it tells the sender (tcp_select_window). Bytes are counted over the connection's life. Without a clock.
#pragma once

namespace ddl::network::packets {

class ReceiveWindow {
 public:
  explicit ReceiveWindow(double most_segments);

  // A segment has come, with which `held_bytes` wait to be read or beyond a gap. Whether the window has grown.
  bool grow(double held_bytes);
  // The window now, in whole units, if so many wait.
  double offer(double held_bytes) const;
  // What is told with an acknowledgement of all before `next_bytes`: bytes before the end have room. It never shrinks.
  void tell(double next_bytes, double held_bytes);
  double told_bytes() const { return told_bytes_; }  // last: the window
  // Whether what is left of that is small, and would be twice as much now.
  bool is_worth_telling(double next_bytes, double held_bytes) const;
  double end_bytes() const { return end_bytes_; }

  // The application has read all before `read_bytes`, after which `waiting_bytes` wait still, and so many lie beyond a
  // gap: up to the last, from the first on. `round_trip_s`: never, if it is not known.
  void note_read(double now_s, double read_bytes, double waiting_bytes, double beyond_bytes, double round_trip_s);

 private:
  double clamp() const;                  // of the buffer, for data
  double free(double held_bytes) const;  // of that

  const double most_bytes_;
  double buffer_bytes_, window_bytes_;  // the second is rcv_ssthresh
  double told_bytes_, end_bytes_;
  double measured_since_s_ = 0, measured_bytes_, measured_from_bytes_ = 0;
};

}  // namespace ddl::network::packets
