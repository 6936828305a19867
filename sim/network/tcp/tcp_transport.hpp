// Messages in the rounds of TCP: what the transport below carries at a time is a part of a message, as long as the
// window of its connection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "sim/network/tcp/connections.hpp"
#include "sim/network/transport.hpp"

namespace ddl::network {

class TcpTransport : public Transport {
 public:
  TcpTransport(std::unique_ptr<Transport> parts, const platform::Fabric& fabric, std::uint64_t seed)
      : parts_(std::move(parts)), connections_(fabric, seed) {}

  void start(Channel& channel) override;
  double cancel(Channel& channel) override;
  double remaining_bytes(const Channel& channel) const override;
  std::vector<Channel*> take_ended() override;
  double next_end_s() override;
  void stop() override { parts_->stop(); }

 private:
  struct Wait {
    double until_s = 0;
    std::int64_t number = 0;
    Channel* channel = nullptr;
    bool operator>(const Wait& other) const {
      return std::pair(until_s, number) > std::pair(other.until_s, other.number);
    }
  };
  void wait(Channel& channel, Channel::Wait what, double until_s);
  std::vector<Channel*> take_starting(std::vector<Channel*>& ended);
  void end(Channel& channel, std::vector<Channel*>& ended);
  double through_bytes(const Channel& channel) const;

  const std::unique_ptr<Transport> parts_;
  TcpConnections connections_;
  std::priority_queue<Wait, std::vector<Wait>, std::greater<>> waits_;
  std::int64_t waits_so_far_ = 0;
};

}  // namespace ddl::network
