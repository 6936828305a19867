// Decentralized synchronous SGD (Lian et al., NIPS 2017, algorithm 1): every worker averages its model with its
// neighbours' and applies its own gradient, taken at its model before the averaging. It waits for its neighbours'
// models of the same round, never for all workers.
//
//   worker i, round k:
//     1  send x_i to all neighbours                        (overlap: here; else after 2)
//     2  g = gradient(x_i)
//     3  wait for x_j of round k from all neighbours;  x_i = sum over j of W_ij x_j
//     4  x_i = step(x_i, g)                                (combine after: before x_i is sent)
//
// W is doubly stochastic, so the mean model moves by the mean of the gradients exactly.
#include "core/systems/neighbours/d_psgd.hpp"

#include "core/membership/round_entry.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

class DPsgdWorker : public Program {
 public:
  DPsgdWorker(const DPsgdParams& params, Node& node)
      : node_(node),
        params_(params),
        neighbours_(membership::neighbour_exchange(node, params.topology, params.degree, params.on_failure)) {}

  void run() override {
    neighbours_->enter();
    while (node_.next_step()) {
      if (params_.overlap) send_model();                              // 1
      const Gradient gradient = node_.gradient();                     // 2
      if (params_.combine == Combine::after) node_.apply(gradient);   // 4
      if (!params_.overlap) send_model();                             // 1
      const std::vector<Message> models = neighbours_->receive();     // 3
      neighbours_->average(node_.weights(), models);                  // 3
      if (params_.combine == Combine::before) node_.apply(gradient);  // 4
      node_.finish_step();
    }
    neighbours_->leave();
  }

 private:
  void send_model() {
    neighbours_->send({.values = node_.weights().snapshot(), .wire_bytes = node_.cluster().model_bytes});
  }

  Node& node_;
  const DPsgdParams params_;
  const std::unique_ptr<comm::NeighbourExchange> neighbours_;
};

}  // namespace

std::unique_ptr<Program> DPsgdParams::program(Node& node) const { return std::make_unique<DPsgdWorker>(*this, node); }

Traffic DPsgdParams::traffic(const Cluster& cluster) const {
  return comm::traffic_along(comm::graph_of(topology, degree, cluster), 1);
}

std::optional<graph::Consensus> DPsgdParams::consensus(const Cluster& cluster) const {
  return graph::consensus_of(comm::graph_of(topology, degree, cluster));
}

void DPsgdParams::fill_defaults(const Cluster* cluster) {
  if (cluster != nullptr) graph::fill_defaults(topology, cluster->workers);
}

std::vector<SettingError> DPsgdParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list = comm::errors_in(topology, degree, on_failure, around, {});
  if (overlap && combine == Combine::after) {
    list.push_back({"overlap",
                    "true, but with combine \"after\" models are sent once the gradient is known; "
                    "expected false, or combine \"before\""});
  }
  return list;
}

}  // namespace ddl::systems
