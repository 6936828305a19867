// What is known of federated averaging before it runs.
#include <string>

#include "core/comm/sharded_model.hpp"
#include "core/systems/servers/fedavg.hpp"

namespace ddl::systems {

Traffic FedavgParams::traffic(const Cluster& cluster) const {
  return comm::pull_and_push(cluster, Pace::free, 1.0 / local_steps);
}

std::vector<SettingError> FedavgParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list = errors_in(on_failure, failure_timeout);
  if (on_failure == OnFailure::time_out && around.servers > 1) {
    list.insert(list.begin(),
                {"on_failure",
                 "\"time_out\" at several servers, which would give up different workers and no longer agree on the "
                 "workers of a round; expected one server, \"wait\" or \"go_on\""});
  }
  const double count = sampled.value_or(1);
  if (count >= 1 && (count > around.workers || count != static_cast<double>(static_cast<int>(count)))) {
    list.push_back({"sampled", "is not a number of this platform's " + std::to_string(around.workers) +
                                   " workers; expected a share below 1 or a whole count"});
  }
  return list;
}

}  // namespace ddl::systems
