// A node's queue of messages to another, as programs see it.
#pragma once

#include <cstddef>

#include "core/node/queue.hpp"
#include "sim/network/network.hpp"
#include "sim/run/actors/suspension_point.hpp"

namespace ddl::run {

class ChannelQueue final : public SendQueue {
 public:
  ChannelQueue(network::Network& network, SuspensionPoint& point, int source, int target)
      : network_(network), point_(point), source_(source), target_(target) {}

  std::size_t length() const override { return network_.waiting(source_, target_); }
  void wait_for_room(std::size_t depth) override {
    point_.enter();
    network_.wait_for_room(source_, target_, depth);
    point_.leave();
  }
  void flush() override {
    point_.enter();
    network_.wait_until_delivered(source_, target_);
    point_.leave();
  }

 private:
  network::Network& network_;
  SuspensionPoint& point_;
  const int source_, target_;
};

}  // namespace ddl::run
