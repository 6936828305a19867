#include "core/comm/push_sum.hpp"

#include <string_view>
#include <utility>

#include "core/node/vectors.hpp"

namespace ddl::comm {
namespace {

constexpr double negligible_share = 1e-9;

// The body of a part: w, the weight of its values; 0 gives nothing.
struct Share {
  static constexpr std::string_view body_name = "push_sum.share";
  double weight = 1;
};

}  // namespace

PushSum::PushSum(Node& node, NeighbourExchange& neighbours, bool overlap)
    : node_(node), neighbours_(neighbours), overlap_(overlap) {
  neighbours.on_late([this](Message part) { add({std::move(part)}); });
}

void PushSum::apply(const Gradient& gradient) {
  neighbours_.begin_round();
  const double share = share_for_step();
  scale_weights(share);  // from z to x, if the step's share is w
  node_.apply(gradient);
  scale_weights(w_ / share);
}

void PushSum::send() {
  const bool gives = w_ > negligible_share;
  const std::vector<int> sent = neighbours_.send(
      {.values = node_.weights().snapshot(), .wire_bytes = node_.cluster().model_bytes, .body = Share{gives ? w_ : 0}});
  scale_weights(1 / w_);              // an evaluation while the worker waits must see z
  if (gives) w_ *= kept_after(sent);  // shares of x and w shrink alike; z stays
  age_ordinary_share();
}

// The share of x and w left after sending to these targets.
double PushSum::kept_after(const std::vector<int>& sent) const {
  const graph::Graph& graph = neighbours_.graph();
  const std::int64_t round = neighbours_.round();
  if (graph.is_even(round)) {
    const int not_given = graph.degree(round) - static_cast<int>(sent.size()) + 1;
    return not_given * graph.weight(round);
  }
  double kept = 1;
  for (const int target : sent) kept -= graph.share(node_.id(), target, round);
  return kept;
}

void PushSum::receive() {
  const std::int64_t round = neighbours_.round() - (overlap_ ? 1 : 0);
  add(round >= 0 ? neighbours_.receive(round) : std::vector<Message>());
}

// w, or its ordinary value (had all hosts stayed) if that is greater.
double PushSum::share_for_step() const {
  constexpr double rounding = 1e-6;
  return node_.cluster().hosts_change && w_ < (1 - rounding) * ordinary_ ? ordinary_ : w_;
}

void PushSum::scale_weights(double factor) {
  if (factor == 1) return;
  for (float& value : node_.weights().write()) value *= static_cast<float>(factor);
}

// With overlap the last round's parts are still under way. Graphs with hosts that come and go are even.
void PushSum::age_ordinary_share() {
  if (!overlap_) return;
  const graph::Graph& graph = neighbours_.graph();
  const std::int64_t round = neighbours_.round();
  const double kept = graph.weight(round) * ordinary_;
  ordinary_ = kept + std::exchange(under_way_, graph.degree(round) * kept);
}

// x and w grow by the parts, each a share of its sender's: z = (w z + the parts) / (the new w).
void PushSum::add(std::vector<Message> parts) {
  std::erase_if(parts, [](const Message& part) { return part.as<Share>().weight == 0; });
  std::vector<double> shares;
  double w = w_;
  for (const Message& part : parts) {
    shares.push_back(neighbours_.graph().share(part.source, node_.id(), part.step));
    w += shares.back() * part.as<Share>().weight;
  }
  std::vector<float> weights;
  for (const double share : shares) weights.push_back(static_cast<float>(share / w));
  mix(node_.weights().write(), parts, node_.id(), static_cast<float>(w_ / w), weights);
  w_ = w;
}

}  // namespace ddl::comm
