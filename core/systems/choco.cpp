// Neighbours know of each worker's model a public copy only, and are sent what it lacks, compressed. What compression
// leaves out stays in the difference and is sent later; the copies come to agree with the models as these come to rest.
//
//   worker i, round k:                                                        [Koloskova et al. 2020, algorithm 2]
//     x_i = step(x_i, gradient(x_i))
//     q_i = C(x_i - p_i);  send q_i to all neighbours
//     p_j += q_j for itself and all neighbours j, waiting for those of the round      (all p start at 0)
//     x_i += gamma * sum over j of W_ij (p_j - p_i)
//
// W is symmetric and all nodes hold the same p_j, so the moves add up to nothing and the mean of the models is kept.
// A neighbour that starts in the middle is sent p_i whole, and its own p starts at 0 again.
//
// Without compression p_j = x_j, and with gamma = 1 this is D-PSGD that combines after.
#include "core/systems/choco.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/codec/encoder.hpp"
#include "core/comm/neighbour_exchange.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

// The share of the values that travels.
double share_of(const ChocoParams& params) {
  return params.compressor == CompressionOperator::none ? 1 : params.fraction.value_or(0.1);
}

// A value and its index are twice as much as a value; random indices are drawn alike by sender and receiver.
double wire_share_of(const ChocoParams& params) {
  return std::min(1.0, share_of(params) * (params.compressor == CompressionOperator::top_k ? 2 : 1));
}

class ChocoWorker : public Program {
 public:
  ChocoWorker(const ChocoParams& params, Node& node)
      : node_(node),
        params_(params),
        gamma_(params.consensus_rate.value_or(share_of(params))),
        rounds_(node, params.topology, params.degree, params.on_failure),
        random_(node.rng("compressor")) {
    const Cluster& cluster = node.cluster();
    const std::size_t length = cluster.timing_only ? 0 : cluster.parameters;
    copies_[node.id()].resize(length);
    for (const int neighbour : rounds_.graph().sources(node.id(), 0)) copies_[neighbour].resize(length);
  }

  void run() override {
    rounds_.enter();
    while (node_.next_step()) {
      const Gradient gradient = node_.gradient();
      node_.apply(values_of(gradient.values));
      rounds_.settle();
      const Payload difference = compressed_difference();
      add_scaled(copies_[node_.id()], values_of(difference));
      rounds_.send({.values = difference, .wire_bytes = wire_bytes()}, [this] { return whole_copy(); });
      const std::vector<Message> messages = rounds_.receive(rounds_.round());
      for (const Message& message : messages) {
        if (rounds_.enters(message.source, rounds_.round())) fill_zero(std::span<float>(copies_[message.source]));
        add_scaled(copies_[message.source], values_of(message.values));
      }
      approach(messages);
      node_.finish_step();
    }
    rounds_.leave();
  }

 private:
  std::uint64_t wire_bytes() const {
    return static_cast<std::uint64_t>(
        std::ceil(wire_share_of(params_) * static_cast<double>(node_.cluster().model_bytes)));
  }

  // For a neighbour that knows none: it has missed what this one is made of.
  Message whole_copy() {
    const std::vector<float>& copy = copies_[node_.id()];
    return {.values = copy.empty() ? nullptr : make_payload(copy), .wire_bytes = node_.cluster().model_bytes};
  }

  Payload compressed_difference() {
    const auto model = node_.weights().read();
    if (model.empty()) return nullptr;
    std::vector<float> difference(model.begin(), model.end());
    add_scaled(difference, copies_[node_.id()], -1);
    compress(difference);
    return make_payload(std::move(difference));
  }

  // Sets to zero what does not travel.
  void compress(std::vector<float>& values) {
    if (params_.compressor == CompressionOperator::none) return;
    const auto kept = static_cast<std::size_t>(std::ceil(share_of(params_) * static_cast<double>(values.size())));
    params_.compressor == CompressionOperator::top_k ? codec::keep_largest(values, kept)
                                                     : codec::keep_random(values, kept, random_);
  }

  // Towards those who took part in the round: one who has left moves no more, so nobody moves towards it.
  void approach(const std::vector<Message>& messages) {
    const auto model = node_.weights().write();
    const auto step = static_cast<float>(gamma_ * rounds_.graph().weight(rounds_.round()));
    for (const Message& message : messages) {
      add_scaled(model, copies_[message.source], step);
      add_scaled(model, copies_[node_.id()], -step);
    }
  }

  Node& node_;
  const ChocoParams params_;
  const double gamma_;
  comm::Rounds rounds_;
  Stream random_;
  std::map<int, std::vector<float>> copies_;  // of this node's model and its neighbours', as all of them know it
};

}  // namespace

std::unique_ptr<Program> ChocoParams::program(Node& node) const { return std::make_unique<ChocoWorker>(*this, node); }

Traffic ChocoParams::traffic(const Cluster& cluster) const {
  return comm::traffic_along(topology, degree, cluster, wire_share_of(*this));
}

std::vector<SettingError> ChocoParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list = comm::errors_in(topology, degree, on_failure, around.workers);
  if (!graph::is_undirected(topology)) {
    list.push_back({"topology", "\"" + std::string(name_of(topology)) +
                                    "\" is directed or changes, and neighbours must know each other's copies; "
                                    "expected an undirected graph such as \"ring\""});
  }
  if (fraction && compressor == CompressionOperator::none) {
    list.push_back({"fraction", "is given, but compressor \"none\" sends all values; expected no such key"});
  }
  return list;
}

}  // namespace ddl::systems
