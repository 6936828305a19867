// An ordered pair of nodes: one TCP connection, first in, first out, one message on the wire. A thread at the source
// writes, one at the target reads; the next message is written when the previous one has been delivered, as the reader
// tells the writer within the process.
//
// A message is delivered when its last byte has been read; if the network itself has no latencies (testbed.hpp), the
// route's latency later.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/node/message.hpp"
#include "lab/emulate/monitor.hpp"
#include "lab/emulate/testbed/connections.hpp"

namespace ddl::emulate {

class TcpChannel {
 public:
  struct Surroundings {
    Monitor& at_source;  // guards the channel
    double latency_s;    // waited for by the reader
    std::uint64_t header_bytes;
    std::function<void(Message)> deliver;  // to the target; called without any monitor
    std::atomic<std::int64_t>& under_way;  // messages queued or on the wire, of all channels
  };
  TcpChannel(Connection connection, Surroundings surroundings);
  ~TcpChannel();
  TcpChannel(const TcpChannel&) = delete;
  TcpChannel& operator=(const TcpChannel&) = delete;

  // Both threads begin; to be called once. Throws RunFailed if one cannot; stop() then still ends the other.
  void start();

  int source() const { return connection_.source; }
  int target() const { return connection_.target; }

  // The caller of the following holds the source's monitor.
  void send(Message message);
  std::size_t waiting() const { return queue_.size(); }
  bool is_delivered() const { return undelivered_ == 0; }

  // Both threads end; nothing more is sent or delivered. The source's monitor has ended.
  void stop();

  // Accounts, as Network keeps them; right while nothing moves, such as after stop().
  std::int64_t messages() const { return messages_; }
  double bytes() const { return bytes_; }  // put on the wire, whole messages
  double bytes_delivered() const { return bytes_delivered_; }
  double bytes_carried() const;  // bytes read by the target
  std::int64_t longest_queue() const { return longest_queue_; }

 private:
  void write();  // a thread
  void read();   // a thread
  bool write_one(const Message& message) const;
  std::optional<Message> read_one();

  Connection connection_;
  Surroundings around_;
  std::deque<Message> queue_;
  std::optional<Message> on_wire_;
  double on_wire_bytes_ = 0;
  std::atomic<std::uint64_t> read_of_it_ = 0;  // bytes of the message on the wire
  std::int64_t undelivered_ = 0, messages_ = 0, longest_queue_ = 0;
  double bytes_ = 0, bytes_delivered_ = 0;
  std::thread writer_, reader_;
};

}  // namespace ddl::emulate
