#include "core/node/system.hpp"

#include <string>
#include <utility>

namespace ddl {
namespace {

// A program whose workers and servers are functions of the settings.
class FunctionProgram final : public Program {
 public:
  FunctionProgram(std::unique_ptr<const System> system, Node& node) : system_(std::move(system)), node_(node) {}
  void run() override { node_.is_worker() ? system_->worker(node_) : system_->server(node_); }

 private:
  const std::unique_ptr<const System> system_;
  Node& node_;
};

}  // namespace

std::unique_ptr<Program> System::program(Node& node) const { return std::make_unique<FunctionProgram>(clone(), node); }

NeededSlices System::needed_slices(const Surroundings& around) const {
  if (facts().one_model) return {Slices::once, "each worker has a part of it", "another system"};
  if (!facts().needs_servers || around.servers < 2) return {};
  return {Slices::once, "each of " + std::to_string(around.servers) + " servers has a part of it", "one server"};
}

std::vector<int> System::model_holders(const Cluster& cluster) const {
  std::vector<int> holders;
  if (facts().one_model) {
    for (int worker = 0; worker < cluster.workers; ++worker) holders.push_back(worker);
  } else if (facts().needs_servers) {
    for (int server = 0; server < cluster.servers; ++server) holders.push_back(cluster.workers + server);
  }
  return holders;
}

Traffic traffic_of(const System& system, const nn::Model* model, const Cluster& cluster) {
  return system.facts().one_model ? system.split_traffic(model, cluster) : system.traffic(cluster);
}

MemoryUse memory_use_of(const System& system, const nn::Model* model, std::size_t parameters, int workers) {
  return system.facts().one_model ? system.split_memory(model, workers) : system.memory(parameters, workers);
}

std::optional<graph::Consensus> consensus_of(const System& system, const Cluster& cluster) {
  if (cluster.workers < 2 || cluster.workers > graph::most_nodes_of_consensus) return std::nullopt;
  return system.consensus(cluster);
}

}  // namespace ddl
