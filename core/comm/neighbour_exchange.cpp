#include "core/comm/neighbour_exchange.hpp"

#include "core/graph/shared_graphs.hpp"
#include "core/node/vectors.hpp"

namespace ddl::comm {

std::vector<int> NeighbourExchange::send(Message message, const std::function<Message()>& to_new) {
  begin_round();
  const auto in_this_round = [&](Message one) {
    one.port = port;
    one.step = round();
    return one;
  };
  message = in_this_round(std::move(message));
  std::vector<int> sent;
  for (const int target : graph_->targets(node_.id(), round())) {
    if (!is_counted_on(target, round())) continue;
    node_.send(target, to_new && enters(target, round()) ? in_this_round(to_new()) : message);
    sent.push_back(target);
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
  std::vector<float> weights;
  double others = 0;
  for (const Message& model : models) {
    const double weight = graph_->weight(node_.id(), model.source, round());
    weights.push_back(static_cast<float>(weight));
    others += weight;
  }
  auto own = static_cast<float>(1 - others);
  if (graph_->is_even(round())) {
    own = static_cast<float>(1 + graph_->degree(round()) - static_cast<int>(models.size())) * weights.front();
  }
  mix(x.write(), models, node_.id(), own, weights);
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

void mix(std::span<float> x, const std::vector<Message>& messages, int id, float own, std::span<const float> weights) {
  std::vector<float> sum(x.size());
  std::size_t i = 0;
  const auto add = [&] {
    add_scaled(sum, values_of(messages[i].values), weights[i]);
    ++i;
  };
  while (i < messages.size() && messages[i].source <= id) add();
  add_scaled(sum, x, own);
  while (i < messages.size()) add();
  std::ranges::copy(sum, x.begin());
}

graph::Graph graph_of(const graph::Topology& topology, std::optional<int> degree, const Cluster& cluster) {
  return graph::graph_of_run(topology, degree, cluster.workers, cluster.worker_names, cluster.seed);
}

Traffic traffic_along(const graph::Graph& graph, double models) {
  // Neighbours that run ahead send while others still compute, so the times do not add up.
  Traffic result{Pace::overlapped, {{}}};
  for (int source = 0; source < graph.nodes(); ++source) {
    for (int round = 0; round < graph.rounds(); ++round) {
      for (const int target : graph.targets(source, round)) {
        result.phases[0].push_back({source, target, models / graph.rounds()});
      }
    }
  }
  return result;
}

std::vector<SettingError> errors_in(const graph::Topology& topology, std::optional<int> degree, OnFailure on_failure,
                                    const Surroundings& around, const graph::GraphNeeds& needs) {
  std::vector<SettingError> list = errors_in(on_failure);
  for (const graph::GraphError& error : errors_in(topology, degree, around.workers, around.worker_names, needs)) {
    list.push_back({error.key, error.what});
  }
  return list;
}

}  // namespace ddl::comm
