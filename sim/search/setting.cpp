#include "sim/search/setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/model.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/process/child.hpp"
#include "sim/results/writing/readable.hpp"

namespace ddl::search {
namespace {

constexpr int most_nodes = 64;        // between which routes are looked at
constexpr double distance_s = 0.001;  // from here on, latencies count beside queues

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  void add(double value) { least = std::min(least, value), most = std::max(most, value); }
  bool empty() const { return least > most; }
};

std::string bandwidth_text(double bytes_per_s) {
  const double mbit = 8 * bytes_per_s / 1e6;
  return mbit >= 1000 ? fmt::format("{:.4g} Gbit/s", mbit / 1000) : fmt::format("{:.3g} Mbit/s", mbit);
}

std::string range_text(const Range& range, const auto& shown) {
  const std::string least = shown(range.least), most = shown(range.most);
  return least == most ? least : least + " to " + most;
}

std::string network_text(const scenario::Scenario& scenario) {
  const platform::Fabric fabric(scenario);
  Range bandwidths, latencies;
  for (const platform::LinkInfo& link : fabric.links()) bandwidths.add(link.bandwidth_bytes_per_s);
  const int nodes = std::min(fabric.node_count(), most_nodes);
  for (int source = 0; source < nodes; ++source) {
    for (int target = 0; target < nodes; ++target) {
      if (source != target) latencies.add(fabric.find_route(source, target).latency_s);
    }
  }
  std::string text = counted(fabric.worker_count(), "worker");
  if (fabric.server_count() > 0) text += " and " + counted(fabric.server_count(), "server");
  if (!bandwidths.empty()) text += "; links of " + range_text(bandwidths, bandwidth_text);
  if (!latencies.empty()) {
    text += "; latency of a route, one way, " + range_text(latencies, results::readable_seconds);
  }
  text = "Network: " + text + ".";
  const bool packets_can = static_cast<std::size_t>(fabric.node_count()) <= platform::most_nodes_of_packets;
  if (fabric.network_plan().model == scenario::NetworkModel::TCP && latencies.most >= distance_s && packets_can) {
    text +=
        " Messages take the times of the model TCP; over such distances, check the answer with --set "
        "platform.network.model=packets.";
  }
  return text;
}

std::string training_text(const scenario::Scenario& scenario) {
  const data::DataShape shape = data::data_shape(scenario.data.source);
  const auto parameters = static_cast<double>(nn::Model(scenario.model, shape.shape, shape.classes).parameter_count());
  const double bytes = scenario.wire.model_bytes ? scenario.wire.model_bytes->value : sizeof(float) * parameters;
  std::string samples = " data, all training samples";
  if (scenario.data.train || scenario.data.source == data::DataSource::synthetic) {
    samples = " data, " + counted(scenario.data.train.value_or(data::synthetic_training_samples), "training sample");
  }
  const std::string batch = scenario.compute.seconds_per_batch
                                ? results::readable_seconds(scenario.compute.seconds_per_batch->value) + " each"
                                : std::string("whose time follows from the hosts' speed");
  return fmt::format(
      "Training: {} s of simulated time (stop.time); {}{}; minibatches of {}, {}; the model is {} on the wire.",
      with_separators(fmt::format("{}", scenario.stop.time->value)), ddl::name_of(scenario.data.source), samples,
      scenario.training.batch_size, batch, results::readable_bytes(bytes));
}

}  // namespace

std::vector<std::string> setting_of(const scenario::Scenario& scenario) {
  std::vector<std::string> lines = {training_text(scenario)};
  try {
    lines.push_back(process::in_child([&] { return network_text(scenario); }));
  } catch (const InputError&) {
    // Each candidate that needs more of the platform says what is wrong with it.
  }
  return lines;
}

}  // namespace ddl::search
