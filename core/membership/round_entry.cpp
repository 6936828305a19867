#include "core/membership/round_entry.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <ranges>
#include <string_view>

#include "core/graph/shared_graphs.hpp"

namespace ddl::membership {
namespace {

class RoundEntry final : public comm::NeighbourExchange {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  // A neighbour's state as seen by this node.
  enum class State {
    out,       // absent: rounds are done without it
    awaited,   // crashed: no round begins until it is back
    silent,    // up before this node; has not told its round yet
    placed,    // has told its round; is to hear this node's first round
    entering,  // started after this node, has got this node's round; is to tell its first round
    present    // takes part
  };
  enum class News { goes, crashes_awaited, starts, says_place, says_entry, leaves };

  // News that does not fit a state was meant for the program that ran here before, and changes nothing.
  static constexpr State after(State state, News news) {
    using enum State;
    // clang-format off
    constexpr State table[][6] = {
        //             goes crashes_awaited starts says_place says_entry leaves
        /* out      */ {out, awaited, entering,    out,       out,       out},
        /* awaited  */ {out, awaited, entering,    awaited,   awaited,   out},
        /* silent   */ {out, awaited, entering,    placed,    silent,    out},
        /* placed   */ {out, awaited, entering,    placed,    placed,    out},
        /* entering */ {out, awaited, entering,    entering,  present,   out},
        /* present  */ {out, awaited, entering,    present,   present,   out}};
    // clang-format on
    return table[static_cast<int>(state)][static_cast<int>(news)];
  }

  // A node's position when another enters. Those that enter go to the largest place.
  struct Place {
    bool fixed = false;  // others wait for the node at that round, so it cannot move
    std::int64_t round = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct Neighbour {
    State state = State::out;
    std::int64_t started = 0;   // number of the event of its start; 0: before this node
    Place place{};              // when placed
    std::int64_t from = never;  // takes part from this round on; before_all: from before this node's first round
  };
  static constexpr std::int64_t before_all = -1;

  // Bodies of messages.
  struct At {
    static constexpr std::string_view body_name = "rounds.at";
    Place place;
    std::int64_t answered = 0;  // the event of the target's start
  };
  struct EntersWith {
    static constexpr std::string_view body_name = "rounds.enters_with";
    std::int64_t round = 0;
  };

 public:
  RoundEntry(Node& node, std::shared_ptr<const graph::Graph> graph, OnFailure on_failure)
      : NeighbourExchange(node, std::move(graph)),
        on_failure_(on_failure),
        started_(node.membership().events()),
        own_(node.membership().starts_afresh() ? Own::among_others : Own::entering) {
    node.membership().watch(port);
    if (!is_entering()) go_to(0);
    for (const int other : neighbours()) {
      Neighbour& neighbour = neighbours_[other];
      if (node.up(other)) {
        neighbour = {.state = is_entering() ? State::silent : State::present, .from = before_all};
      } else if (is_waited_for(other, node.membership().presence(other))) {
        neighbour.state = State::awaited;
      }
    }
  }

  std::int64_t round() const override { return node_.step() + ahead_; }

  void enter() override {
    if (!is_entering()) return;
    // They answer the event of this node's start.
    wait_for(std::views::keys(neighbours_), [&](int other) { return is(other, State::silent) && node_.up(other); });
    receive_pending();
    std::optional<Place> furthest;
    for (const auto& [other, neighbour] : neighbours_) {
      if (is(other, State::placed) && node_.up(other)) furthest = std::max(furthest, std::optional(neighbour.place));
    }
    own_ = furthest ? Own::among_others : Own::alone;
    go_to(furthest ? furthest->round : node_.step());
    for (auto& [other, neighbour] : neighbours_) {
      if (neighbour.state == State::entering) {
        send_place(other);
      } else if (neighbour.state == State::placed && node_.up(other)) {
        neighbour.state = State::present;
        node_.send(other, {.port = port, .body = EntersWith{round()}});
      }
    }
  }

  void begin_round() override {
    const auto holds_up = [&](int other) { return is(other, State::entering) || is(other, State::awaited); };
    do {
      receive_pending();
      wait_for(std::views::keys(neighbours_), holds_up);
    } while (receive_pending());
    admit_entering_neighbours();
  }

  bool enters(int node, std::int64_t round) const override { return from(node) == round; }

