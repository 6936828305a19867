// Lost transmissions to be sent again: their times and order.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "sim/network/channel.hpp"
#include "sim/network/transports/transport.hpp"

namespace ddl::network {

class Retries {
 public:
  void add(double at_s, Channel& channel) { retries_.insert({at_s, added_++, &channel}); }
  // The next one due at `now_s`, in order of time, then of losses; null if there is none.
  Channel* take_due(double now_s) {
    if (next_s() > now_s) return nullptr;
    return retries_.extract(retries_.begin()).value().channel;
  }
  // Drops its retry.
  void forget(const Channel& channel) {
    std::erase_if(retries_, [&](const Retry& retry) { return retry.channel == &channel; });
  }
  double next_s() const { return retries_.empty() ? Transport::never : retries_.begin()->at_s; }

 private:
  struct Retry {
    double at_s = 0;
    std::int64_t order = 0;
    Channel* channel = nullptr;
    bool operator<(const Retry& other) const { return std::pair(at_s, order) < std::pair(other.at_s, other.order); }
  };
  std::set<Retry> retries_;
  std::int64_t added_ = 0;
};

}  // namespace ddl::network
