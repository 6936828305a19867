// Messages between nodes over the fabric. A channel (ordered pair of nodes) behaves like one TCP connection: first in,
// first out, one transfer on the wire; channels share links according to platform.network.model.
//
// From a node's send() to the other's inbox: send() queues the message, advance() puts it on the wire, the transport
// carries it, advance() learns of its end and delivers it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <simgrid/kernel/Timer.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/node/message.hpp"
#include "sim/network/accounts.hpp"
#include "sim/network/channel.hpp"
#include "sim/network/losses.hpp"
#include "sim/network/observer.hpp"
#include "sim/network/pauses.hpp"
#include "sim/network/quiescence.hpp"
#include "sim/network/retries.hpp"
#include "sim/network/totals.hpp"
#include "sim/network/transports/transport.hpp"
#include "sim/network/uneven_shares.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class Network {
 public:
  // `deliver` is called at the simulated time a message has arrived. Messages queued or on the wire are under way in
  // `quiescence`.
  Network(platform::Fabric& fabric, Quiescence& quiescence, Observer& observer, std::uint64_t seed, double header_bytes,
          std::function<void(Message)> deliver);

  void send(Message message);  // throws InputError if there is no route to its target
  std::size_t waiting(int source, int target) const;
  // Suspend the calling actor, which goes on as after wait_for_arrivals().
  void wait_for_room(int source, int target, std::size_t depth);
  void wait_until_delivered(int source, int target);
  void wait_until_all_delivered(int source);
  // Suspends an actor of the node, which has just computed, until all arrivals of this instant have been taken.
  void wait_for_arrivals(int node) { pause(node, Pauses::After::computing); }
  // Suspends an actor of no node until all arrivals of this instant have been taken, and the actors that waited for
  // them have gone on.
  void wait_for_the_instant();

  // A host goes: all messages queued or on the wire from or to it are lost, and so are those sent from or to it while
  // it is unreachable. All nodes are reachable at first.
  void set_reachable(int node, bool reachable);

  double bytes_sent() const { return accounts_.bytes_sent(); }  // put on the wire so far, whole messages
  Totals totals() const;
  void check_accounts() const { accounts_.check(channels_); }
  // Tells the observer the state of transfers that are on the wire.
  void end_observation();
  void stop();  // the run is over: nothing more happens
  // "w1 waits for room in its queue to w2", for a run that cannot go on.
  void describe_waiting(std::vector<std::string>& lines) const;

 private:
  // Moves messages on, called by a timer of SimGrid's: no actor waits for them.
  void advance();
  void wake_at(double time_s);        // too early is harmless
  void begin(Channel& channel);       // in this instant, but not before the caller waits for something
  void start_next(Channel& channel);  // the next in its queue; or closes the channel
  void put_on_wire(Channel& channel);
  void join(const Channel& busy, const Message& message);
  void pass_first_slice(Channel& channel);
  bool is_held_back(Channel& channel);  // by the message that it follows
  void end_transmission(Channel& channel);
  void send_again(Channel& channel);
  void deliver(Channel& channel);

  void pause(int node, Pauses::After after);
  std::int64_t break_off(Channel& channel, std::vector<Signal*>& woken);  // messages lost
  bool reaches(int source, int target) const {
    return reachable_[static_cast<std::size_t>(source)] && reachable_[static_cast<std::size_t>(target)];
  }

  platform::Fabric& fabric_;
  Quiescence& quiescence_;
  Observer& observer_;
  Losses losses_;
  UnevenShares uneven_;
  const double header_bytes_;
  const std::function<void(Message)> deliver_;
  Channels channels_;
  std::vector<char> reachable_;  // by node
  std::unique_ptr<Transport> transport_;
  Accounts accounts_;
  std::vector<Channel*> beginning_;
  std::vector<Transmission*> starting_, within_hosts_;
  Pauses pauses_;
  Retries retries_, held_back_;
  std::vector<Channel*> followers_;  // whose messages have come before those that they follow
  const bool takes_slices_;
  simgrid::kernel::timer::Timer* timer_ = nullptr;  // SimGrid's, until it goes off
  bool stopped_ = false;
};

}  // namespace ddl::network
