#include "core/algorithms/rounds.hpp"

#include <algorithm>
#include <set>

#include "core/algorithms/vectors.hpp"

namespace ddl {
namespace {

constexpr int round_port = 0;
enum Kind { of_round, leaving };

std::shared_ptr<const Graph> graph_of(GraphKind kind, std::optional<int> degree, const Cluster& cluster) {
  return cluster.graphs->get(kind, degree, cluster.workers, cluster.seed);
}

}  // namespace

Rounds::Rounds(Node& node, GraphKind kind, std::optional<int> degree)
    : node_(node), graph_(graph_of(kind, degree, node.cluster())) {}

int Rounds::send(std::int64_t round, Message message) {
  int sent = 0;
  message.port = round_port;
  message.kind = of_round;
  message.step = round;
  for (const int target : graph_->targets(node_.id(), round)) {
    if (source(target).left) continue;
    node_.send(target, message);
    ++sent;
  }
  return sent;
}

std::vector<Message> Rounds::receive(std::int64_t round) {
  const std::vector<int> expected = graph_->sources(node_.id(), round);
  const auto is_missing = [&](int node) { return source(node).early.empty() && !source(node).left; };
  while (std::ranges::any_of(expected, is_missing)) sort_in(node_.receive(round_port));
  std::vector<Message> messages;
  for (const int node : expected) {
    auto& early = source(node).early;
    if (early.empty()) continue;
    check(early.front().step == round, "a source's messages in the order of rounds");
    messages.push_back(std::move(early.front()));
    early.pop_front();
  }
  return messages;
}

void Rounds::leave() {
  std::set<int> neighbours;
  for (int round = 0; round < graph_->rounds(); ++round) {
    for (const int node : graph_->targets(node_.id(), round)) neighbours.insert(node);
    for (const int node : graph_->sources(node_.id(), round)) neighbours.insert(node);
  }
  for (const int node : neighbours) node_.send(node, {.port = round_port, .kind = leaving});
}

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

void Rounds::sort_in(Message message) {
  Source& from = source(message.source);
  if (message.kind == leaving) {
    from.left = true;
  } else {
    from.early.push_back(std::move(message));
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
