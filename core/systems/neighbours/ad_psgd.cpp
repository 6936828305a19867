// Asynchronous decentralized SGD (Lian et al., ICML 2018, algorithm 1): every worker computes gradients without ever
// waiting for another, while pairs of workers average their models. Active workers (odd ids) ask, passive ones (even)
// answer at once, so there is no circular wait. The averaging is atomic for the pair: an active worker does not change
// its model between asking and the answer, and a passive one answers and averages in one go. Both then hold the same
// average, and only gradients move the sum of all models.
//
//   compute, worker i, forever:
//     1  g = gradient(x_i);  wait while the slot is full;  slot = g
//   exchange, active i, whenever one is due (gossip_rate):
//     2  ask a passive neighbour j with x_i, and wait for its x_j     (model locked)
//     3  x_i = (x_i + x_j) / 2
//   answer, passive j, on x_i:
//     4  answer with x_j;  x_j = (x_i + x_j) / 2
//   slot, both kinds:
//     5  x = step(x, g) as soon as the model is not locked and, in the order average_then_update, the exchange that g
//        calls for is over
//        apply "at_once": x = step(x, g) now. If 5 would wait, s is x without g until the exchange is over: the
//        question (2) carries s, and 3 is x = x + (x_j - s) / 2. So exchanges use the model without g, as they would
//        otherwise, and only the worker's next gradients see g. The slot stays full as long.
//
// A gradient's staleness is the number of averagings and updates of its worker's model between the start of its
// computation and its application.
#include "core/systems/neighbours/ad_psgd.hpp"

#include <optional>
#include <utility>

#include "core/membership/call.hpp"
#include "core/systems/neighbours/pending_gradient.hpp"

namespace ddl::systems {
namespace {

graph::Pairs pairs_of(const AdPsgdParams& params, const Cluster& cluster) {
  return {params.topology, cluster.workers, cluster.worker_names};
}

class AdPsgdWorker : public Program {
  enum Port { to_passive, to_active };

 public:
  AdPsgdWorker(const AdPsgdParams& params, Node& node) : AdPsgdWorker(params, node, pairs_of(params, node.cluster())) {}

  void run() override {
    if (!partners_.empty() && call_) node_.spawn("exchange", [this] { exchange_forever(); });
    if (!partners_.empty() && !call_) node_.spawn("answer", [this] { answer_forever(); });
    while (node_.next_step()) {
      const std::int64_t before = slot_.changes();
      Gradient gradient = node_.gradient();  // 1
      node_.wait_until([this] { return slot_.empty(); }, "room for its gradient");
      slot_.put(std::move(gradient), before);
      ++gradients_;
      if (!slot_waits()) {
        slot_.apply_for_all();  // 5
      } else if (params_.apply == ApplyPending::at_once) {
        slot_.apply_for_worker();
      }
      node_.notify();
      node_.finish_step();
    }
    finished_ = true;
    node_.wait_until([this] { return slot_.empty(); }, "its last gradient to be applied");
  }

 private:
  AdPsgdWorker(const AdPsgdParams& params, Node& node, const graph::Pairs& pairs)
      : node_(node),
        params_(params),
        slot_(node),
        partners_(node, pairs.partners(node.id()),
                  params.peer == PartnerRule::random ? std::optional(node.rng("peer")) : std::nullopt) {
    if (pairs.is_active(node.id())) call_.emplace(node, to_active);
  }

  void exchange_forever() {
    while (true) {
      node_.wait_until([this] { return exchange_is_due(); }, "a gradient that calls for an exchange");
      if (params_.gossip_rate.continuous()) node_.wait_until([this] { return partners_.any_up(); }, "a partner");
      gradients_ = 0;
      asking_ = true;
      exchange();  // 2, 3
      asking_ = false;
      if (!slot_.empty()) slot_.apply_for_all();  // 5
      node_.notify();
    }
  }

  void exchange() {
    if (!partners_.any_up()) return;
    call_->ask(partners_.next(), model_message(to_passive));
    if (const auto answer = call_->answer("the answer to its question")) slot_.average_with(answer->values);
  }

  void answer_forever() {
    while (true) {
      const Message question = node_.receive(to_passive, service);
      node_.send(question.source, model_message(to_active));  // 4
      slot_.average_with(question.values);
    }
  }

  Message model_message(Port port) const {
    return {.port = port, .step = node_.step(), .values = slot_.model(), .wire_bytes = node_.cluster().model_bytes};
  }

  bool calls_for_exchange() const {
    return call_ && !params_.gossip_rate.continuous() && gradients_ >= params_.gossip_rate.every();
  }
  bool exchange_is_due() const { return params_.gossip_rate.continuous() ? !finished_ : calls_for_exchange(); }

  // True during an exchange, or while the slot's gradient calls for one.
  bool slot_waits() const {
    return asking_ || (params_.update_order == UpdateOrder::average_then_update && calls_for_exchange());
  }

  Node& node_;
  const AdPsgdParams params_;
  PendingGradient slot_;
  membership::Peers partners_;
  std::optional<membership::Call> call_;  // active workers only
  bool asking_ = false;                   // locks the model until the answer
  std::int64_t gradients_ = 0;            // since the last exchange began
  bool finished_ = false;                 // no more gradients
};

}  // namespace

std::unique_ptr<Program> AdPsgdParams::program(Node& node) const { return std::make_unique<AdPsgdWorker>(*this, node); }

// --- before a run ---

Traffic AdPsgdParams::traffic(const Cluster& cluster) const {
  Traffic result{Pace::overlapped, {{}}};
  // Continuous exchanges are as many as the network carries, but no step needs them.
  result.random_peers = !gossip_rate.continuous() && peer == PartnerRule::random;
  const graph::Pairs pairs = pairs_of(*this, cluster);
  for (int active = 0; active < cluster.workers; ++active) {
    if (!pairs.is_active(active)) continue;
    const auto others = pairs.partners(active);
    const double models = 1.0 / (gossip_rate.every() * static_cast<double>(others.size()));
    for (const int passive : others) {
      if (gossip_rate.continuous()) {
        result.unlisted.insert(result.unlisted.end(), {{active, passive}, {passive, active}});
        continue;
      }
      result.phases[0].push_back({active, passive, models});
      result.phases[0].push_back({passive, active, models});
    }
  }
  return result;
}

// Per step of every worker; with continuous exchanges, per exchange of every active worker.
std::optional<graph::Consensus> AdPsgdParams::consensus(const Cluster& cluster) const {
  std::vector<graph::Exchange> exchanges;
  int actives = 0;
  const graph::Pairs pairs = pairs_of(*this, cluster);
  for (int active = 0; active < cluster.workers; ++active) {
    if (!pairs.is_active(active)) continue;
    ++actives;
    const auto others = pairs.partners(active);
    for (const int passive : others) {
      exchanges.push_back({active, passive, true, 1.0 / static_cast<double>(others.size())});
    }
  }
  const int every = gossip_rate.continuous() ? 1 : gossip_rate.every();
  return graph::consensus_of(cluster.workers, exchanges, static_cast<double>(actives) / every);
}

void AdPsgdParams::fill_defaults(const Cluster* cluster) {
  if (cluster != nullptr) graph::fill_defaults(topology, cluster->workers);
}

std::vector<SettingError> AdPsgdParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list;
  for (const graph::GraphError& error : errors_in(topology, around.workers, around.worker_names)) {
    list.push_back({error.key, error.what});
  }
  return list;
}

}  // namespace ddl::systems
