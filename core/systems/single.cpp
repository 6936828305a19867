// Minibatch SGD (Robbins and Monro, 1951).
//
//   1  x = step(x, gradient(x))
#include "core/systems/single.hpp"

#include <string>

#include "core/node/vectors.hpp"

namespace ddl::systems {

void SingleParams::worker(Node& node) const {
  while (node.next_step()) {
    const Gradient gradient = node.gradient();
    node.apply(values_of(gradient.values));  // 1
    node.finish_step();
  }
}

Traffic SingleParams::traffic(const Cluster&) const { return {}; }

std::vector<SettingError> SingleParams::errors(const Surroundings& around) const {
  if (around.workers == 1) return {};
  return {{"name", "\"single\" trains on 1 worker, the platform has " + std::to_string(around.workers)}};
}

}  // namespace ddl::systems
