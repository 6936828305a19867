#include "core/algorithms/rounds.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>

#include "core/algorithms/vectors.hpp"

namespace ddl {
namespace {

constexpr int round_port = 0;
enum Kind { of_round, leaving, i_am_at, i_am_anywhere, i_enter_with };

bool is_waited_for(Presence presence, OnFailure on_failure) {
  return presence == Presence::down && on_failure == OnFailure::wait;
}

std::shared_ptr<const Graph> graph_of(GraphKind kind, std::optional<int> degree, const Cluster& cluster) {
  return cluster.graphs->get(kind, degree, cluster.workers, cluster.seed);
}

}  // namespace

Rounds::Rounds(Node& node, GraphKind kind, std::optional<int> degree, OnFailure on_failure)
    : node_(node), graph_(graph_of(kind, degree, node.cluster())), on_failure_(on_failure) {
  node.watch(round_port);
  if (!node.cluster().hosts_change) return;
  for (int round = 0; round < graph_->rounds(); ++round) {
    for (const int other : graph_->targets(node.id(), round)) source(other);
    for (const int other : graph_->sources(node.id(), round)) source(other);
  }
  for (auto& [other, neighbour] : sources_) {
    if (node.up(other)) continue;
    neighbour.takes_part = never;
    neighbour.down = is_waited_for(node.presence(other), on_failure);
  }
}

void Rounds::enter() {
  if (node_.presence_events() == 0) return;
  std::set<int> asked;
  for (const auto& [other, neighbour] : sources_) {
    if (node_.up(other)) asked.insert(other);
  }
  // The news of this node's start makes them answer, but for those that have started since: they ask this node.
  const auto has_to_answer = [&](int other) {
    return !where_.contains(other) && !source(other).left && !source(other).started_later && node_.up(other);
  };
  wait_for(asked, has_to_answer);
  const auto furthest = std::ranges::max_element(where_, {}, [](const auto& said) { return said.second; });
  const std::int64_t first = where_.empty() || furthest->second < 0 ? node_.step() : furthest->second;
  for (auto& [other, neighbour] : sources_) {
    if (neighbour.left || !node_.up(other)) continue;
    tell(other, i_enter_with, first);
    const bool enters_too = neighbour.undecided || neighbour.entered >= 0;
    if (!enters_too) neighbour.takes_part = first;
  }
  go_to(first);
}

void Rounds::meet_those_who_enter() {
  std::int64_t first = never;
  for (const auto& [other, neighbour] : sources_) {
    if (!neighbour.left) first = std::min(first, neighbour.takes_part);
  }
  if (first != never) go_to(first);
  anywhere_ = false;
}

void Rounds::go_to(std::int64_t round) {
  ahead_ = round - node_.step();
  unsent_ = round;
}

// Between two rounds, when nobody takes part in the next or has been told of it.
bool Rounds::may_be_anywhere() const {
  return !has_left_ && unsent_ == round() && std::ranges::none_of(sources_, [](const auto& neighbour) {
    const Source& source = neighbour.second;
    return !source.left && !source.down && (source.undecided || source.takes_part != never);
  });
}

void Rounds::settle() {
  // Who expects nothing in this round waits for nobody, and would not hear of those who come.
  const auto is_expected = [&](int other) { return source(other).is_counted_on(round()); };
  if (node_.cluster().hosts_change && std::ranges::none_of(graph_->sources(node_.id(), round()), is_expected)) {
    while (auto message = node_.poll(round_port)) sort_in(std::move(*message));
  }
  wait_for(std::views::keys(sources_), [&](int other) { return source(other).undecided || source(other).down; });
  if (anywhere_) meet_those_who_enter();
}

int Rounds::send(Message message, Message to_new) {
  settle();
  int sent = 0;
  for (Message* one : {&message, &to_new}) {
    one->port = round_port;
    one->kind = of_round;
    one->step = round();
  }
  for (const int target : graph_->targets(node_.id(), round())) {
    if (!source(target).is_counted_on(round())) continue;
    node_.send(target, enters(target, round()) ? to_new : message);
    ++sent;
  }
  unsent_ = round() + 1;
  return sent;
}

std::vector<Message> Rounds::receive(std::int64_t round) {
  const std::vector<int> expected = graph_->sources(node_.id(), round);
  const auto is_missing = [&](int node) {
    drop_before(node, round);
    return source(node).early.empty() && source(node).is_counted_on(round);
  };
  wait_for(expected, is_missing);
  std::vector<Message> messages;
  for (const int node : expected) {
    auto& early = source(node).early;
    if (early.empty() || early.front().step > round) continue;
    check(early.front().step == round, "a source's messages in the order of rounds");
    messages.push_back(std::move(early.front()));
    early.pop_front();
  }
  return messages;
}

template <class Nodes, class IsAwaited>
void Rounds::wait_for(const Nodes& nodes, IsAwaited is_awaited) {
  while (true) {
    awaited_.clear();
    std::ranges::copy_if(nodes, std::back_inserter(awaited_), is_awaited);
    if (awaited_.empty()) return;
    sort_in(node_.receive(round_port));
  }
}

// A neighbour that did not know yet that this node enters later has sent in vain.
void Rounds::drop_before(int node, std::int64_t round) {
  auto& early = source(node).early;
  while (node_.cluster().hosts_change && !early.empty() && early.front().step < round) early.pop_front();
}

bool Rounds::enters(int node, std::int64_t round) const {
  const auto found = sources_.find(node);
  return found != sources_.end() && found->second.entered == round;
}

void Rounds::leave(std::function<void(Message)> take) {
  std::set<int> neighbours;
  for (int round = 0; round < graph_->rounds(); ++round) {
    for (const int node : graph_->targets(node_.id(), round)) neighbours.insert(node);
    for (const int node : graph_->sources(node_.id(), round)) neighbours.insert(node);
  }
  has_left_ = true;
  for (const int node : neighbours) tell(node, leaving, 0);
  if (!take && !node_.cluster().hosts_change) return;
  node_.spawn("after the rounds", [this, take = std::move(take)] {
    while (true) {
      Message late = receive_any();
      if (take) take(std::move(late));
    }
  });
}

// Whatever comes next of any round.
Message Rounds::receive_any() {
  while (true) {
    for (auto& [node, source] : sources_) {
      if (source.early.empty()) continue;
      Message message = std::move(source.early.front());
      source.early.pop_front();
      return message;
    }
    sort_in(node_.receive(round_port));
  }
}

void Rounds::tell(int node, int kind, std::int64_t round) {
  node_.send(node, {.port = round_port, .kind = kind, .step = round});
}

void Rounds::sort_in(Message message) {
  if (message.news) return note_news(message);
  Source& from = source(message.source);
  if (message.kind == of_round) return from.early.push_back(std::move(message));
  if (message.kind == leaving) {
    from.left = true;
    from.undecided = false;
  } else if (message.kind == i_am_at || message.kind == i_am_anywhere) {
    where_[message.source] = message.kind == i_am_at ? message.step : -1;
    from.early.clear();  // meant for who was here before
  } else {
    from.undecided = false;
    from.takes_part = from.entered = message.step;
  }
}

void Rounds::note_news(const Message& news) {
  const auto found = sources_.find(news.source);
  if (found == sources_.end()) return;
  Source& neighbour = found->second;
  if (news.news == Presence::up) anywhere_ = anywhere_ || may_be_anywhere();
  neighbour.undecided = false;
  neighbour.down = is_waited_for(*news.news, on_failure_) && !neighbour.left;
  if (news.news == Presence::up) {
    neighbour = Source{};
    neighbour.started_later = true;
    neighbour.takes_part = never;
    neighbour.undecided = !has_left_;
    tell(news.source, has_left_ ? leaving : anywhere_ ? i_am_anywhere : i_am_at, unsent_);
  } else if (!neighbour.down) {
    neighbour.takes_part = never;
  }
}

void mix(std::span<float> x, const std::vector<Message>& messages, int id, float own, float each) {
  std::vector<float> sum(x.size());
  const auto after_own = std::ranges::find_if(messages, [&](const Message& message) { return message.source > id; });
  for (auto message = messages.begin(); message != after_own; ++message) {
    add_scaled(sum, values_of(message->values), each);
  }
  add_scaled(sum, x, own);
  for (auto message = after_own; message != messages.end(); ++message) {
    add_scaled(sum, values_of(message->values), each);
  }
  std::ranges::copy(sum, x.begin());
}

Traffic traffic_along(GraphKind kind, std::optional<int> degree, const Cluster& cluster, double models) {
  // Neighbours that run ahead send while others still compute, so nothing can be added to either.
  Traffic result{Pace::overlapped, {{}}};
  const std::shared_ptr<const Graph> graph = graph_of(kind, degree, cluster);
  for (int source = 0; source < cluster.workers; ++source) {
    for (int round = 0; round < graph->rounds(); ++round) {
      for (const int target : graph->targets(source, round)) {
        result.phases[0].push_back({source, target, models / graph->rounds()});
      }
    }
  }
  return result;
}

}  // namespace ddl
