// Every worker averages its model with its neighbours' and applies its own gradient, taken at the model it had before
// the averaging. It waits for its neighbours' models of the same round, never for everybody.
//
//   worker i, round k:                                                            [Lian et al. 2017, algorithm 1]
//     send x_i to all neighbours                 (overlap: here; else after the gradient)
//     g = gradient(x_i)
//     (combine after: x_i = step(x_i, g), then send that)
//     wait for x_j of round k from all neighbours
//     x_i = sum over j of W_ij x_j
//     (combine before: x_i = step(x_i, g))
//
// W_ij = 1 / (1 + degree) is doubly stochastic, so the mean model moves by the mean of the gradients exactly. What a
// neighbour would weigh that has left falls to the worker itself, which keeps W so.
#include "core/systems/d_psgd.hpp"

#include "core/comm/neighbour_exchange.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

class DPsgdWorker : public Program {
 public:
  DPsgdWorker(const DPsgdParams& params, Node& node)
      : node_(node), params_(params), rounds_(node, params.topology, params.degree, params.on_failure) {}

  void run() override {
    rounds_.enter();
    while (node_.next_step()) {
      if (params_.overlap) send_model();
      const Gradient gradient = node_.gradient();
      if (params_.combine == Combine::after) node_.apply(values_of(gradient.values));
      if (!params_.overlap) send_model();
      average();
      if (params_.combine == Combine::before) node_.apply(values_of(gradient.values));
      node_.finish_step();
    }
    rounds_.leave();
  }

 private:
  void send_model() {
    rounds_.settle();
    rounds_.send({.values = node_.weights().snapshot(), .wire_bytes = node_.cluster().model_bytes});
  }

  void average() {
    const std::vector<Message> models = rounds_.receive(rounds_.round());
    if (models.empty()) return;
    const auto each = static_cast<float>(rounds_.graph().weight(rounds_.round()));
    const auto left = rounds_.graph().degree(rounds_.round()) - static_cast<int>(models.size());
    comm::mix(node_.weights().write(), models, node_.id(), static_cast<float>(1 + left) * each, each);
  }

  Node& node_;
  const DPsgdParams params_;
  comm::Rounds rounds_;
};

}  // namespace

std::unique_ptr<Program> DPsgdParams::program(Node& node) const { return std::make_unique<DPsgdWorker>(*this, node); }

Traffic DPsgdParams::traffic(const Cluster& cluster) const { return comm::traffic_along(topology, degree, cluster, 1); }

std::vector<SettingError> DPsgdParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list = comm::errors_in(topology, degree, on_failure, around.workers);
  if (overlap && combine == Combine::after) {
    list.push_back({"overlap",
                    "true, but with combine \"after\" models are sent once the gradient is known; "
                    "expected false, or combine \"before\""});
  }
  return list;
}

}  // namespace ddl::systems
