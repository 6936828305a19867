// Synchronous rounds between the neighbours of a graph. A node waits for its sources of the round and for nobody else;
// neighbours may run ahead of one another, and what comes early waits for its round.
//
// A node that starts in the middle asks its neighbours where they are and enters with the first round that none of them
// has begun. Who has said where it is begins no round before it has heard which that is; rounds before it do without
// the new one. Who is still entering says where it is once it is in, so that of two the earlier goes first.
//
// Rounds of one that counts on nobody are its own affair: it says where it could be, and goes to where the first of the
// others enters. Two parts of the graph that were cut off from each other meet in the round of the one that has got
// further, which waits there for the other.
#pragma once

#include <algorithm>
#include <compare>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/traffic.hpp"

namespace ddl::comm {

class Rounds {
 public:
  // The graph is the same at all nodes of a run. What comes when its round is over or left out is given to `take`, if
  // any.
  Rounds(Node& node, graph::GraphKind kind, std::optional<int> degree, OnFailure on_failure,
         std::function<void(Message)> take = nullptr);

  const graph::Graph& graph() const { return *graph_; }
  // W. To be called before the first step: a node that starts in the middle agrees with its neighbours on a round.
  void enter();
  // W. Until it is known who takes part in the present round. To be called in each before send(); one that counts on
  // nobody may be in another round then.
  void settle();
  // The round of the worker's present step.
  std::int64_t round() const { return node_.step() + ahead_; }
  // To the targets of the present round that take part; returns how many. What `to_new` makes goes instead to those
  // that enter with this round.
  int send(Message message, const std::function<Message()>& to_new = nullptr);
  // W. A round's messages in order of their senders; a source that takes no part has none.
  std::vector<Message> receive(std::int64_t round);
  // Whether a neighbour enters with this round, in the middle.
  bool enters(int node, std::int64_t round) const;
  // No more rounds of this node: tells everybody who may wait for it.
  void leave();

 private:
  // Bodies of messages that are of no round.
  struct Leaving {};
  struct At {
    std::int64_t round = 0;
    bool fixed = false;         // or else the sender's own affair
    std::int64_t answered = 0;  // the event of the target's start
  };
  struct EntersWith {
    std::int64_t round = 0;
  };
  static constexpr int port = 0;
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  struct Source {
    std::deque<Message> early;
    bool left = false;
    bool down = false;            // and waited for
    std::int64_t started = 0;     // after so many events of hosts; 0: before this node
    bool undecided = false;       // is or will be told where this node is, and has not said where it enters
    std::int64_t takes_part = 0;  // from this round on
    std::int64_t entered = -1;    // with this round, in the middle
    bool is_counted_on(std::int64_t round) const { return !left && takes_part <= round; }
  };
  struct Place {
    bool fixed = false;  // or else nobody's affair
    std::int64_t round = 0;
    auto operator<=>(const Place&) const = default;
  };
  // W. Until this can be said of none of the nodes any more.
  template <class Nodes, class IsAwaited>
  void wait_for(const Nodes& nodes, IsAwaited is_awaited) {
    const Reason reason("its neighbours' rounds", [this] { return awaited_; });
    while (true) {
      awaited_.clear();
      std::ranges::copy_if(nodes, std::back_inserter(awaited_), is_awaited);
      if (awaited_.empty()) return;
      sort_in(node_.receive(port, reason));
    }
  }
  Message receive_any();
  void sort_in(Message message);

  // --- rounds_entering.cpp ---
  bool is_waited_for(Presence presence) const { return presence == Presence::down && on_failure_ == OnFailure::wait; }
  void note_place(int node, const At& at);
  void note_entry(int node, std::int64_t round);
  void note_leaving(int node);
  void note_event(int node, const MembershipEvent& event);
  void send_place(int node);
  void take_early(Source& source);
  bool receive_pending();  // what has arrived; whether anything had
  bool is_alone() const;
  void admit_entering_neighbours();
  void go_to(std::int64_t round);

  Source& source(int node) { return sources_[node]; }

  Node& node_;
  const std::shared_ptr<const graph::Graph> graph_;
  const OnFailure on_failure_;
  const std::function<void(Message)> take_;
  std::map<int, Source> sources_;  // by node: of neighbours alone, so that a node's memory does not grow with the run's
  std::int64_t ahead_ = 0;         // of the worker's step
  std::int64_t unsent_ = 0;        // the first round not yet sent
  bool has_left_ = false;
  std::vector<int> awaited_;  // neighbours whose word this node waits for now

  const std::int64_t started_;  // after so many events of hosts
  bool entering_ = started_ > 0;
  std::map<int, Place> places_;  // of neighbours, as they say while this node enters
  bool alone_ = false;           // so that it may still go back; until its next round
};

// What is wrong with the settings of systems on graphs.
std::vector<SettingError> errors_in(graph::GraphKind kind, std::optional<int> degree, OnFailure on_failure,
                                    int workers);

// x = own * x + each * (sum of the messages' values), added in worker order so that nodes which mix the same models
// alike hold the same bits.
void mix(std::span<float> x, const std::vector<Message>& messages, int id, float own, float each);

// What one step sends: a model along every arc of the graph, in an average round.
Traffic traffic_along(graph::GraphKind kind, std::optional<int> degree, const Cluster& cluster, double models);

}  // namespace ddl::comm
