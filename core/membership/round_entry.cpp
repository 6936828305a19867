#include "core/membership/round_entry.hpp"

#include <compare>
#include <limits>
#include <ranges>
#include <string_view>

#include "core/graph/shared_graphs.hpp"

namespace ddl::membership {
namespace {

class RoundEntry final : public comm::NeighbourExchange {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  // Bodies of messages.
  struct At {
    static constexpr std::string_view body_name = "rounds.at";
    std::int64_t round = 0;
    bool fixed = false;         // false: no node waits for the sender at that round, so it may move to another
    std::int64_t answered = 0;  // the event of the target's start
  };
  struct EntersWith {
    static constexpr std::string_view body_name = "rounds.enters_with";
    std::int64_t round = 0;
  };

  // What this node knows of a neighbour.
  struct Neighbour {
    bool down = false;            // and waited for
    std::int64_t started = 0;     // after so many events of hosts; 0: before this node
    bool undecided = false;       // is or will be told where this node is, and has not said where it enters
    std::int64_t takes_part = 0;  // from this round on
    std::int64_t entered = -1;    // with this round, in the middle
  };
  // Where a neighbour is, as it says while this node enters.
  struct Place {
    bool fixed = false;  // false: no other node waits for it at that round, so it may move to another
    std::int64_t round = 0;
    auto operator<=>(const Place&) const = default;
  };

 public:
  RoundEntry(Node& node, std::shared_ptr<const graph::Graph> graph, OnFailure on_failure)
      : NeighbourExchange(node, std::move(graph)), on_failure_(on_failure), started_(node.membership().events()) {
    node.membership().watch(port);
    for (const int other : neighbours()) {
      Neighbour& neighbour = neighbours_[other];
      if (node.up(other)) continue;
      neighbour.takes_part = never;
      neighbour.down = is_waited_for(node.membership().presence(other));
    }
  }

  std::int64_t round() const override { return node_.step() + ahead_; }

  void enter() override {
    if (!entering_) return;
    // The event of this node's start makes them answer, but for those that have started since: they ask this node.
    wait_for(std::views::keys(neighbours_), [&](int other) {
      return !places_.contains(other) && !has_left(other) && neighbours_[other].started == 0 && node_.up(other);
    });
    receive_pending();
    std::erase_if(places_, [&](const auto& place) { return has_left(place.first) || !node_.up(place.first); });
    entering_ = false;
    Place furthest{.round = node_.step()};
    if (!places_.empty()) furthest = std::ranges::max(std::views::values(places_));
    go_to(furthest.round);
    alone_ = places_.empty();
    for (auto& [other, neighbour] : neighbours_) {
      if (neighbour.undecided) {
        send_place(other);
      } else if (places_.contains(other)) {
        neighbour.takes_part = round();
        node_.send(other, {.port = port, .body = EntersWith{round()}});
      }
    }
  }

  void begin_round() override {
    const auto is_awaited = [&](int other) { return neighbours_[other].undecided || neighbours_[other].down; };
    do {
      receive_pending();
      wait_for(std::views::keys(neighbours_), is_awaited);
    } while (receive_pending());
    admit_entering_neighbours();
  }

  bool enters(int node, std::int64_t round) const override { return neighbours_.at(node).entered == round; }

 private:
  bool takes_part(int node, std::int64_t round) const override { return neighbours_.at(node).takes_part <= round; }
  bool is_asked_after_leaving() const override { return true; }

  bool handle(const Message& message) override {
    const int from = message.source;
    if (message.is<MembershipEvent>()) {
      note_event(from, message.as<MembershipEvent>());
    } else if (message.is<At>()) {
      note_place(from, message.as<At>());
    } else if (message.is<EntersWith>()) {
      note_entry(neighbours_.at(from), message.as<EntersWith>().round);
    } else if (message.is<Leaving>()) {
      neighbours_.at(from).undecided = false;
      return false;
    } else {
      // The sender has not said where it is, so this was meant for the program that ran here before.
      return entering_ && !places_.contains(from);
    }
    return true;
  }

  void note_event(int node, const MembershipEvent& event) {
    const auto found = neighbours_.find(node);
    if (found == neighbours_.end()) return;
    Neighbour& neighbour = found->second;
    if (event.presence != Presence::up) {
      neighbour.undecided = false;
      neighbour.down = is_waited_for(event.presence) && !has_left(node);
      if (!neighbour.down) neighbour.takes_part = never;
      return;
    }
    places_.erase(node);
    start_again(node);
    neighbour = {.started = event.number, .takes_part = never};
    alone_ = alone_ || is_alone();
    neighbour.undecided = !has_left();
    if (!entering_) send_place(node);
  }

  void note_place(int node, const At& at) {
    if (at.answered == started_) places_[node] = {at.fixed, at.round};
  }

  static void note_entry(Neighbour& neighbour, std::int64_t round) {
    if (!neighbour.undecided) return;  // meant for the program that ran here before
    neighbour.undecided = false;
    neighbour.takes_part = neighbour.entered = round;
  }

  // The answer bears the number of the event that it answers: the host may have started once more since.
  void send_place(int node) {
    Body body = At{unsent_, !alone_, neighbours_[node].started};
    if (has_left()) body = Leaving{};
    node_.send(node, {.port = port, .body = body});
  }

  void admit_entering_neighbours() {
    std::int64_t first = never;
    for (const auto& [other, neighbour] : neighbours_) {
      if (!has_left(other)) first = std::min(first, neighbour.takes_part);
    }
    // Rounds before `first` have no other node in them, and are left out. Only a node for which no other waits goes
    // back.
    const bool was_alone = std::exchange(alone_, false);
    if (first == never || first == round() || (first < round() && !was_alone)) return;
    go_to(first);
    for (const auto& [other, neighbour] : neighbours_) {
      if (has_left(other) || neighbour.takes_part == never) hand_over_early(other);
    }
  }

  // Between two rounds, when no neighbour takes part in the next or has been told of it.
  bool is_alone() {
    return unsent_ == round() && std::ranges::none_of(neighbours_, [this](const auto& entry) {
             const auto& [other, neighbour] = entry;
             return !has_left(other) && !neighbour.down && (neighbour.undecided || neighbour.takes_part != never);
           });
  }

  bool is_waited_for(Presence presence) const { return presence == Presence::down && on_failure_ == OnFailure::wait; }

  // A round is a step of every model in it, so that all have one learning rate.
  void go_to(std::int64_t round) {
    ahead_ = round - node_.step();
    unsent_ = round;
    node_.weights().steps().whole = round;
  }

  const OnFailure on_failure_;
  std::map<int, Neighbour> neighbours_;
  std::int64_t ahead_ = 0;  // rounds, of the worker's step

  const std::int64_t started_;  // after so many events of hosts
  bool entering_ = started_ > 0;
  std::map<int, Place> places_;  // of neighbours
  bool alone_ = false;           // so that it may still go back; until its next round
};

}  // namespace

std::unique_ptr<comm::NeighbourExchange> neighbour_exchange(Node& node, graph::GraphKind kind,
                                                            std::optional<int> degree, OnFailure on_failure) {
  auto graph = node.graphs().get(kind, degree);
  if (!node.cluster().hosts_change) return std::make_unique<comm::NeighbourExchange>(node, std::move(graph));
  return std::make_unique<RoundEntry>(node, std::move(graph), on_failure);
}

}  // namespace ddl::membership
