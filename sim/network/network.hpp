// Messages between nodes over the fabric. A channel (ordered pair of nodes) behaves like one TCP connection: first in
// first out, one transfer on the wire; channels share links as platform.network.sharing says.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/node/message.hpp"
#include "sim/experiment/run_result.hpp"
#include "sim/network/losses.hpp"
#include "sim/network/transport.hpp"
#include "sim/network/uneven_shares.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/runtime/tracer.hpp"

namespace ddl::network {

class Network final : private TransportUser {
 public:
  // `deliver` is called at the simulated time a message has arrived, `idle` whenever nothing is queued or under way.
  Network(platform::Fabric& fabric, Quiescence& quiescence, runtime::Tracer& tracer, std::uint64_t seed,
          double header_bytes, std::function<void(Message)> deliver, std::function<void()> idle);

  void send(Message message);
  std::size_t waiting(int source, int target) const;
  bool merge_into_waiting(int source, int target, const Message& message,
                          const std::function<bool(const Message&)>& is_same);
  // Suspend the calling actor.
  void wait_for_room(int source, int target, std::size_t depth);
  void wait_until_delivered(int source, int target);
  void wait_until_all_delivered(int source);

  // A host goes: what is queued or on the wire from or to it is lost, and so is what is sent from or to it while it is
  // not reachable. All nodes are at first.
  void set_reachable(int node, bool reachable);

  bool is_idle() const { return under_way_ == 0; }  // nothing queued, nothing on the wire
  std::int64_t messages_sent() const { return messages_sent_; }
  double bytes_sent() const { return bytes_sent_; }  // put on the wire so far, whole messages
  double bytes_delivered() const { return bytes_delivered_; }
  std::int64_t longest_queue() const { return longest_queue_; }
  std::int64_t messages_lost() const { return messages_lost_ + sent_again_; }
  std::int64_t messages_sent_again() const { return sent_again_; }
  double bytes_lost() const { return bytes_lost_; }  // of those that were on the wire, whole messages
  std::vector<experiment::PairRow> pairs() const;
  // Bytes each link of the fabric has carried, those of unfinished transfers included.
  std::vector<double> bytes_per_link() const;
  // Tells the tracer what has become of transfers that are on the wire.
  void end_trace();
  // Every message is delivered, lost, on the wire, queued or about to be sent again, and every byte put on the wire
  // delivered, lost or on it. Throws InternalError.
  void check_accounts() const;
  void stop() { transport_->stop(); }  // the run is over
  // "w1 waits for room in its queue to w2", for a run that cannot go on.
  void describe_waiting(std::vector<std::string>& lines) const;

 private:
  Channel& channel(int source, int target);
  const Channel* find(int source, int target) const;
  bool next(Channel& channel) override;
  std::optional<double> arrived(Channel& channel) override;
  void sent_again(Channel& channel) override;
  void put_on_wire(Channel& channel);
  bool stays_in_host(const Channel& channel) const;
  void break_off(Channel& channel, std::vector<Signal*>& woken);
  bool reaches(int source, int target) const {
    return reachable_[static_cast<std::size_t>(source)] && reachable_[static_cast<std::size_t>(target)];
  }

  platform::Fabric& fabric_;
  Quiescence& quiescence_;
  runtime::Tracer& tracer_;
  Losses losses_;
  UnevenShares uneven_;
  const double header_bytes_;
  const std::function<void(Message)> deliver_;
  const std::function<void()> idle_;
  std::vector<std::map<int, Channel>> channels_;  // by source, then target
  std::vector<char> reachable_;                   // by node
  std::unique_ptr<Transport> transport_;
  std::int64_t under_way_ = 0;
  std::int64_t messages_accepted_ = 0, messages_sent_ = 0, messages_delivered_ = 0, longest_queue_ = 0;
  std::int64_t messages_lost_ = 0;                  // for good, with a host that went
  std::int64_t sent_again_ = 0, lost_on_wire_ = 0;  // transmissions; the second counts those of lost messages, too
  double bytes_sent_ = 0, bytes_delivered_ = 0, bytes_lost_ = 0;
};

}  // namespace ddl::network
