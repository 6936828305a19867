// Model averaging between pairs of workers. Every exchange is a question and an answer, of which one or both carry a
// model; a node's server answers at any time, whatever its trainer is doing.
//
//   trainer i:  loop: g = gradient(x); drop what is below its tensor's threshold; x = step(x, g)
//                     ask peer j; on the answer y:  x = keep x + (1 - keep) y          (pull)
//                                                   x += (1 - keep)(y - x as asked)    (pair)
//   server j:   answer with the model as it is (pull, pair) or with nothing (push);
//               merge the model that came with the question (push, pair)
//   who asks a peer that is not there, or goes before it has answered, goes on without averaging
//   a late joiner refuses questions until its time has come and it has a peer's model; refused, a trainer goes on
//   keep = 1/2, or the other's share of both losses (loss-weighted: the better model weighs more)
//
// A pair's halves move by opposite amounts computed from the two models that travelled, so their sum is kept whatever
// else happens to either model meanwhile, and no lock is needed.
#include "core/systems/gossip.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/node/vectors.hpp"
#include "core/systems/gradient_mask.hpp"

namespace ddl::systems {
namespace {

class GossipWorker : public Program {
  enum Port { to_server, to_trainer };
  enum Kind { exchange, first_model, refusal };
  static constexpr double loss_memory = 0.9;   // of the running mean of minibatch losses
  static constexpr double least_share = 0.05;  // of a model in a loss-weighted mean

 public:
  GossipWorker(const GossipParams& params, Node& node)
      : node_(node),
        params_(params),
        random_(node.rng("peer")),
        mask_(params.threshold, params.residual, node.cluster()) {
    node.watch(to_trainer);
    start_s_ = late_start_s(params, node.cluster(), node.id());
    has_model_ = start_s_ == 0;
  }

  void run() override {
    if (node_.cluster().workers > 1) node_.spawn("server", [this] { serve(); });
    if (!has_model_) join();
    while (node_.next_step()) {
      const bool overlap = params_.order == ExchangeOrder::overlap;
      if (overlap) ask();
      const Payload gradient = node_.gradient();
      note_loss();
      node_.apply(values_of(mask_.apply(gradient)));
      if (!overlap) ask();
      take_answer();
      node_.finish_step();
    }
  }

  Awaited awaited_at(int port) const override {
    if (port == to_server) return {};
    return {"the answer of its peer", {asked_}};
  }

 private:
  bool question_has_model() const { return params_.mode != GossipMode::pull; }
  bool answer_has_model() const { return params_.mode != GossipMode::push; }

  void note_loss() { loss_ = loss_ ? loss_memory * *loss_ + (1 - loss_memory) * node_.last_loss() : node_.last_loss(); }

  // Asks one peer after another, however long the answer takes.
  void join() {
    node_.receive_for(to_trainer, start_s_);  // nothing comes before something is asked
    for (asked_ = peer();; asked_ = (asked_ + 1) % node_.cluster().workers) {
      if (asked_ == node_.id()) continue;
      node_.send(asked_, {.port = to_server, .kind = first_model, .step = node_.step()});
      const Message answer = node_.receive(to_trainer);
      if (answer.kind == refusal) continue;
      node_.weights().adopt(answer.values);
      has_model_ = true;
      return;
    }
  }

  Message message_with(bool model, int port) const {
    Message message{.port = port, .kind = exchange, .step = node_.step(), .loss = loss_.value_or(-1)};
    if (model) {
      message.values = node_.weights().snapshot();
      message.wire_bytes = node_.cluster().model_bytes;
    }
    return message;
  }

  void ask() {
    const int workers = node_.cluster().workers;
    if (workers == 1) return;
    Message question = message_with(question_has_model(), to_server);
    asked_with_ = question.values;
    asked_at_ = node_.now();
    asked_ = peer();
    asked_after_ = node_.presence_events();
    node_.send(asked_, std::move(question));
  }

