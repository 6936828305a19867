// Model averaging between pairs of workers: pull (Cui 2019, algorithm 1), push, and both ways (Boyd et al. 2006). Every
// exchange is a question and an answer, one or both of which carry a model; a worker's answering actor works at any
// time, whatever the training actor does.
//
//   training actor of i, forever:
//     1  g = gradient(x); drop values below their tensor's threshold; x = step(x, g)
//     2  ask a peer                                                   (push, pair: with x; overlap: before 1)
//     3  on the answer y:  x = keep x + (1 - keep) y                  (pull)
//                          x += (1 - keep)(y - x as sent)             (pair)
//        without an answer, x stays unchanged
//   answering actor of j, on a question x:
//     4  answer with its model y (pull, pair) or with nothing (push)
//     5  y = keep y + (1 - keep) x                                    (push)
//        y += (1 - keep)(x - y as sent)                               (pair)
//   keep = 1/2, or the other's share of the summed losses (loss_weighted: the better model weighs more)
//
// A pair's halves move by opposite amounts, computed from the two models that travelled. So their sum is conserved
// whatever happens to either model meanwhile, and no lock is needed.
#include "core/systems/neighbours/gossip.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/comm/neighbour_exchange.hpp"
#include "core/graph/shared_graphs.hpp"
#include "core/membership/call.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/neighbours/gossip_math.hpp"

namespace ddl::systems {
namespace {

// Empty: all others.
std::vector<int> peers_of(const GossipParams& params, Node& node) {
  if (!params.topology || !node.is_worker()) return {};
  return node.graphs().get(*params.topology, std::nullopt, node.cluster().worker_names)->targets(node.id(), 0);
}

// Possible peers of each worker; without a graph all others, or with the rule `ring` the next one.
std::vector<std::vector<int>> peers_of_all(const GossipParams& params, const Cluster& cluster) {
  std::optional<graph::Graph> graph;
  if (params.topology) graph = comm::graph_of(*params.topology, std::nullopt, cluster);
  std::vector<std::vector<int>> peers(static_cast<std::size_t>(cluster.workers));
  for (int worker = 0; worker < cluster.workers; ++worker) {
    std::vector<int>& its = peers[static_cast<std::size_t>(worker)];
    if (graph) {
      its = graph->targets(worker, 0);
      continue;
    }
    for (int other = 0; other < cluster.workers; ++other) {
      if (other == worker || (params.peer == PeerRule::ring && other != (worker + 1) % cluster.workers)) continue;
      its.push_back(other);
    }
  }
  return peers;
}

class GossipWorker : public Program {
  enum Port { to_answerer, to_trainer };

  // The bodies of questions and answers.
  struct Question {
    static constexpr std::string_view body_name = "gossip.question";
    double loss = -1;  // the asker's; negative: unknown
  };
  struct Answer {
    static constexpr std::string_view body_name = "gossip.answer";
    std::int64_t question = 0;  // the asker's step when it asked
    double keep = 0;            // the share of the asker's own model in the mean
  };

 public:
  GossipWorker(const GossipParams& params, Node& node)
      : node_(node),
        params_(params),
        alone_(node.cluster().workers == 1),
        peers_(params.peer, node, peers_of(params, node)),
        mask_(params.threshold, params.error_feedback, node.cluster()),
        own_share_(params.merge),
        call_(node, to_trainer) {}

  void run() override {
    if (!alone_) node_.spawn("answers", [this] { serve(); });
    const bool overlap = params_.order == ExchangeOrder::overlap;
    while (node_.next_step()) {
      if (overlap) ask();                    // 2
      Gradient gradient = node_.gradient();  // 1
      own_share_.note_loss(gradient.loss);
      gradient.values = mask_.apply(gradient.values);
      node_.apply(gradient);
      if (!overlap) ask();  // 2
      take_answer();        // 3
      node_.finish_step();
    }
    call_.end();
  }

 private:
  void ask() {
    if (alone_) return;
    Message question = message(to_answerer, Question{own_share_.loss()}, params_.mode != GossipMode::pull);
    asked_with_ = question.values;
    call_.ask(peers_.next(), std::move(question));
  }

