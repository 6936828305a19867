// The fate of every message and every byte, in total and by pair of nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/network/channel.hpp"
#include "sim/network/observer.hpp"
#include "sim/network/pair.hpp"
#include "sim/network/totals.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class Accounts {
 public:
  explicit Accounts(Observer& observer) : observer_(observer) {}

  // A message is handed over; one that cannot reach its target is lost at once.
  void accept() { ++accepted_; }
  void lose_unreachable() { ++accepted_, ++lost_; }
  void queue(const Channel& channel);  // its queue has changed

  void put_on_wire(const Channel& channel);
  void deliver(const Transmission& transmission);
  void lose_transmission(const Transmission& transmission,
                         double carried_bytes);  // it is sent again, or lost with a host
  void send_again() { ++sent_again_; }
  void lose_before_sent_again() { --sent_again_; }

  // With a host that went, wherever they were.
  void lose(std::int64_t messages) { lost_ += messages; }

  double bytes_sent() const { return totals_.bytes_sent; }
  // `remaining_bytes`: for a transmission under way.
  Totals totals(const Channels& channels, const platform::Fabric& fabric,
                const std::function<double(const Transmission&)>& remaining_bytes) const;
  // Checks that every message is delivered, lost, on the wire, queued or about to be sent again, and that every byte
  // put on the wire is delivered, lost or on it. Throws InternalError.
  void check(const Channels& channels) const;

 private:
  struct Traffic {
    std::int64_t messages = 0;  // put on the wire
    double bytes = 0, bytes_delivered = 0;
    double bytes_lost = 0, bytes_wasted = 0;  // lost transmissions: whole; the part that had been carried
  };

  Observer& observer_;
  ByPair<Traffic> traffic_;
  Totals totals_;  // without the parts that totals() computes
  std::int64_t accepted_ = 0, delivered_ = 0;
  std::int64_t lost_ = 0;                           // for good, with a host that went
  std::int64_t sent_again_ = 0, lost_on_wire_ = 0;  // transmissions; the second counts those of lost messages, too
};

}  // namespace ddl::network
