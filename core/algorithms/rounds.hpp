// Synchronous rounds between the neighbours of a graph. A node waits for its sources of the round and for nobody else;
// neighbours may run ahead of one another, and what comes early waits for its round.
//
// A node that starts in the middle asks its neighbours where they are and enters with the first round that none of them
// has begun. Who has said where it is begins no round before it has heard which that is; rounds before it do without
// the new one. Who counts on nobody may be anywhere, and goes to the round with which the first new one enters; two
// parts of the graph that were cut off from each other meet in the round of the one that has got further.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/algorithms/node.hpp"
#include "core/algorithms/on_failure.hpp"
#include "core/algorithms/traffic.hpp"
#include "core/graph/graph.hpp"

namespace ddl {

class Rounds {
 public:
  // The graph is the same at all nodes of a run.
  Rounds(Node& node, GraphKind kind, std::optional<int> degree, OnFailure on_failure);

  const Graph& graph() const { return *graph_; }
  // W. To be called before the first step: a node that starts in the middle agrees with its neighbours on a round.
  void enter();
  // The round of the worker's present step; of one that counts on nobody another after settle().
  std::int64_t round() const { return node_.step() + ahead_; }
  // W. Until it is known who takes part in the present round.
  void settle();
  // W. To the targets of the present round that take part; returns how many. `to_new` goes instead to those that enter
  // with this round.
  int send(const Message& message) { return send(message, message); }
  int send(Message message, Message to_new);
  // W. A round's messages in order of their senders; a source that takes no part has none.
  std::vector<Message> receive(std::int64_t round);
  // Whether a neighbour enters with this round, in the middle.
  bool enters(int node, std::int64_t round) const;
  std::vector<int> awaited() const { return awaited_; }  // neighbours whose word this node waits for now
  // No more rounds of this node: tells everybody who may wait for it. What still comes is given to `take`, if any.
  void leave(std::function<void(Message)> take = nullptr);

 private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  struct Source {
    std::deque<Message> early;
    bool left = false;
    bool down = false;            // and waited for
    bool started_later = false;   // than this node
    bool undecided = false;       // has been told where this node is, and has not said where it enters
    std::int64_t takes_part = 0;  // from this round on
    std::int64_t entered = -1;    // with this round, in the middle
    bool is_counted_on(std::int64_t round) const { return !left && takes_part <= round; }
  };
  // W. Until this can be said of none of the nodes any more.
  template <class Nodes, class IsAwaited>
  void wait_for(const Nodes& nodes, IsAwaited is_awaited);
  void drop_before(int node, std::int64_t round);
  Message receive_any();
  void sort_in(Message message);
  void note_news(const Message& news);
  bool may_be_anywhere() const;
  void meet_those_who_enter();
  void go_to(std::int64_t round);
  void tell(int node, int kind, std::int64_t round);
  Source& source(int node) { return sources_[node]; }

  Node& node_;
  const std::shared_ptr<const Graph> graph_;
  const OnFailure on_failure_;
  std::map<int, Source> sources_;  // by node: of neighbours alone, so that a node's memory does not grow with the run's
  std::int64_t ahead_ = 0;         // of the worker's step
  std::int64_t unsent_ = 0;        // the first round not yet sent
  bool anywhere_ = false;          // has said so since its last round
  bool has_left_ = false;
  std::vector<int> awaited_;
  std::map<int, std::int64_t> where_;  // what neighbours have said while this node enters
};

// x = own * x + each * (sum of the messages' values), added in worker order so that nodes which mix the same models
// alike hold the same bits.
void mix(std::span<float> x, const std::vector<Message>& messages, int id, float own, float each);

// What one step sends: a model along every arc of the graph, in an average round.
Traffic traffic_along(GraphKind kind, std::optional<int> degree, const Cluster& cluster, double models);

}  // namespace ddl
