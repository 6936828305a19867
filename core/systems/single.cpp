// Minibatch SGD (Robbins and Monro, 1951).
//
//   1  x = step(x, gradient(x))
#include "core/systems/single.hpp"

#include <algorithm>
#include <string>

#include "core/base/check.hpp"
#include "core/base/per_node.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

void train(Node& node) {
  while (node.next_step()) {
    const Gradient gradient = node.gradient();
    node.apply(gradient);  // 1
    node.finish_step();
  }
}

}  // namespace

void SingleParams::worker(Node& node) const {
  if (node.id() == training_worker(node.cluster().worker_names)) train(node);
}

int SingleParams::training_worker(const std::vector<std::string>& worker_names) const {
  if (!worker_name) return 0;
  const auto place = std::ranges::find(worker_names, *worker_name);
  check(place != worker_names.end(), "the worker that trains is one of the platform's");
  return static_cast<int>(place - worker_names.begin());
}

Traffic SingleParams::traffic(const Cluster& cluster) const {
  PerNode<double> shares(cluster.workers);
  shares[training_worker(cluster.worker_names)] = 1;
  return {.pace = Pace::free, .phases = {}, .compute_shares = std::move(shares)};
}

void SingleParams::fill_defaults(const Cluster* cluster) {
  if (cluster != nullptr && !worker_name) worker_name = cluster->worker_names.front();
}

std::vector<SettingError> SingleParams::errors(const Surroundings& around) const {
  const auto& names = around.worker_names;
  if (!worker_name || names.empty() || std::ranges::find(names, *worker_name) != names.end()) return {};
  return {{"worker",
           "\"" + *worker_name + "\" is no worker of the platform; expected one such as \"" + names.front() + "\""}};
}

void AloneParams::worker(Node& node) const { train(node); }

Traffic AloneParams::traffic(const Cluster&) const { return {}; }

}  // namespace ddl::systems
