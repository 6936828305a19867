// Every worker computes gradients without ever waiting for another; beside that, pairs of workers average their models.
// Active workers (odd ids) ask, passive ones (even) answer at once, so no circle of waits can close. The averaging is
// atomic for the pair: an active worker changes nothing of its model between asking and the answer, and a passive one
// answers and averages in one go. Both then hold the same average, and the sum of all models is moved by gradients
// alone.
//
//   compute, worker i:  loop: g = gradient(x_i); wait while the slot is full; slot = g
//   exchange, active i: loop: wait until an exchange is due (gossip_rate)
//                             x = x_i; ask a passive neighbour j with x; wait for its y       (model locked)
//                             x_i = (x + y) / 2
//   answer, passive j:  loop: on (x from i): answer with y = x_j; x_j = (x + y) / 2
//   a partner that is not there is passed over; one that goes before it has answered costs the exchange
//   slot, both kinds:   applied (x_i = step(x_i, g)) and emptied as soon as the model is not locked and, in the order
//                       average_then_update, the exchange that g makes due is over
//
// A gradient's staleness is the number of averagings and updates its worker's model went through while it was computed.
#include "core/systems/ad_psgd.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

class AdPsgdWorker : public Program {
  enum Port { to_passive, to_active };

 public:
  AdPsgdWorker(const AdPsgdParams& params, Node& node)
      : node_(node),
        params_(params),
        partners_(graph::partners(params.topology, node.cluster().workers, node.id())),
        asks_(graph::is_active(node.id())),
        random_(node.rng("peer")) {
    if (asks_) node.membership().watch(to_active);
  }

  void run() override {
    if (!partners_.empty()) {
      node_.spawn(asks_ ? "exchange" : "answer", [this] { asks_ ? exchange_forever() : answer_forever(); });
    }
    while (node_.next_step()) {
      const std::int64_t before = changes_;
      const Gradient gradient = node_.gradient();
      node_.record(Staleness{node_.id(), node_.step(), static_cast<double>(changes_ - before)});
      node_.wait_until([this] { return !slot_; }, "room for its gradient");
      slot_ = gradient.values;
      if (!locked_ && !slot_waits_for_exchange()) apply_slot();
      node_.notify();
      node_.finish_step();
    }
    finished_ = true;
    node_.wait_until([this] { return !slot_; }, "its last gradient to be applied");
  }

 private:
  bool updates_first() const { return params_.update_order == UpdateOrder::update_then_average; }

  bool exchange_is_due() const {
    if (params_.gossip_rate.continuous) return !finished_;
    return since_exchange_ + (slot_ ? 1 : 0) >= params_.gossip_rate.every;
  }

  bool slot_waits_for_exchange() const {
    return asks_ && !updates_first() && !params_.gossip_rate.continuous && exchange_is_due();
  }

  void apply_slot() {
    node_.apply(values_of(*slot_));
    slot_.reset();
    ++changes_;
    ++since_exchange_;
  }

  void exchange_forever() {
    while (true) {
      node_.wait_until([this] { return exchange_is_due(); }, "a gradient that calls for an exchange");
      if (params_.gossip_rate.continuous) node_.wait_until([this] { return has_partner(); }, "a partner");
      locked_ = true;
      exchange();
      locked_ = false;
      if (updates_first()) since_exchange_ = 0;
      if (slot_) apply_slot();
      if (!updates_first()) since_exchange_ = 0;
      node_.notify();
    }
  }

  bool has_partner() const {
    return std::ranges::any_of(partners_, [this](int partner) { return node_.up(partner); });
  }

  void exchange() {
    if (!has_partner()) return;
    const int partner = next_partner();
    const std::int64_t asked_after = node_.membership().events();
    node_.send(partner, model_message(to_passive, node_.weights().snapshot()));
    while (true) {
      const Message answer = node_.receive(to_active, {"the answer to its question", partner});
      if (!answer.is<MembershipEvent>()) return average_with(answer);
      if (answer.source == partner && answer.as<MembershipEvent>().number > asked_after) return;
    }
  }

  void answer_forever() {
    while (true) {
      const Message question = node_.receive(to_passive, service);
      node_.send(question.source, model_message(to_active, node_.weights().snapshot()));
      average_with(question);
    }
  }

  Message model_message(Port port, Payload model) const {
    return {.port = port, .step = node_.step(), .values = std::move(model), .wire_bytes = node_.cluster().model_bytes};
  }

  void average_with(const Message& other) {
    blend(node_.weights().write(), values_of(other.values), 0.5f);
    ++changes_;
  }

  int next_partner() {
    const std::size_t count = partners_.size();
    const bool random = params_.peer == PartnerRule::random;
    std::size_t place = random ? random_.below(count) : exchanges_++ % count;
    while (!node_.up(partners_[place])) place = (place + 1) % count;
    return partners_[place];
  }

  Node& node_;
  const AdPsgdParams params_;
  const std::vector<int> partners_;
  const bool asks_;
  Stream random_;
  std::optional<Payload> slot_;      // a gradient that waits to be applied
  bool locked_ = false;              // between asking and the answer
  bool finished_ = false;            // no more gradients
  std::int64_t changes_ = 0;         // averagings and updates of the model so far
  std::int64_t since_exchange_ = 0;  // gradients applied
  std::size_t exchanges_ = 0;        // started, for peers in turn
};

}  // namespace

std::unique_ptr<Program> AdPsgdParams::program(Node& node) const { return std::make_unique<AdPsgdWorker>(*this, node); }

Traffic AdPsgdParams::traffic(const Cluster& cluster) const {
  Traffic result{Pace::overlapped, {{}}};
  if (gossip_rate.continuous) return result;  // as much as the network carries, but no step needs it
  for (int active = 1; active < cluster.workers; active += 2) {
    const auto others = graph::partners(topology, cluster.workers, active);
    const double models = 1.0 / (gossip_rate.every * static_cast<double>(others.size()));
    for (const int passive : others) {
      result.phases[0].push_back({active, passive, models});
      result.phases[0].push_back({passive, active, models});
    }
  }
  return result;
}

FieldValue form_of(GossipRate& rate) {
  enum Word : std::size_t { per_gradient, continuous };
  WordOrField field{.words = {"per_gradient", "continuous"},
                    .chosen = std::nullopt,
                    .choose = [&rate](std::size_t word) { rate = {.continuous = word == continuous}; },
                    .one =
                        [&rate] {
                          rate = {};
                          return field_value(rate.every);
                        },
                    .list = nullptr,
                    .value = [&rate] { return field_value(rate.every); },
                    .otherwise = "is no rate; expected \"per_gradient\", \"continuous\" or a count of gradients"};
  if (rate.continuous) {
    field.chosen = continuous;
  } else if (rate.every == 1) {
    field.chosen = per_gradient;
  }
  return {std::move(field)};
}

}  // namespace ddl::systems
