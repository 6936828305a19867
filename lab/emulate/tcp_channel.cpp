#include "lab/emulate/tcp_channel.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lab/emulate/actor_threads.hpp"
#include "lab/emulate/frame.hpp"

namespace ddl::emulate {
namespace {

constexpr std::size_t chunk_bytes = 65536, wake_bytes = 16384;
using Chunk = std::array<char, chunk_bytes>;

}  // namespace

TcpChannel::TcpChannel(Connection connection, Surroundings surroundings)
    : connection_(std::move(connection)), around_(std::move(surroundings)) {}

void TcpChannel::start() {
  writer_ = start_thread([this] { write(); });
  reader_ = start_thread([this] { read(); });
}

TcpChannel::~TcpChannel() { stop(); }

void TcpChannel::stop() {
  connection_.writing.shut();
  connection_.reading.shut();
  if (writer_.joinable()) writer_.join();
  if (reader_.joinable()) reader_.join();
}

void TcpChannel::send(Message message) {
  // Values that do not travel as bytes must not be shared either: replicas are copied on write, by their number of
  // holders.
  if (message.values && !fits(message)) message.values = make_payload(std::vector<float>(*message.values));
  ++undelivered_;
  ++around_.under_way;
  queue_.push_back(std::move(message));
  longest_queue_ = std::max(longest_queue_, static_cast<std::int64_t>(queue_.size()));
  around_.at_source.wake();
}

void TcpChannel::write() {
  std::unique_lock held(around_.at_source);
  while (true) {
    around_.at_source.wait_uncounted([this] { return !queue_.empty() && !on_wire_; });
    if (around_.at_source.is_over()) return;
    on_wire_ = std::move(queue_.front());
    queue_.pop_front();
    on_wire_bytes_ = static_cast<double>(on_wire_->wire_bytes + around_.header_bytes);
    ++messages_;
    bytes_ += on_wire_bytes_;
    around_.at_source.wake();  // there is room now
    // The message stays unchanged until the reader has all of it, which is after it has been written.
    const Message& message = *on_wire_;
    held.unlock();
    const bool written = write_one(message);
    held.lock();
    if (!written) return;
  }
}

bool TcpChannel::write_one(const Message& message) const {
  const FrameHead head = head_of(message, around_.header_bytes);
  const Socket& socket = connection_.writing;
  if (!socket.send_all(&head, sizeof head, head.bytes > 0)) return false;
  const std::size_t value_bytes = head.values * sizeof(float);
  if (value_bytes > 0 && !socket.send_all(message.values->data(), value_bytes, head.bytes > value_bytes)) return false;
  const Chunk filler{};
  for (std::size_t left = head.bytes - value_bytes; left > 0;) {
    const std::size_t size = std::min(left, filler.size());
    if (!socket.send_all(filler.data(), size, left > size)) return false;
    left -= size;
  }
  return true;
}

std::optional<Message> TcpChannel::read_one() {
  FrameHead head;
  const Socket& socket = connection_.reading;
  socket.wait_for(1);
  if (!socket.receive_all(&head, sizeof head)) return std::nullopt;
  std::vector<float> values(head.values);
  char* const begin = reinterpret_cast<char*>(values.data());
  const std::size_t value_bytes = head.values * sizeof(float);
  Chunk rest;
  std::size_t waited_for = 1;
  for (std::size_t got = 0; got < head.bytes;) {
    const bool is_value = got < value_bytes;
    const std::size_t room = is_value ? value_bytes - got : std::min(head.bytes - got, rest.size());
    const std::size_t least = std::min<std::size_t>(head.bytes - got, wake_bytes);
    if (least != waited_for) socket.wait_for(waited_for = least);
    const std::size_t n = socket.receive(is_value ? begin + got : rest.data(), room);
    if (n == 0) return std::nullopt;
    got += n;
    read_of_it_ = got;
  }
  return message_of(head, head.values > 0 ? make_payload(std::move(values)) : nullptr);
}

void TcpChannel::read() {
  while (std::optional<Message> message = read_one()) {
    const auto arrival = WallClock::now() + wall_duration(around_.latency_s);
    std::unique_lock held(around_.at_source);
    if (!around_.at_source.sleep_uncounted(arrival)) return;
    if (!message->values) message->values = on_wire_.value().values;
    held.unlock();
    around_.deliver(std::move(*message));
    held.lock();
    on_wire_.reset();
    read_of_it_ = 0;
    bytes_delivered_ += on_wire_bytes_;
    --undelivered_;
    --around_.under_way;
    around_.at_source.wake();
  }
}

double TcpChannel::bytes_carried() const { return bytes_delivered_ + static_cast<double>(read_of_it_); }

}  // namespace ddl::emulate
