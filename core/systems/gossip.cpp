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

  // The bodies of questions and answers.
  struct Question {
    bool first_model = false;  // a late joiner wants one, and no exchange
    double loss = -1;          // the asker's; negative: not known
  };
  struct Reply {
    std::int64_t question = 0;  // the asker's step in it
    double share = 0;           // of the asker's own model in the mean
  };
  struct Refusal {
    std::int64_t question = 0;
  };

  static constexpr double loss_memory = 0.9;   // of the running mean of minibatch losses
  static constexpr double least_share = 0.05;  // of a model in a loss-weighted mean

 public:
  GossipWorker(const GossipParams& params, Node& node)
      : node_(node),
        params_(params),
        random_(node.rng("peer")),
        mask_(params.threshold, params.residual, node.cluster()) {
    node.membership().watch(to_trainer);
    start_s_ = late_start_s(params, node.cluster(), node.id());
    has_model_ = start_s_ == 0;
  }

  void run() override {
    if (node_.cluster().workers > 1) node_.spawn("server", [this] { serve(); });
    if (!has_model_) join();
    while (node_.next_step()) {
      const bool overlap = params_.order == ExchangeOrder::overlap;
      if (overlap) ask();
      const Gradient gradient = node_.gradient();
      note_loss(gradient.loss);
      node_.apply(values_of(mask_.apply(gradient.values)));
      if (!overlap) ask();
      take_answer();
      node_.finish_step();
    }
  }

 private:
  bool question_has_model() const { return params_.mode != GossipMode::pull; }
  bool answer_has_model() const { return params_.mode != GossipMode::push; }

  void note_loss(double loss) { loss_ = loss_ ? loss_memory * *loss_ + (1 - loss_memory) * loss : loss; }

  Reason reason() const { return {"the answer of its peer", asked_}; }

  // Asks one peer after another, however long the answer takes.
  void join() {
    node_.receive_for(to_trainer, start_s_, reason());  // nothing comes before something is asked
    for (asked_ = peer();; asked_ = (asked_ + 1) % node_.cluster().workers) {
      if (asked_ == node_.id()) continue;
      node_.send(asked_, {.port = to_server, .step = node_.step(), .body = Question{.first_model = true}});
      const Message answer = node_.receive(to_trainer, reason());
      if (answer.is<Refusal>()) continue;
      node_.weights().adopt(answer.values);
      has_model_ = true;
      return;
    }
  }

  Message message_with(bool model, int port) const {
    Message message{.port = port, .step = node_.step()};
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
    question.body = Question{.loss = loss_.value_or(-1)};
    asked_with_ = question.values;
    asked_at_ = node_.now();
    asked_ = peer();
    asked_after_ = node_.membership().events();
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
    if (answer && answer->is<Reply>()) {
      node_.record(Staleness{node_.id(), node_.step(),
                             static_cast<double>(std::max<std::int64_t>(0, node_.step() - answer->step))});
      const auto keep = static_cast<float>(answer->as<Reply>().share);
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
        answer =
            node_.receive_for(to_trainer, std::max(0.0, asked_at_ + params_.timeout->value - node_.now()), reason());
      } else {
        answer = node_.receive(to_trainer, reason());
      }
      if (!answer) return answer;
      if (answer->is<MembershipEvent>()) {
        const bool goes = answer->source == asked_ && answer->as<MembershipEvent>().number > asked_after_;
        if (goes) return std::nullopt;
        continue;
      }
      const bool refused = answer->is<Refusal>();
      if ((refused ? answer->as<Refusal>().question : answer->as<Reply>().question) == node_.step()) return answer;
    }
  }

  void serve() {
    while (true) {
      const Message question = node_.receive(to_server, service);
      const bool starting = question.as<Question>().first_model;
      // One of the two reckons both shares, so that they add up to one whatever happens on the way.
      const float keep = own_share(question.as<Question>().loss);
      Message answer = message_with(has_model_ && (starting || answer_has_model()), to_trainer);
      answer.body = Reply{question.step, 1 - keep};
      if (!has_model_) answer.body = Refusal{question.step};
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

std::unique_ptr<Program> GossipParams::program(Node& node) const { return std::make_unique<GossipWorker>(*this, node); }

}  // namespace ddl::systems
