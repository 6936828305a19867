// The workers of a group as one of them sees them, from one change of membership to the next.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/comm/allreduce.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"

namespace ddl::membership {

// Every message carries its view's number, the count of events before it. Workers that have seen the same events have
// the same view. A message from an earlier view is dropped by a worker that has seen the change; one from a later view
// is kept until the worker sees it.
class View final : public comm::Group {
 public:
  // Thrown by calls that wait for a message, if a host has come or gone since the view was made.
  struct Changed {};

  // Messages arrive at `port`, which must have no other use; `what` names the wait there.
  View(Node& node, int port, OnFailure on_failure, const char* what, const comm::CollectiveSettings& settings = {});
  // These workers, which come and go together, so that they never see a change.
  View(Node& node, int port, const std::vector<int>& members, const char* what,
       const comm::CollectiveSettings& settings);

  int size() const override { return members_.count(); }
  int rank() const override { return rank_; }
  int site(int rank) const override { return node_.cluster().site(worker_at(rank)); }
  double rate(int rank) const override { return node_.cluster().rate(worker_at(rank)); }
  void send(int target, const comm::Contribution& contribution) override;
  comm::Contribution receive(int source) override;  // may throw Changed, as may receive_message
  void flush(int target) override { node_.queue(worker_at(target)).flush(); }
  void pass(int target, const comm::Contribution& contribution) override;  // whole where hosts come and go
  comm::Contribution receive_first_slice(int source) override;
  void wait_for_rest() override;
  std::uint64_t wire_bytes(Slice slice) const override { return node_.cluster().wire_bytes(slice); }

  // Other messages between members, by rank like all of the above.
  void send_message(int target, Message message) { send_message(target, std::move(message), {}); }
  Message receive_message(int source);

  std::int64_t events() const { return events_; }  // before the view
  bool has_changed() const { return changed_; }
  void note_change() { changed_ = true; }
  bool is_outdated() const { return events_ < node_.membership().events(); }
  void renew();  // to the view of this instant; W. until all its members are up. May throw Changed

 private:
  // The body of every message: its view, and the weight of its contributions.
  struct InView {
    static constexpr std::string_view body_name = "view.message";
    std::int64_t events = 0;
    double weight = 0;
    double run_share = 0;
  };

  void send(int target, const comm::Contribution& contribution, std::shared_ptr<Relay> relay);
  void send_message(int target, Message message, InView about);

  void find_members();
  std::vector<int> absent() const;  // members that are down
  int worker_at(int rank) const { return members_[rank]; }
  Reason reason() const {
    return {what_, [this] { return awaited_; }, true};
  }

  Node& node_;
  const int port_;
  const OnFailure on_failure_ = OnFailure::wait;
  const char* const what_;
  const comm::CollectiveSettings settings_ = {};
  std::int64_t events_ = 0;
  bool changed_ = false;
  PerNode<int> members_;  // workers, ascending
  int rank_ = 0;
  std::map<int, std::deque<Message>> early_;  // by source: messages ahead of their turn
  std::vector<int> awaited_;                  // workers whose message is awaited now
  std::shared_ptr<const Relay> arriving_;     // the message whose rest is to come
  int arriving_from_ = 0;                     // rank
};

}  // namespace ddl::membership