  void take_answer() {
    if (alone_) return;
    const std::int64_t step = node_.step();
    const auto is_of_this_step = [step](const Message& answer) { return answer.as<Answer>().question == step; };
    const auto answer = call_.answer("the answer of its peer", params_.timeout, is_of_this_step);
    const Payload asked_with = std::exchange(asked_with_, nullptr);
    if (!answer) return;
    const auto staleness = static_cast<double>(std::max<std::int64_t>(0, step - answer->step));
    node_.record(Staleness{node_.id(), step, staleness});
    merge(params_.mode, node_.weights(), answer->values, asked_with, static_cast<float>(answer->as<Answer>().keep));
  }

  void serve() {
    while (true) {
      const Message question = node_.receive(to_answerer, service);
      // One of the two computes both shares, so that they always add up to one.
      const float keep = own_share_.beside(question.as<Question>().loss);
      const Message answer = message(to_trainer, Answer{question.step, 1 - keep}, params_.mode != GossipMode::push);
      node_.send(question.source, answer);                                         // 4
      merge(params_.mode, node_.weights(), question.values, answer.values, keep);  // 5
    }
  }

  Message message(Port port, Body body, bool with_model) const {
    Message result{.port = port, .step = node_.step(), .body = body};
    if (with_model) result.values = node_.weights().snapshot();
    if (with_model) result.wire_bytes = node_.cluster().model_bytes;
    return result;
  }

  Node& node_;
  const GossipParams params_;
  const bool alone_;
  PeerChoice peers_;
  GradientMask mask_;
  ModelShare own_share_;
  membership::Call call_;
  Payload asked_with_;  // the model sent with the question
};

}  // namespace

std::unique_ptr<Program> GossipParams::program(Node& node) const { return std::make_unique<GossipWorker>(*this, node); }

// --- before a run ---

Traffic GossipParams::traffic(const Cluster& cluster) const {
  Traffic result{order == ExchangeOrder::overlap ? Pace::overlapped : Pace::free, {{}}};
  const bool few = peer == PeerRule::ring || topology, waits = !timeout;
  result.random_peers = waits && peer == PeerRule::random;
  if (!waits || (!few && cluster.workers > most_workers_all_to_all)) {
    result.unlisted_messages = 2.0 * cluster.workers;  // a question and an answer for each
    return result;
  }
  const auto peers = peers_of_all(*this, cluster);
  for (int worker = 0; worker < cluster.workers; ++worker) {
    const std::vector<int>& its = peers[static_cast<std::size_t>(worker)];
    const double models = 1.0 / static_cast<double>(its.size());
    for (const int other : its) {
      if (mode != GossipMode::pull) result.phases[0].push_back({worker, other, models, models, true});
      if (mode != GossipMode::push) result.phases[0].push_back({other, worker, models, models});
    }
  }
  return result;
}

// Assumes equal losses and no delays: in a step of every worker each exchanges once, with one of the others;
// round_robin and random choose all of them equally often.
std::optional<graph::Consensus> GossipParams::consensus(const Cluster& cluster) const {
  std::vector<graph::Exchange> exchanges;
  const bool pushes = mode == GossipMode::push;
  const auto peers = peers_of_all(*this, cluster);
  for (int worker = 0; worker < cluster.workers; ++worker) {
    const std::vector<int>& its = peers[static_cast<std::size_t>(worker)];
    for (const int other : its) {
      exchanges.push_back({pushes ? other : worker, pushes ? worker : other, mode == GossipMode::pair,
                           topology ? 1 / static_cast<double>(its.size()) : 1});
    }
  }
  return graph::consensus_of(cluster.workers, exchanges, cluster.workers);
}

void GossipParams::fill_defaults(const Cluster* cluster) {
  if (cluster != nullptr && topology) graph::fill_defaults(*topology, cluster->workers);
}

std::vector<SettingError> GossipParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list;
  if (topology) {
    list = comm::errors_in(*topology, std::nullopt, OnFailure::wait, around,
                           {.undirected = "peers are the same in every step", .weights = false});
    for (SettingError& error : list) {
      if (error.key == "degree") error = {"topology", "needs a degree; expected {\"type\": ..., \"degree\": ...}"};
    }
    if (peer == PeerRule::ring) {
      list.push_back({"peer", "\"ring\" is a graph of its own; expected no \"topology\", or another rule"});
    }
  }
  return list;
}

}  // namespace ddl::systems
