// CHOCO-SGD (Koloskova et al., ICLR 2020, algorithm 2): neighbours know only a public copy of each worker's model, and
// receive compressed updates of it. The difference keeps all that compression drops, and it is sent later; the copies
// converge to the models as these come to rest.
//
//   worker i, round k:                                           (all p start at 0)
//     1  x_i = step(x_i, gradient(x_i))
//     2  q_i = C(x_i - p_i);  p_i += q_i;  send q_i to all neighbours
//     3  for all neighbours j, waiting for those of the round:  p_j += q_j
//     4  x_i += gamma * sum over j of W_ij (p_j - p_i)
//
// W is symmetric and all nodes hold the same p_j, so the moves cancel and the mean of the models is conserved. A
// neighbour that starts in the middle is sent p_i whole, and its own p starts at 0 again.
//
// Without compression p_j = x_j, and with gamma = 1 this is D-PSGD with "combine": "after".
#include "core/systems/neighbours/choco.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/codec/encoder.hpp"
#include "core/comm/neighbour_exchange.hpp"
#include "core/membership/round_entry.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

class ChocoWorker : public Program {
 public:
  ChocoWorker(const ChocoParams& params, Node& node)
      : node_(node),
        params_(params),
        gamma_(params.consensus_rate.value()),
        neighbours_(membership::neighbour_exchange(node, params.topology, params.degree, params.on_failure)),
        random_(node.rng("compressor")) {
    const std::size_t length = node.cluster().timing_only ? 0 : node.cluster().parameters;
    own_copy().resize(length);
    if (std::holds_alternative<RandomDifferences>(params.codec)) node.record(Draw{"codec", 0, random_.seed()});
    for (const int neighbour : neighbours_->graph().sources(node.id(), 0)) copies_[neighbour].resize(length);
  }

  void run() override {
    neighbours_->enter();
    while (node_.next_step()) {
      const Gradient gradient = node_.gradient();
      node_.apply(gradient);  // 1
      send_difference();      // 2
      const std::vector<Message> messages = neighbours_->receive();
      for (const Message& message : messages) add_difference(message);  // 3
      approach(messages);                                               // 4
      node_.finish_step();
    }
    neighbours_->leave();
  }

 private:
  std::vector<float>& own_copy() { return copies_[node_.id()]; }

  void send_difference() {
    const std::uint64_t model_bytes = node_.cluster().model_bytes;
    const double bytes = std::ceil(wire_share(params_) * static_cast<double>(model_bytes));
    const Payload difference = compressed_difference();
    add_scaled(own_copy(), values_of(difference));
    // A neighbour that enters has missed the earlier updates of this copy.
    const auto whole_copy = [this, model_bytes] {
      return Message{.values = own_copy().empty() ? nullptr : make_payload(own_copy()), .wire_bytes = model_bytes};
    };
    neighbours_->send({.values = difference, .wire_bytes = static_cast<std::uint64_t>(bytes)}, whole_copy);
  }

  void add_difference(const Message& message) {
    std::vector<float>& copy = copies_[message.source];
    if (neighbours_->enters(message.source, neighbours_->round())) fill_zero(std::span<float>(copy));
    add_scaled(copy, values_of(message.values));
  }

  // C(x - p), with zeros for values that do not travel.
  Payload compressed_difference() {
    const auto model = node_.weights().read();
    if (model.empty()) return nullptr;
    std::vector<float> difference(model.begin(), model.end());
    add_scaled(difference, own_copy(), -1);
    const auto kept = static_cast<std::size_t>(std::ceil(sent_share(params_) * static_cast<double>(difference.size())));
    if (std::holds_alternative<LargestDifferences>(params_.codec)) codec::keep_largest(difference, kept);
    if (std::holds_alternative<RandomDifferences>(params_.codec)) codec::keep_random(difference, kept, random_);
    return make_payload(std::move(difference));
  }

  // Moves towards nodes that took part in the round: an absent node's copy is not updated.
  void approach(const std::vector<Message>& messages) {
    const auto model = node_.weights().write();
    for (const Message& message : messages) {
      const double weight = neighbours_->graph().weight(node_.id(), message.source, neighbours_->round());
      const auto step = static_cast<float>(gamma_ * weight);
      add_scaled(model, copies_[message.source], step);
      add_scaled(model, own_copy(), -step);
    }
  }

  Node& node_;
  const ChocoParams params_;
  const double gamma_;
  const std::unique_ptr<comm::NeighbourExchange> neighbours_;
  Stream random_;
  std::map<int, std::vector<float>> copies_;  // public copies of this node's model and its neighbours'
};

}  // namespace

std::unique_ptr<Program> ChocoParams::program(Node& node) const { return std::make_unique<ChocoWorker>(*this, node); }

// --- before a run ---

double sent_share(const ChocoParams& params) {
  return std::visit(
      [](const auto& values) {
        if constexpr (requires { values.fraction; }) return values.fraction;
        return 1.0;
      },
      params.codec);
}

// A value with its index takes twice the bytes of a value; random indices are drawn alike by sender and receiver.
double wire_share(const ChocoParams& params) {
  return std::min(1.0, sent_share(params) * (std::holds_alternative<LargestDifferences>(params.codec) ? 2 : 1));
}

void ChocoParams::fill_defaults(const Cluster* cluster) {
  if (!consensus_rate) consensus_rate = sent_share(*this);
  if (cluster != nullptr) graph::fill_defaults(topology, cluster->workers);
}

Traffic ChocoParams::traffic(const Cluster& cluster) const {
  return comm::traffic_along(comm::graph_of(topology, degree, cluster), wire_share(*this));
}

// Assumes public copies that equal the models; compression slows the first rounds.
std::optional<graph::Consensus> ChocoParams::consensus(const Cluster& cluster) const {
  return graph::consensus_of(comm::graph_of(topology, degree, cluster), consensus_rate.value());
}

std::vector<SettingError> ChocoParams::errors(const Surroundings& around) const {
  return comm::errors_in(topology, degree, on_failure, around,
                         {.undirected = "neighbours must know each other's copies"});
}

}  // namespace ddl::systems
