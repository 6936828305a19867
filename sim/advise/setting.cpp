#include "sim/advise/setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/model.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/platform/network_plan.hpp"
#include "sim/process/child.hpp"
#include "sim/results/reading/finished_run.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/run/run.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::advise {
namespace {

constexpr int most_nodes = 64;  // between which routes are looked at
const std::string bandwidth_path = "platform.bandwidth_factor";

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  void add(double value) { least = std::min(least, value), most = std::max(most, value); }
  bool empty() const { return least > most; }
};

std::string range_text(const Range& range, const auto& shown) {
  const std::string least = shown(range.least), most = shown(range.most);
  return least == most ? least : least + " to " + most;
}

// What the parent needs of a network: a line on it, its model, and whether packets would be nearer to measured times.
nlohmann::json network_of(const platform::Fabric& fabric) {
  Range bandwidths, latencies;
  platform::RouteKind kind = platform::RouteKind::near_and_quick;
  const auto bandwidth = [&](int link) { return fabric.links()[static_cast<std::size_t>(link)].bandwidth_bytes_per_s; };
  const int nodes = std::min(fabric.node_count(), most_nodes);
  for (int pair = 0; pair < nodes * nodes; ++pair) {
    if (pair / nodes == pair % nodes) continue;
    try {
      const platform::Route& route = fabric.find_route(pair / nodes, pair % nodes);
      if (route.within_host()) continue;
      latencies.add(route.latency_s);
      Range of_route;
      for (const int link : route.links) of_route.add(bandwidth(link));
      kind = std::max(kind, platform::kind_of_route(of_route.least, route.latency_s));
    } catch (const InputError&) {
      // A file need not have all routes.
    }
  }
  for (const platform::LinkInfo& link : fabric.links()) bandwidths.add(link.bandwidth_bytes_per_s);
  std::string text = counted(fabric.worker_count(), "worker");
  if (fabric.server_count() > 0) text += " and " + counted(fabric.server_count(), "server");
  if (!bandwidths.empty()) text += "; links of " + range_text(bandwidths, bandwidth_text);
  if (!latencies.empty()) {
    text += "; latency of a route, one way, " + range_text(latencies, results::readable_seconds);
  }
  const scenario::NetworkModel model = fabric.network_plan().model;
  const bool nearer = model == scenario::NetworkModel::TCP && kind >= platform::RouteKind::far;
  return {{"text", "Network: " + text}, {"model", std::string(ddl::name_of(model))}, {"packets_are_nearer", nearer}};
}

// What a whole model is on the wire; none where only a program knows.
std::optional<double> model_bytes_of(const scenario::Scenario& scenario) {
  if (scenario.wire.model_bytes) return scenario.wire.model_bytes->value;
  if (scenario.program) return std::nullopt;
  const data::DataShape shape = data_shape_of(scenario);
  return sizeof(float) * static_cast<double>(nn::Model(scenario.model, shape.shape, shape.classes).parameter_count());
}

std::string training_text(const scenario::Scenario& scenario) {
  std::string samples = " data, all training samples";
  if (scenario.program) {
    samples = "'s data and model";
  } else if (scenario.data.train || scenario.data.source == data::DataSource::synthetic) {
    samples = " data, " + counted(scenario.data.train.value_or(data::synthetic_training_samples), "training sample");
  }
  const std::string batch = scenario.compute.seconds_per_batch
                                ? results::readable_seconds(scenario.compute.seconds_per_batch->value) + " each"
                                : std::string("whose time follows from the hosts' speed");
  const auto bytes = model_bytes_of(scenario);
  return fmt::format(
      "Training: {} s of simulated time (stop.time); {}{}; minibatches of {}, {}; the model is {} on the wire.",
      with_separators(fmt::format("{}", scenario.stop.time->value)),
      scenario.program ? scenario::command_of(*scenario.program) : std::string(ddl::name_of(scenario.data.source)),
      samples, scenario.training.batch_size, batch,
      bytes ? results::readable_bytes(*bytes) : "4 bytes for each of its parameters");
}

}  // namespace

std::string bandwidth_text(double bytes_per_s) {
  const double mbit = 8 * bytes_per_s / 1e6;
  return mbit >= 1000 ? fmt::format("{:.4g} Gbit/s", mbit / 1000) : fmt::format("{:.3g} Mbit/s", mbit);
}

