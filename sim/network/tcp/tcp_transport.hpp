// Another transport, over which messages have the latencies of TCP.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sim/network/tcp/delays.hpp"
#include "sim/network/transport.hpp"

namespace ddl::network {

class TcpTransport : public Transport {
 public:
  TcpTransport(std::unique_ptr<Transport> carrying, const platform::Fabric& fabric)
      : carrying_(std::move(carrying)), delays_(fabric) {}

  void start(const std::vector<Channel*>& channels) override {
    delays_.start(channels, now());
    carrying_->start(channels);
  }
  double cancel(Channel& channel) override {
    delays_.end(channel, now());
    return carrying_->cancel(channel);
  }
  void forget(int node) override {
    delays_.forget(node);
    carrying_->forget(node);
  }
  double remaining_bytes(const Channel& channel) const override { return carrying_->remaining_bytes(channel); }
  std::vector<Channel*> take_ended() override {
    std::vector<Channel*> ended = carrying_->take_ended();
    for (const Channel* channel : ended) delays_.end(*channel, now());
    return ended;
  }
  double next_end_s() override { return carrying_->next_end_s(); }
  void stop() override { carrying_->stop(); }

 private:
  const std::unique_ptr<Transport> carrying_;
  TcpDelays delays_;
};

}  // namespace ddl::network
