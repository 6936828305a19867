#include "sim/network/tcp/tcp_transport.hpp"

#include <algorithm>
#include <limits>

namespace ddl::network {
namespace {

constexpr int between_parts = std::numeric_limits<int>::max();  // channel.transfer, where parts_ has none
constexpr double same_instant_s = 1e-9;

}  // namespace

void TcpTransport::start(Channel& channel) {
  wait(channel, Channel::Wait::part_starts, connections_.start(channel, now()));
}

void TcpTransport::wait(Channel& channel, Channel::Wait what, double until_s) {
  channel.wait = what;
  channel.wait_number = waits_so_far_++;
  channel.transfer = between_parts;
  waits_.push({until_s, channel.wait_number, &channel});
}

double TcpTransport::through_bytes(const Channel& channel) const {
  double part = 0;
  if (channel.wait == Channel::Wait::part_arrives) part = channel.part_bytes();
  if (channel.wait == Channel::Wait::none) part = channel.part_bytes() - parts_->remaining_bytes(channel);
  return std::min(channel.on_wire_bytes, channel.before_part_bytes() + part);
}

double TcpTransport::remaining_bytes(const Channel& channel) const {
  return channel.on_wire_bytes - through_bytes(channel);
}

double TcpTransport::cancel(Channel& channel) {
  const double through = through_bytes(channel);
  if (channel.wait == Channel::Wait::none) parts_->cancel(channel);
  channel.wait = Channel::Wait::none;
  channel.wait_number = -1;
  channel.part.reset();
  channel.transfer = -1;
  return through;
}

std::vector<Channel*> TcpTransport::take_ended() {
  std::vector<Channel*> ended;
  for (Channel* channel : parts_->take_ended()) {
    if (channel->on_wire) {
      wait(*channel, Channel::Wait::part_arrives, connections_.arrives_s(*channel, now()));
    } else {
      end(*channel, ended);  // lost with a host since
    }
  }
  std::vector<Channel*> starting = take_starting(ended);
  // Not in the order in which those before have ended, which is the transport's. All are on their links before any
  // looks back, so that parts that start in the same instant see one another.
  std::ranges::sort(starting, {}, [](const Channel* channel) { return std::pair(channel->source, channel->target); });
  for (Channel* channel : starting) connections_.start_part(*channel, now());
  for (Channel* channel : starting) {
    connections_.look_back(*channel, now());
    parts_->start(*channel);
  }
  return ended;
}

std::vector<Channel*> TcpTransport::take_starting(std::vector<Channel*>& ended) {
  std::vector<Channel*> starting;
  while (!waits_.empty() && waits_.top().until_s <= now() + same_instant_s) {
    const Wait due = waits_.top();
    waits_.pop();
    Channel& channel = *due.channel;
    if (channel.wait_number != due.number) continue;  // cancelled
    const Channel::Wait what = std::exchange(channel.wait, Channel::Wait::none);
    if (what == Channel::Wait::part_starts) {
      starting.push_back(&channel);
    } else if (const auto next_s = connections_.end_part(channel, now())) {
      wait(channel, Channel::Wait::part_starts, *next_s);
    } else {
      end(channel, ended);
    }
  }
  return starting;
}

void TcpTransport::end(Channel& channel, std::vector<Channel*>& ended) {
  channel.part.reset();
  channel.transfer = -1;
  ended.push_back(&channel);
}

double TcpTransport::next_end_s() {
  return std::min(parts_->next_end_s(), waits_.empty() ? never : waits_.top().until_s);
}

}  // namespace ddl::network