Setting setting_of(const scenario::Scenario& scenario) {
  Setting setting{.lines = {training_text(scenario)}};
  try {
    const auto network =
        nlohmann::json::parse(process::in_child([&] { return network_of(platform::Fabric(scenario)).dump(); }));
    setting.network_model = network["model"];
    const bool open = scenario.platform.network.model == scenario::NetworkModel::automatic;
    const bool instead = open && setting.network_model == ddl::name_of(scenario::NetworkModel::packets);
    if (instead) setting.network_model = ddl::name_of(scenario::NetworkModel::TCP);
    setting.lines.push_back(fmt::format("{}; network model {}{}.", network["text"].get<std::string>(),
                                        setting.network_model, instead ? ", the quick one" : ""));
    setting.check_with_packets = instead;
    if (!network["packets_are_nearer"]) return setting;
    scenario::Scenario with_packets = scenario;
    with_packets.platform.network.model = scenario::NetworkModel::packets;
    process::in_child([&] { return std::to_string(platform::Fabric(with_packets).node_count()); });
    setting.check_with_packets = true;
  } catch (const InputError&) {
    // Of a platform that cannot be built, or not for packets. Candidates that need it say what is wrong.
  }
  return setting;
}

std::vector<OtherCondition> conditions_of(const scenario::Scenario& scenario, bool packets) {
  std::vector<OtherCondition> list = {{"as given"}};
  if (packets) list.push_back({"packet by packet", {{"platform.network.model", R"("packets")"}}, true});
  const auto add = [&](const char* what, const std::string& path, const auto& text, OtherCondition more) {
    for (const auto& [word, factor] : {std::pair("halved", 0.5), {"doubled", 2.0}}) {
      more.name = fmt::format("{} {}", what, word);
      more.changes = {{path, text(factor)}};
      if (path == bandwidth_path) more.bandwidth = factor;
      list.push_back(more);
    }
  };
  const auto factor_of = [](double own) { return [own](double factor) { return fmt::format("{}", factor * own); }; };
  const auto quantity_of = [](double own, scenario::Dimension dimension) {
    return [=](double factor) { return '"' + scenario::write_quantity(factor * own, dimension) + '"'; };
  };
  add("bandwidth", bandwidth_path, factor_of(scenario.platform.bandwidth_factor), {});
  const auto& seconds = scenario.compute.seconds_per_batch;
  if (seconds) {
    const std::string key = "compute.seconds_per_batch";
    add("seconds a batch", key, quantity_of(seconds->value, scenario::Dimension::time),
        {.name = {}, .costs_more = true, .for_all = true, .guess = key});
  }
  if (const auto bytes = model_bytes_of(scenario)) {
    add("model bytes", "wire.model_bytes", quantity_of(*bytes, scenario::Dimension::size),
        {.name = {}, .guess = "wire.model_bytes"});
  }
  add("latency", "platform.latency_factor", factor_of(scenario.platform.latency_factor), {});
  return list;
}

std::vector<OtherCondition> other_bandwidths(const scenario::Scenario& scenario) {
  std::vector<OtherCondition> list;
  for (const double factor : {0.25, 0.125, 0.0625, 4.0, 8.0}) {
    const std::string value = fmt::format("{}", factor * scenario.platform.bandwidth_factor);
    list.push_back(
        {.name = fmt::format("bandwidth x {:.3g}", factor), .changes = {{bandwidth_path, value}}, .bandwidth = factor});
  }
  return list;
}

Usage usage_in(const std::filesystem::path& folder) {
  const results::FinishedRun run = results::read_finished(folder);
  Usage usage;
  usage.computing = run.measure("compute_utilisation").value_or(0);
  usage.staleness = run.measure("staleness.mean");
  usage.utilisation = run.measure("busiest_link.utilisation").value_or(0);
  const double seconds = run.measure("simulated_seconds").value_or(0);
  if (run.busiest_link.empty() || usage.utilisation <= 0 || seconds <= 0) return usage;
  usage.link = run.busiest_link.substr(0, run.busiest_link.rfind(' '));
  std::map<std::string, double> hourly;
  double least = std::numeric_limits<double>::infinity();
  results::read_rows<run::TrafficRow>(folder, [&](const run::TrafficRow& row) {
    hourly[row.link] += row.bytes * 3600 / seconds;
    if (row.utilisation <= 0) return;
    const double bandwidth = row.bytes / seconds / row.utilisation;
    if (row.link + " " + row.direction == run.busiest_link) usage.bandwidth_bytes_per_s = bandwidth;
    constexpr double rounding = 1e-6;
    // The busiest of those as slow comes first.
    const bool as_slow = row.link == usage.link && bandwidth < (1 + rounding) * least;
    if (bandwidth < (1 - rounding) * least || as_slow) least = bandwidth, usage.slowest = row.link;
  });
  usage.bytes_per_hour = hourly[usage.slowest];
  return usage;
}

double cost_ratio(const scenario::Scenario& first, const scenario::Scenario& second) {
  try {
    const auto after_start = [](const run::Cost& cost) { return cost.core_s() - cost.start_s; };
    return after_start(run::forecast_of(first).cost) / after_start(run::forecast_of(second).cost);
  } catch (const InputError&) {
    return 1;  // the run will say what is wrong
  }
}

}  // namespace ddl::advise
