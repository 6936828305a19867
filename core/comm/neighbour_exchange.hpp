// Synchronous rounds between the neighbours of a graph. A node waits only for its sources of the round; neighbours may
// run ahead of one another, and an early message waits for its round.
//
// Here all nodes begin with round 0. membership/round_entry.hpp has the exchange that nodes can enter in the middle.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::comm {

class NeighbourExchange {
 public:
  NeighbourExchange(Node& node, std::shared_ptr<const graph::Graph> graph) : node_(node), graph_(std::move(graph)) {}
  virtual ~NeighbourExchange() = default;

  const graph::Graph& graph() const { return *graph_; }
  // Gives `take` each message whose round is over at this node, or was left out. Without it they are dropped.
  void on_late(std::function<void(Message)> take) { take_ = std::move(take); }

  // W. Call before the first step.
  virtual void enter() {}
  // W. Waits until the participants in the round of the worker's present step are known. send() calls it, too; the
  // second call in a round does nothing.
  virtual void begin_round() {}
  // The round of the worker's present step.
  virtual std::int64_t round() const { return node_.step(); }
  // W. Sends to those targets of the present round that take part, and returns them. Targets that enter with this round
  // get the message that `to_new` makes instead.
  std::vector<int> send(Message message, const std::function<Message()>& to_new = nullptr);
  // W. A round's messages in order of their senders; none from a source that takes no part.
  std::vector<Message> receive(std::int64_t round);
  std::vector<Message> receive() { return receive(round()); }
  // True if a neighbour enters with this round, in the middle.
  virtual bool enters(int, std::int64_t) const { return false; }
  // x = sum over j of W_ij x_j, over the models of the present round. The weight of an absent source goes to x itself,
  // so that W stays doubly stochastic.
  void average(Weights& x, const std::vector<Message>& models) const;
  // Ends this node's rounds, and tells every node that may wait for it.
  void leave();

 protected:
  static constexpr int port = 0;
  // The body of a node's last message.
  struct Leaving {
    static constexpr std::string_view body_name = "rounds.leaving";
  };

  // --- for hosts that come and go ---
  virtual bool takes_part(int, std::int64_t) const { return true; }
  // Called with every message that arrives. True: it belongs to no round, or to one that is over at this node; it is
  // not sorted in.
  virtual bool handle(const Message&) { return false; }
  // True if others may still ask a node that has left.
  virtual bool is_asked_after_leaving() const { return false; }

  // Sources and targets of all rounds.
  std::set<int> neighbours() const;
  bool has_left() const { return has_left_; }
  bool has_left(int neighbour) { return sources_[neighbour].left; }
  // A neighbour has started again: its earlier messages are late.
  void start_again(int neighbour);
  // Treats early messages from it as late, because their rounds will not take place.
  void hand_over_early(int neighbour);
  bool receive_pending();  // handles what has arrived; true if anything had
  // W. Waits until `is_awaited` holds for none of the nodes.
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

  Node& node_;
  std::int64_t unsent_ = 0;  // the first round not yet sent

 private:
  struct Source {
    std::deque<Message> early;
    bool left = false;
  };
  bool is_counted_on(int node, std::int64_t round) { return !has_left(node) && takes_part(node, round); }
  void sort_in(Message message);
  void serve_late();

  const std::shared_ptr<const graph::Graph> graph_;
  std::function<void(Message)> take_ = nullptr;
  std::map<int, Source> sources_;  // by node: neighbours only, so that memory per node does not grow with the run
  bool has_left_ = false;
  std::vector<int> awaited_;  // neighbours that this node waits for now
};

// Errors in the settings of systems on graphs.
std::vector<SettingError> errors_in(const graph::Topology& topology, std::optional<int> degree, OnFailure on_failure,
                                    const Surroundings& around, const graph::GraphNeeds& needs);

// x = own * x + weighted sum of the messages' values, added in worker order so that nodes which mix the same models
// hold the same bits.
void mix(std::span<float> x, const std::vector<Message>& messages, int id, float own, std::span<const float> weights);

graph::Graph graph_of(const graph::Topology& topology, std::optional<int> degree, const Cluster& cluster);

// Traffic of one step: a model along every arc of the graph, in an average round.
Traffic traffic_along(const graph::Graph& graph, double models);

}  // namespace ddl::comm
