// What is known of CHOCO-SGD before it runs.
#include <algorithm>

#include "core/comm/neighbour_exchange.hpp"
#include "core/systems/neighbours/choco.hpp"

namespace ddl::systems {

double ChocoParams::share() const {
  return std::visit(
      [](const auto& values) {
        if constexpr (requires { values.fraction; }) return values.fraction;
        return 1.0;
      },
      codec);
}

// A value and its index are twice as much as a value; random indices are drawn alike by sender and receiver.
double ChocoParams::wire_share() const {
  return std::min(1.0, share() * (std::holds_alternative<LargestDifferences>(codec) ? 2 : 1));
}

Traffic ChocoParams::traffic(const Cluster& cluster) const {
  return comm::traffic_along(topology, degree, cluster, wire_share());
}

// Of models that their public copies agree with; what compression leaves out comes later and slows the first rounds.
graph::Consensus ChocoParams::consensus(const Cluster& cluster) const {
  return comm::consensus_along(topology, degree, cluster, gamma());
}

std::vector<SettingError> ChocoParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list = comm::errors_in(topology, degree, on_failure, around.workers);
  if (!graph::is_undirected(topology)) {
    list.push_back({"topology", "\"" + std::string(name_of(topology)) +
                                    "\" is directed or changes, and neighbours must know each other's copies; "
                                    "expected an undirected graph such as \"ring\""});
  }
  return list;
}

}  // namespace ddl::systems
