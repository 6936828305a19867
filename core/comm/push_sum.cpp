#include "core/comm/push_sum.hpp"

#include <string_view>
#include <utility>

#include "core/node/vectors.hpp"

namespace ddl::comm {
namespace {

constexpr double negligible_share = 1e-9;

// The body of a part: w, the weight of its values; 0: nothing is given.
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
  scale_weights(share);  // from z to x, if the share is w
  node_.apply(gradient);
  scale_weights(w_ / share);
}

void PushSum::send() {
  const bool gives = w_ > negligible_share;
  const int sent = neighbours_.send(
      {.values = node_.weights().snapshot(), .wire_bytes = node_.cluster().model_bytes, .body = Share{gives ? w_ : 0}});
  scale_weights(1 / w_);  // an evaluation while the worker waits must see z
  const graph::Graph& graph = neighbours_.graph();
  const int not_given = graph.degree(neighbours_.round()) - sent + 1;
  if (gives) w_ *= not_given * graph.weight(neighbours_.round());  // of x and w; z is the same
  age_ordinary_share();
}

void PushSum::receive() {
  const std::int64_t round = neighbours_.round() - (overlap_ ? 1 : 0);
  add(round >= 0 ? neighbours_.receive(round) : std::vector<Message>());
}

// w, or what it would be if all hosts had stayed, if that is more.
double PushSum::share_for_step() const {
  constexpr double rounding = 1e-6;
  return node_.cluster().hosts_change && w_ < (1 - rounding) * ordinary_ ? ordinary_ : w_;
}

void PushSum::scale_weights(double factor) {
  if (factor == 1) return;
  for (float& value : node_.weights().write()) value *= static_cast<float>(factor);
}

// With overlap the parts of the last round are under way.
void PushSum::age_ordinary_share() {
  if (!overlap_) return;
  const graph::Graph& graph = neighbours_.graph();
  const std::int64_t round = neighbours_.round();
  const double kept = graph.weight(round) * ordinary_;
  ordinary_ = kept + std::exchange(under_way_, graph.degree(round) * kept);
}

// x and w grow by the parts: z = (w z + the parts) / (the new w). All parts are of one round, whose graph gives each
// the same share.
void PushSum::add(std::vector<Message> parts) {
  std::erase_if(parts, [](const Message& part) { return part.as<Share>().weight == 0; });
  const double share = parts.empty() ? 0 : neighbours_.graph().weight(parts.front().step);
  double w = w_;
  for (const Message& part : parts) w += share * part.as<Share>().weight;
  mix(node_.weights().write(), parts, node_.id(), static_cast<float>(w_ / w), static_cast<float>(share / w));
  w_ = w;
}

}  // namespace ddl::comm