  int peer() {
    const int workers = node_.cluster().workers;
    const auto others = static_cast<std::uint64_t>(workers - 1);
    std::uint64_t ahead = 0;
    if (params_.peer == PeerRule::random) ahead = random_.below(others);
    if (params_.peer == PeerRule::round_robin) ahead = static_cast<std::uint64_t>(node_.step()) % others;
    return (node_.id() + 1 + static_cast<int>(ahead)) % workers;
  }

  void take_answer() {
    if (node_.cluster().workers == 1) return;
    const auto answer = await_answer();
    if (answer && answer->kind == exchange) {
      node_.record_staleness(node_.id(), node_.step(),
                             static_cast<double>(std::max<std::int64_t>(0, node_.step() - answer->step)));
      const auto keep = static_cast<float>(answer->share);
      if (params_.mode == GossipMode::pull) blend(node_.weights().write(), values_of(answer->values), keep);
      if (params_.mode == GossipMode::pair) move_towards(answer->values, asked_with_, 1 - keep);
    }
    asked_with_ = nullptr;
  }

  // The answer to this step's question, or nothing once the timeout is over; answers to older questions come too late.
  std::optional<Message> await_answer() {
    if (!node_.up(asked_)) return std::nullopt;
    while (true) {
      std::optional<Message> answer;
      if (params_.timeout) {
        answer = node_.receive_for(to_trainer, std::max(0.0, asked_at_ + params_.timeout->value - node_.now()));
      } else {
        answer = node_.receive(to_trainer);
      }
      if (answer && answer->news) {
        if (answer->source == asked_ && answer->step > asked_after_) return std::nullopt;
        continue;
      }
      if (!answer || answer->part == static_cast<int>(node_.step() % answer_tags)) return answer;
    }
  }

  void serve() {
    while (true) {
      const Message question = node_.receive(to_server);
      const bool starting = question.kind == first_model;
      // One of the two reckons both shares, so that they add up to one whatever happens on the way.
      const float keep = own_share(question.loss);
      Message answer = message_with(has_model_ && (starting || answer_has_model()), to_trainer);
      answer.part = static_cast<int>(question.step % answer_tags);
      answer.share = 1 - keep;
      if (!has_model_) answer.kind = refusal;
      const Payload own = answer.values;
      node_.send(question.source, std::move(answer));
      if (starting || !has_model_) continue;
      if (params_.mode == GossipMode::push) blend(node_.weights().write(), values_of(question.values), keep);
      if (params_.mode == GossipMode::pair) move_towards(question.values, own, 1 - keep);
    }
  }

  // x += share * (there - here)
  void move_towards(const Payload& there, const Payload& here, float share) {
    const auto weights = node_.weights().write();
    add_scaled(weights, values_of(there), share);
    add_scaled(weights, values_of(here), -share);
  }

  // Half while either loss is unknown.
  float own_share(double other_loss) const {
    if (params_.merge == Merge::half || !loss_ || other_loss < 0) return 0.5f;
    const double both = *loss_ + other_loss;
    if (!(both > 0)) return 0.5f;
    return static_cast<float>(std::clamp(other_loss / both, least_share, 1 - least_share));
  }

  static constexpr std::int64_t answer_tags = 1 << 30;  // an answer's part names the step it answers

  Node& node_;
  const GossipParams params_;
  Stream random_;
  std::optional<double> loss_;  // running mean
  Payload asked_with_;          // the model that travelled with the question
  double asked_at_ = 0;
  int asked_ = 0;                 // whom
  std::int64_t asked_after_ = 0;  // so many events of hosts
  double start_s_ = 0;            // of a late joiner
  bool has_model_ = true;         // a late joiner has none before it got a peer's
  GradientMask mask_;
};

}  // namespace

std::unique_ptr<Program> make_program(const GossipParams& params, Node& node) {
  return std::make_unique<GossipWorker>(params, node);
}

}  // namespace ddl::systems
