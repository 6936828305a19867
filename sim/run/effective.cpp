#include "sim/run/effective.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/shape.hpp"
#include "core/nn/math_mode.hpp"
#include "sim/run/cluster.hpp"

namespace ddl::run {
namespace {

// Servers take their turn in the list of bandwidths after the workers. A mesh deals these to pairs of hosts, so its
// servers have one only if the list has one entry.
void fill(scenario::GeneratedPlatform& hosts) {
  if (hosts.servers == 0 || !hosts.server_bandwidth.empty()) return;
  if (hosts.topology == scenario::Topology::mesh && hosts.bandwidth.size() > 1) return;
  const auto turn = [&](int node) { return hosts.bandwidth[unsigned_of(node) % hosts.bandwidth.size()]; };
  for (int node = hosts.workers; node < hosts.workers + hosts.servers; ++node) {
    hosts.server_bandwidth.push_back(turn(node));
  }
  const auto is_first = [&](BytesPerSecond one) { return one == hosts.server_bandwidth.front(); };
  if (std::ranges::all_of(hosts.server_bandwidth, is_first)) hosts.server_bandwidth.resize(1);
}

void fill(scenario::PlatformSpec& platform, const platform::Fabric& fabric) {
  platform.network.model = fabric.network_plan().model;
  if (auto* generated = std::get_if<scenario::GeneratedPlatform>(&platform.hosts)) fill(*generated);
  auto* file = std::get_if<scenario::FilePlatform>(&platform.hosts);
  if (file != nullptr && file->workers.empty()) file->first_workers = fabric.worker_count();
}

void fill(scenario::Fault& fault, const scenario::StopSpec& stop, const std::vector<std::string>& workers) {
  const auto fill_fields = [&](auto& its) {
    if constexpr (requires { its.hosts; }) {
      if (its.hosts.empty()) its.hosts = workers;
    }
  };
  std::visit(fill_fields, fault);
  auto* churn = std::get_if<scenario::HostChurn>(&fault);
  if (churn != nullptr && !churn->until) churn->until = stop.time;
}

void fill_data(scenario::Scenario& scenario, const data::DataSplit& data) {
  if (scenario.own_data) {
    data::DataSpec found = scenario.own_data->spec;
    found.path = scenario.data.path;
    found.test_path = scenario.data.test_path;
    scenario.data = std::move(found);
  }
  scenario.data.train = static_cast<std::int64_t>(data.train.size());
  scenario.data.test = static_cast<std::int64_t>(data.whole_test);
  scenario.evaluate.samples = static_cast<std::int64_t>(data.test.size());
}

// One for all workers, or none.
void fill_time(scenario::Scenario& scenario, const platform::Fabric& fabric, const scenario::LearnedModel* model) {
  const double first_s = batch_seconds(scenario, fabric, 0, model);
  for (int worker = 1; worker < fabric.worker_count(); ++worker) {
    if (batch_seconds(scenario, fabric, worker, model) != first_s) return;
  }
  scenario.compute.seconds_per_batch = Seconds{first_s};
  scenario.compute.seconds_per_sample.reset();
}

}  // namespace

scenario::Scenario effective(const scenario::Scenario& scenario, const platform::Fabric& fabric, const Cluster& cluster,
                             const scenario::LearnedModel* model, const data::DataSplit* data) {
  scenario::Scenario filled = scenario;
  fill(filled.platform, fabric);
  if (data != nullptr) {
    fill_data(filled, *data);
    filled.math.mode = nn::math_that_runs(scenario.math.mode);
  }
  if (model != nullptr && !filled.wire.model_bytes) {
    filled.wire.model_bytes = Bytes{static_cast<double>(cluster.model_bytes)};
  }
  fill_time(filled, fabric, model);
  std::erase_if(filled.compute.slowdown, [](const auto& of_host) { return of_host.second == 1; });
  filled.algorithm.change().fill_defaults(&cluster);
  for (scenario::Fault& fault : filled.faults) fill(fault, filled.stop, cluster.worker_names);
  return filled;
}

}  // namespace ddl::run