 private:
  // This node's state as seen by its neighbours.
  enum class Own {
    entering,
    alone,        // no neighbour takes part, so it may still go back until its next round
    among_others  // also alone in a round that has begun
  };

  bool takes_part(int node, std::int64_t round) const override {
    return (is(node, State::present) || is(node, State::awaited)) && from(node) <= round;
  }
  bool is_asked_after_leaving() const override { return true; }

  bool handle(const Message& message) override {
    const int source = message.source;
    if (message.is<MembershipEvent>()) {
      if (neighbours_.contains(source)) note_event(source, message.as<MembershipEvent>());
    } else if (message.is<At>()) {
      if (message.as<At>().answered != started_) return true;
      hear(source, News::says_place);
      neighbours_.at(source).place = message.as<At>().place;
    } else if (message.is<EntersWith>()) {
      if (is(source, State::entering)) neighbours_.at(source).from = message.as<EntersWith>().round;
      hear(source, News::says_entry);
    } else if (message.is<Leaving>()) {
      hear(source, News::leaves);
      return false;
    } else {
      return is_entering() && !is(source, State::placed);  // meant for the program that ran here before
    }
    return true;
  }

  void note_event(int node, const MembershipEvent& event) {
    if (event.presence != Presence::up) {
      return hear(node, is_waited_for(node, event.presence) ? News::crashes_awaited : News::goes);
    }
    start_again(node);
    neighbours_.at(node) = {.started = event.number};
    if (!is_entering() && is_alone()) own_ = Own::alone;
    if (!has_left()) hear(node, News::starts);
    if (!is_entering()) send_place(node);
  }

  // The answer carries the number of the event that it answers: the host may have started once more since.
  void send_place(int node) {
    Body body = At{{.fixed = own_ != Own::alone, .round = unsent_}, neighbours_.at(node).started};
    if (has_left()) body = Leaving{};
    node_.send(node, {.port = port, .body = body});
  }

  void admit_entering_neighbours() {
    std::int64_t first = never;
    for (const auto& [other, neighbour] : neighbours_) {
      if (is(other, State::present)) first = std::min(first, neighbour.from);
    }
    // Rounds before `first` have no other node in them, and are left out. Only a node that no other waits for goes
    // back.
    const bool was_alone = std::exchange(own_, Own::among_others) == Own::alone;
    if (first == never || first == round() || (first < round() && !was_alone)) return;
    go_to(first);
    for (const auto& [other, neighbour] : neighbours_) {
      if (!is(other, State::present)) hand_over_early(other);
    }
  }

  // True between two rounds, if no neighbour takes part in the next or has been told of it.
  bool is_alone() const {
    return unsent_ == round() && std::ranges::all_of(std::views::keys(neighbours_), [this](int other) {
             return is(other, State::out) || is(other, State::awaited);
           });
  }

  // A round counts as a step of every model in it, so that all have one learning rate.
  void go_to(std::int64_t round) {
    ahead_ = round - node_.step();
    unsent_ = round;
    node_.weights().steps().whole = round;
  }

  bool is_entering() const { return own_ == Own::entering; }
  bool is(int node, State state) const { return neighbours_.at(node).state == state; }
  std::int64_t from(int node) const { return neighbours_.at(node).from; }
  void hear(int node, News news) { neighbours_.at(node).state = after(neighbours_.at(node).state, news); }
  bool is_waited_for(int node, Presence presence) {
    return presence == Presence::down && on_failure_ == OnFailure::wait && !has_left(node);
  }

  const OnFailure on_failure_;
  std::map<int, Neighbour> neighbours_;
  std::int64_t ahead_ = 0;  // rounds, relative to the worker's step

  const std::int64_t started_;  // number of the event of its start
  Own own_;
};

}  // namespace

std::unique_ptr<comm::NeighbourExchange> neighbour_exchange(Node& node, const graph::Topology& topology,
                                                            std::optional<int> degree, OnFailure on_failure) {
  auto graph = node.graphs().get(topology, degree, node.cluster().worker_names);
  if (!node.cluster().hosts_change) return std::make_unique<comm::NeighbourExchange>(node, std::move(graph));
  return std::make_unique<RoundEntry>(node, std::move(graph), on_failure);
}

}  // namespace ddl::membership
