// Wraps a transport and gives its messages the latencies of TCP.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sim/network/tcp/delays.hpp"
#include "sim/network/transports/transport.hpp"

namespace ddl::network {

class TcpTransport : public Transport {
 public:
  TcpTransport(std::unique_ptr<Transport> carrying, const platform::Fabric& fabric)
      : carrying_(std::move(carrying)), delays_(fabric) {}

  void start(const std::vector<Transmission*>& transmissions) override {
    delays_.start(transmissions, now());
    carrying_->start(transmissions);
  }
  void expect(const Transmission& it, double first_bytes, double rest_bytes) override {
    carrying_->expect(it, first_bytes, rest_bytes);
  }
  double cancel(Transmission& it) override {
    delays_.end(it, now());
    return carrying_->cancel(it);
  }
  void forget(int node) override {
    delays_.forget(node);
    carrying_->forget(node);
  }
  double remaining_bytes(const Transmission& it) const override { return carrying_->remaining_bytes(it); }
  std::vector<Transmission*> take_ended() override {
    std::vector<Transmission*> ended = carrying_->take_ended();
    for (const Transmission* it : ended) delays_.end(*it, now());
    return ended;
  }
  double next_end_s() override { return carrying_->next_end_s(); }
  void stop() override { carrying_->stop(); }

 private:
  const std::unique_ptr<Transport> carrying_;
  TcpDelays delays_;
};

}  // namespace ddl::network
