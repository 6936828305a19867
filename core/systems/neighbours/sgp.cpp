// Stochastic gradient push (Assran et al., ICML 2019, algorithms 1 and 2): every worker holds a share x of the models'
// sum and a share w of their number, and z = x / w is its model.
//
//   worker i, round k:
//     1  g = gradient(z);  x = step(x, g)
//     2  p = 1 / (1 + targets of round k);  send (p x, p w) to the targets of round k;  x = p x;  w = p w
//     3  add the parts sent in round k, waiting for them (overlap: those of round k - 1);  z = x / w
#include "core/systems/neighbours/sgp.hpp"

#include <algorithm>

#include "core/comm/push_sum.hpp"
#include "core/membership/round_entry.hpp"

namespace ddl::systems {
namespace {

class SgpWorker : public Program {
 public:
  SgpWorker(const SgpParams& params, Node& node)
      : node_(node),
        neighbours_(membership::neighbour_exchange(node, params.topology, params.degree, params.on_failure)),
        sum_(node, *neighbours_, params.overlap) {}

  void run() override {
    neighbours_->enter();
    while (node_.next_step()) {
      const Gradient gradient = node_.gradient();
      sum_.apply(gradient);  // 1
      sum_.send();           // 2
      sum_.receive();        // 3
      node_.finish_step();
    }
    neighbours_->leave();
  }

 private:
  Node& node_;
  const std::unique_ptr<comm::NeighbourExchange> neighbours_;
  comm::PushSum sum_;
};

}  // namespace

std::unique_ptr<Program> SgpParams::program(Node& node) const { return std::make_unique<SgpWorker>(*this, node); }

Traffic SgpParams::traffic(const Cluster& cluster) const {
  return comm::traffic_along(comm::graph_of(topology, degree, cluster), 1);
}

std::optional<graph::Consensus> SgpParams::consensus(const Cluster& cluster) const {
  const graph::Graph graph = comm::graph_of(topology, degree, cluster);
  for (int round = 0; round < graph.rounds(); ++round) {
    if (!graph.is_even(round)) return graph::consensus_of_push_sum(graph, overlap);
  }
  return graph::consensus_of(graph, 1, overlap);
}

// On other graphs a worker cannot know how much of the sums absent hosts have taken with them.
std::string SgpParams::all_hosts_for() const {
  const bool is_even = std::ranges::all_of(topology.rounds(degree), [](const graph::GraphObject& graph) {
    return graph.type && graph::is_regular(*graph.type);
  });
  return is_even ? "" : "this topology";
}

void SgpParams::fill_defaults(const Cluster* cluster) {
  if (cluster != nullptr) graph::fill_defaults(topology, cluster->workers);
}

std::vector<SettingError> SgpParams::errors(const Surroundings& around) const {
  return comm::errors_in(topology, degree, on_failure, around, {.pushes = true});
}

}  // namespace ddl::systems
