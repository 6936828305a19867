// Questions to a peer that may go, or be too slow to answer.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/rng.hpp"
#include "core/base/units.hpp"
#include "core/node/node.hpp"

namespace ddl::membership {

// One question at a time, to one peer each.
class Call {
 public:
  // Answers arrive at `port`, which must have no other reader.
  Call(Node& node, int port) : node_(node), port_(port) {}
  // Ends the questions: events of hosts would otherwise queue at the port unread.
  void end() { node_.membership().unwatch(port_); }

  void ask(int peer, Message question) {
    peer_ = peer;
    asked_s_ = node_.now();
    asked_after_ = node_.membership().events();
    node_.membership().watch(port_, {peer, peer + 1});
    node_.send(peer, std::move(question));
  }

  // W. The answer; nothing if the peer is absent, goes before it answers, or takes longer than `timeout`. Drops answers
  // to earlier questions, i.e. those that are not `is_mine`. `what` names the wait.
  std::optional<Message> answer(const char* what, std::optional<Seconds> timeout = std::nullopt,
                                const std::function<bool(const Message&)>& is_mine = nullptr) {
    if (!node_.up(peer_)) return std::nullopt;
    while (true) {
      std::optional<Message> message = receive({what, peer_}, timeout);
      if (!message) return std::nullopt;
      if (message->is<MembershipEvent>()) {
        const bool is_of_peer = message->source == peer_;
        if (is_of_peer && message->as<MembershipEvent>().number > asked_after_) return std::nullopt;
      } else if (!is_mine || is_mine(*message)) {
        return message;
      }
    }
  }

 private:
  std::optional<Message> receive(const Reason& reason, std::optional<Seconds> timeout) {
    if (!timeout) return node_.receive(port_, reason);
    return node_.receive_for(port_, std::max(0.0, asked_s_ + timeout->value - node_.now()), reason);
  }

  Node& node_;
  const int port_;
  int peer_ = 0;
  double asked_s_ = 0;
  std::int64_t asked_after_ = 0;  // number of events of hosts
};

// Chooses the peers to ask, one after another.
class Peers {
 public:
  // Random peers, or without `random` in turn.
  Peers(Node& node, std::vector<int> peers, std::optional<Stream> random)
      : node_(node), peers_(std::move(peers)), random_(std::move(random)) {}

  bool empty() const { return peers_.empty(); }
  bool any_up() const {
    return std::ranges::any_of(peers_, [this](int peer) { return node_.up(peer); });
  }
  // Passes over peers that are not up; one must be.
  int next() {
    std::size_t place = random_ ? random_->below(peers_.size()) : turn_++ % peers_.size();
    while (!node_.up(peers_[place])) place = (place + 1) % peers_.size();
    if (random_)
      node_.record(
          Draw{"partner", static_cast<std::int64_t>(turn_++), static_cast<std::uint64_t>(peers_[place]), Draw::node});
    return peers_[place];
  }

 private:
  Node& node_;
  const std::vector<int> peers_;
  std::optional<Stream> random_;
  std::size_t turn_ = 0;  // peers chosen so far
};

}  // namespace ddl::membership
