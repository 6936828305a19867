// What is known of CHOCO-SGD before it runs.
#include <algorithm>

#include "core/comm/neighbour_exchange.hpp"
#include "core/systems/neighbours/choco.hpp"

namespace ddl::systems {

double sent_share(const ChocoParams& params) {
  return std::visit(
      [](const auto& values) {
        if constexpr (requires { values.fraction; }) return values.fraction;
        return 1.0;
      },
      params.codec);
}

// A value and its index are twice as much as a value; random indices are drawn alike by sender and receiver.
double wire_share(const ChocoParams& params) {
  return std::min(1.0, sent_share(params) * (std::holds_alternative<LargestDifferences>(params.codec) ? 2 : 1));
}

double gamma_of(const ChocoParams& params) { return params.consensus_rate.value_or(sent_share(params)); }

Traffic ChocoParams::traffic(const Cluster& cluster) const {
  return comm::traffic_along(topology, degree, cluster, wire_share(*this));
}

// Of models that their public copies agree with; what compression leaves out comes later and slows the first rounds.
std::optional<graph::Consensus> ChocoParams::consensus(const Cluster& cluster) const {
  return comm::consensus_along(topology, degree, cluster, gamma_of(*this));
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
