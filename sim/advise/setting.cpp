#include "sim/advise/setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/model.hpp"
#include "sim/jobs/process/child.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/platform/network_plan.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/run/forecast.hpp"

namespace ddl::advise {
namespace {

constexpr int most_nodes = 64;  // between which routes are looked at

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

// Of the first most_nodes nodes.
void for_each_route(const platform::Fabric& fabric, const auto& look) {
  const int nodes = std::min(fabric.node_count(), most_nodes);
  for (int source = 0; source < nodes; ++source) {
    for (int target = 0; target < nodes; ++target) {
      if (source == target) continue;
      try {
        look(fabric.find_route(source, target));
      } catch (const InputError&) {
        // A file need not have all routes.
      }
    }
  }
}

std::string network_text(const platform::Fabric& fabric) {
  Range bandwidths, latencies;
  for_each_route(fabric, [&](const platform::Route& route) { latencies.add(route.latency_s); });
  for (const platform::LinkInfo& link : fabric.links()) bandwidths.add(link.bandwidth_bytes_per_s);
  std::string text = counted(fabric.worker_count(), "worker");
  if (fabric.server_count() > 0) text += " and " + counted(fabric.server_count(), "server");
  if (!bandwidths.empty()) text += "; links of " + range_text(bandwidths, bandwidth_text);
  if (!latencies.empty()) {
    text += "; latency of a route, one way, " + range_text(latencies, results::readable_seconds);
  }
  return fmt::format("Network: {}; network model {}.", text, ddl::name_of(fabric.network_plan().model));
}

bool would_packets_be_nearer(const platform::Fabric& fabric) {
  if (fabric.network_plan().model != scenario::NetworkModel::TCP) return false;
  platform::RouteKind kind = platform::RouteKind::near_and_quick;
  for_each_route(fabric, [&](const platform::Route& route) {
    double narrowest = std::numeric_limits<double>::infinity();
    for (const int link : route.links) {
      narrowest = std::min(narrowest, fabric.links()[static_cast<std::size_t>(link)].bandwidth_bytes_per_s);
    }
    kind = std::max(kind, platform::kind_of_route(narrowest, route.latency_s));
  });
  return kind >= platform::RouteKind::far;
}

// Throws InputError where the platform, or what else the scenario sets, is not for packets.
void build_for_packets(scenario::Scenario scenario) {
  scenario.platform.network.model = scenario::NetworkModel::packets;
  const platform::Fabric fabric(scenario);
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

Setting setting_of(const scenario::Scenario& scenario) {
  Setting setting{.lines = {training_text(scenario)}};
  try {
    const auto network = nlohmann::json::parse(process::in_child([&] {
      const platform::Fabric fabric(scenario);
      return nlohmann::json{{"text", network_text(fabric)},
                            {"model", std::string(ddl::name_of(fabric.network_plan().model))},
                            {"packets_are_nearer", would_packets_be_nearer(fabric)}}
          .dump();
    }));
    setting.lines.push_back(network["text"]);
    setting.network_model = network["model"];
    if (!network["packets_are_nearer"]) return setting;
    process::in_child([&] {
      build_for_packets(scenario);
      return std::string();
    });
    setting.check_with_packets = true;
  } catch (const InputError&) {
    // Each candidate that needs more of the platform says what is wrong with it.
  }
  return setting;
}

std::vector<OtherCondition> other_conditions(const scenario::Scenario& scenario, bool packets) {
  const auto times = [](double factor, double own) { return fmt::format("{}", factor * own); };
  const double bandwidth = scenario.platform.bandwidth_factor, latency = scenario.platform.latency_factor;
  std::vector<OtherCondition> list;
  if (packets) list.push_back({"packet by packet", {"platform.network.model", R"("packets")"}, true});
  list.push_back({"bandwidth halved", {"platform.bandwidth_factor", times(0.5, bandwidth)}});
  list.push_back({"bandwidth doubled", {"platform.bandwidth_factor", times(2, bandwidth)}});
  list.push_back({"latency halved", {"platform.latency_factor", times(0.5, latency)}});
  list.push_back({"latency doubled", {"platform.latency_factor", times(2, latency)}});
  return list;
}

double cost_ratio(const scenario::Scenario& first, const scenario::Scenario& second) {
  const auto cost_s = [](const scenario::Scenario& scenario) {
    const std::string forecast = process::in_child([&] { return run::forecast_as_bytes(scenario); });
    return run::forecast_from(forecast).cost.core_s();
  };
  try {
    return cost_s(first) / cost_s(second);
  } catch (const InputError&) {
    return 1;  // the run will say what is wrong
  }
}

}  // namespace ddl::advise
