#include "core/comm/neighbour_exchange.hpp"

#include "core/graph/shared_graphs.hpp"
#include "core/node/vectors.hpp"

namespace ddl::comm {

int NeighbourExchange::send(Message message, const std::function<Message()>& to_new) {
  begin_round();
  const auto in_this_round = [&](Message one) {
    one.port = port;
    one.step = round();
    return one;
  };
  message = in_this_round(std::move(message));
  int sent = 0;
  for (const int target : graph_->targets(node_.id(), round())) {
    if (!is_counted_on(target, round())) continue;
    node_.send(target, to_new && enters(target, round()) ? in_this_round(to_new()) : message);
    ++sent;
  }
  unsent_ = round() + 1;
  return sent;
}

std::vector<Message> NeighbourExchange::receive(std::int64_t round) {
  const std::vector<int> expected = graph_->sources(node_.id(), round);
  wait_for(expected, [&](int node) { return sources_[node].early.empty() && is_counted_on(node, round); });
  std::vector<Message> messages;
  for (const int node : expected) {
    auto& early = sources_[node].early;
    if (early.empty() || early.front().step > round) continue;
    check(early.front().step == round, "a source's messages in the order of rounds");
    messages.push_back(std::move(early.front()));
    early.pop_front();
  }
  return messages;
}

void NeighbourExchange::average(Weights& x, const std::vector<Message>& models) const {
  if (models.empty()) return;
  const auto each = static_cast<float>(graph_->weight(round()));
  const int missing = graph_->degree(round()) - static_cast<int>(models.size());
  mix(x.write(), models, node_.id(), static_cast<float>(1 + missing) * each, each);
}

std::set<int> NeighbourExchange::neighbours() const {
  std::set<int> neighbours;
  for (int round = 0; round < graph_->rounds(); ++round) {
    for (const int node : graph_->targets(node_.id(), round)) neighbours.insert(node);
    for (const int node : graph_->sources(node_.id(), round)) neighbours.insert(node);
  }
  return neighbours;
}

void NeighbourExchange::leave() {
  has_left_ = true;
  for (const int node : neighbours()) node_.send(node, {.port = port, .body = Leaving{}});
  if (take_ || is_asked_after_leaving()) node_.spawn("after the rounds", [this] { serve_late(); });
}

void NeighbourExchange::serve_late() {
  while (true) {
    for (const auto& [node, source] : sources_) hand_over_early(node);
    sort_in(node_.receive(port, service));
  }
}

void NeighbourExchange::start_again(int neighbour) {
  hand_over_early(neighbour);
  sources_[neighbour].left = false;
}

void NeighbourExchange::hand_over_early(int neighbour) {
  for (Message& early : std::exchange(sources_[neighbour].early, {})) {
    if (take_) take_(std::move(early));
  }
}

bool NeighbourExchange::receive_pending() {
  bool heard = false;
  while (auto message = node_.poll(port)) {
    sort_in(std::move(*message));
    heard = true;
  }
  return heard;
}

void NeighbourExchange::sort_in(Message message) {
  if (handle(message)) return;
  Source& source = sources_[message.source];
  if (message.is<Leaving>()) {
    source.left = true;
  } else {
    source.early.push_back(std::move(message));
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

graph::Consensus consensus_along(graph::GraphKind kind, std::optional<int> degree, const Cluster& cluster, double share,
                                 bool late) {
  return graph::consensus_of(graph::graph_of_run(kind, degree, cluster.workers, cluster.seed), share, late);
}

Traffic traffic_along(graph::GraphKind kind, std::optional<int> degree, const Cluster& cluster, double models) {
  // Neighbours that run ahead send while others still compute, so nothing can be added to either.
  Traffic result{Pace::overlapped, {{}}};
  const graph::Graph graph = graph::graph_of_run(kind, degree, cluster.workers, cluster.seed);
  for (int source = 0; source < cluster.workers; ++source) {
    for (int round = 0; round < graph.rounds(); ++round) {
      for (const int target : graph.targets(source, round)) {
        result.phases[0].push_back({source, target, models / graph.rounds()});
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
