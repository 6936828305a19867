#include "core/comm/neighbour_exchange.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/node/vectors.hpp"

namespace ddl::comm {
namespace {

std::shared_ptr<const graph::Graph> graph_of(graph::GraphKind kind, std::optional<int> degree, const Cluster& cluster) {
  return cluster.graphs->get(kind, degree, cluster.workers, cluster.seed);
}

}  // namespace

Rounds::Rounds(Node& node, graph::GraphKind kind, std::optional<int> degree, OnFailure on_failure,
               std::function<void(Message)> take)
    : node_(node),
      graph_(graph_of(kind, degree, node.cluster())),
      on_failure_(on_failure),
      take_(std::move(take)),
      started_(node.membership().events()) {
  node.membership().watch(port);
  if (!node.cluster().hosts_change) return;
  for (int round = 0; round < graph_->rounds(); ++round) {
    for (const int other : graph_->targets(node.id(), round)) source(other);
    for (const int other : graph_->sources(node.id(), round)) source(other);
  }
  for (auto& [other, neighbour] : sources_) {
    if (node.up(other)) continue;
    neighbour.takes_part = never;
    neighbour.down = is_waited_for(node.membership().presence(other));
  }
}

int Rounds::send(Message message, const std::function<Message()>& to_new) {
  const auto in_this_round = [&](Message one) {
    one.port = port;
    one.step = round();
    return one;
  };
  message = in_this_round(std::move(message));
  int sent = 0;
  for (const int target : graph_->targets(node_.id(), round())) {
    if (!source(target).is_counted_on(round())) continue;
    node_.send(target, to_new && enters(target, round()) ? in_this_round(to_new()) : message);
    ++sent;
  }
  unsent_ = round() + 1;
  return sent;
}

std::vector<Message> Rounds::receive(std::int64_t round) {
  const std::vector<int> expected = graph_->sources(node_.id(), round);
  wait_for(expected, [&](int node) { return source(node).early.empty() && source(node).is_counted_on(round); });
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

bool Rounds::enters(int node, std::int64_t round) const {
  const auto found = sources_.find(node);
  return found != sources_.end() && found->second.entered == round;
}

void Rounds::leave() {
  std::set<int> neighbours;
  for (int round = 0; round < graph_->rounds(); ++round) {
    for (const int node : graph_->targets(node_.id(), round)) neighbours.insert(node);
    for (const int node : graph_->sources(node_.id(), round)) neighbours.insert(node);
  }
  has_left_ = true;
  for (const int node : neighbours) node_.send(node, {.port = port, .body = Leaving{}});
  if (!take_ && !node_.cluster().hosts_change) return;
  node_.spawn("after the rounds", [this] {
    while (true) {
      Message late = receive_any();
      if (take_) take_(std::move(late));
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
    sort_in(node_.receive(port, service));
  }
}

void Rounds::sort_in(Message message) {
  const int from = message.source;
  if (message.is<MembershipEvent>()) return note_event(from, message.as<MembershipEvent>());
  if (message.is<At>()) return note_place(from, message.as<At>());
  if (message.is<EntersWith>()) return note_entry(from, message.as<EntersWith>().round);
  if (message.is<Leaving>()) return note_leaving(from);
  // Of one that has not said where it is, it was meant for who was here before.
  if (!entering_ || places_.contains(from)) source(from).early.push_back(std::move(message));
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

Traffic traffic_along(graph::GraphKind kind, std::optional<int> degree, const Cluster& cluster, double models) {
  // Neighbours that run ahead send while others still compute, so nothing can be added to either.
  Traffic result{Pace::overlapped, {{}}};
  const std::shared_ptr<const graph::Graph> graph = graph_of(kind, degree, cluster);
  for (int source = 0; source < cluster.workers; ++source) {
    for (int round = 0; round < graph->rounds(); ++round) {
      for (const int target : graph->targets(source, round)) {
        result.phases[0].push_back({source, target, models / graph->rounds()});
      }
    }
  }
  return result;
}

std::vector<SettingError> errors_in(graph::GraphKind kind, std::optional<int> degree, OnFailure on_failure,
                                    int workers) {
  std::vector<SettingError> list = errors_in(on_failure);
  const std::string wrong = graph::degree_error(kind, degree, workers);
  if (!wrong.empty()) list.push_back({"degree", wrong});
  return list;
}

}  // namespace ddl::comm
