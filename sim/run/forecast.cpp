#include "sim/run/forecast.hpp"

#include <optional>

#include "core/base/check.hpp"
#include "core/data/dataset.hpp"
#include "core/data/partition.hpp"
#include "core/nn/layer_table.hpp"
#include "core/nn/model.hpp"
#include "sim/run/cluster.hpp"
#include "sim/run/host_schedule.hpp"
#include "sim/run/learning/trainer.hpp"
#include "sim/run/recorded/minibatches.hpp"
#include "sim/run/rows/archive.hpp"
#include "sim/run/workload.hpp"

namespace ddl::run {

template <class A>
void members(A& archive, graph::Consensus& consensus) {
  archive(consensus.factor, consensus.period);
}
template <class A>
void members(A& archive, Cost& cost) {
  archive(cost.start_s, cost.gradients_s, cost.evaluation_s, cost.messages_s, cost.messages_reached);
}
template <class A>
void members(A& archive, SiteForecast& site) {
  archive(site.name, site.workers, site.servers);
}
template <class A>
void members(A& archive, Forecast& forecast) {
  archive(forecast.bounds, forecast.network, forecast.consensus, forecast.platform_notes, forecast.host_notes,
          forecast.system_notes, forecast.sites, forecast.cost, forecast.steps, forecast.model_bytes, forecast.workers,
          forecast.compute_s);
}

namespace {

// Of systems in which every host talks to every other; lower bounds need not list all of that.
void check_all_routes(const platform::Fabric& fabric) {
  if (fabric.worker_count() > most_workers_all_to_all) return;
  for (int source = 0; source < fabric.worker_count(); ++source) {
    for (int target = 0; target < fabric.worker_count(); ++target) static_cast<void>(fabric.find_route(source, target));
  }
}

// Throws InputError where `workers` cannot have shards of so many samples.
void check_partition(const scenario::Scenario& scenario, std::size_t samples, int workers) {
  const auto problem = data::partition_problem(scenario.data.partition, static_cast<std::int64_t>(samples), workers,
                                               scenario.training.batch_size);
  if (problem) throw InputError(std::string("$.data.") + problem->key + ": " + problem->what);
}

// Whether the user has given the hosts speeds that could make a difference.
bool has_speeds(const scenario::Scenario& scenario, const platform::Fabric& fabric) {
  const auto* generated = std::get_if<scenario::GeneratedPlatform>(&scenario.platform.hosts);
  if (generated != nullptr) return generated->speed != scenario::GeneratedPlatform().speed;
  for (int node = 1; node < fabric.node_count(); ++node) {
    if (fabric.speed_flops(node) != fabric.speed_flops(0)) return true;
  }
  return false;
}

// What of speeds and cores does nothing. A speed profile is read as a ratio to its host's speed, which counts there.
std::vector<std::string> host_notes(const scenario::Scenario& scenario, const platform::Fabric& fabric) {
  std::vector<std::string> notes;
  if (scenario.compute.seconds_per_batch && has_speeds(scenario, fabric)) {
    const bool profiled = std::ranges::any_of(scenario.platform.profiles, [](const scenario::Profile& profile) {
      return std::holds_alternative<scenario::SpeedProfile>(profile);
    });
    notes.push_back(std::string("that time holds for every host: the hosts' speeds change nothing") +
                    (profiled ? ", but that a speed profile counts by its ratio to its host's speed" : "") +
                    "; compute.slowdown tells hosts apart");
  }
  for (int node = 0; node < fabric.node_count(); ++node) {
    if (fabric.core_count(node) == 1) continue;
    notes.emplace_back("it takes one core; more, as " + fabric.name(node) +
                       " has, count only where a host computes two things at once");
    break;
  }
  return notes;
}

std::vector<SiteForecast> sites_of(const platform::Fabric& fabric) {
  std::vector<SiteForecast> sites;
  for (const std::string& name : fabric.site_names()) sites.push_back({.name = name, .workers = {}, .servers = {}});
  for (int node = 0; node < fabric.node_count() && !sites.empty(); ++node) {
    SiteForecast& site = sites[static_cast<std::size_t>(fabric.site(node))];
    (node < fabric.worker_count() ? site.workers : site.servers).push_back(fabric.name(node));
  }
  return sites;
}

}  // namespace

Forecast forecast_here(const scenario::Scenario& scenario) {
  const platform::Fabric fabric(scenario);
  [[maybe_unused]] const HostSchedule hosts(scenario, fabric);  // throws where faults cannot be
  std::optional<nn::Model> model;
  data::DataSplit data;
  if (!scenario.model.none()) {
    data = load_data(scenario);  // reading it is the only way to know that it is whole
    model.emplace(scenario.model, data.train.shape, data.train.classes);
  }
  Cluster cluster = make_cluster(scenario, fabric, model ? &*model : nullptr);
  const int workers = learners_of(scenario, cluster);
  if (model) {
    cluster.training_samples = data.train.size();
    check_partition(scenario, data.train.size(), workers);
    // The size of shards can depend on the draw.
    if (nn::norm_of_single_values(*model)) shards_of(scenario, *model, data.train, cluster.workers);
  }
  if (memory_use_of(*scenario.algorithm, model ? &*model : nullptr, cluster.workers).all_to_all)
    check_all_routes(fabric);
  const Traffic traffic = traffic_of(*scenario.algorithm, model ? &*model : nullptr, cluster);
  for (const auto& [source, target] : traffic.unlisted) static_cast<void>(fabric.find_route(source, target));
  Forecast forecast;
  forecast.network = fabric.network_plan();
  forecast.platform_notes = fabric.notes();
  forecast.host_notes = host_notes(scenario, fabric);
  forecast.system_notes = scenario.algorithm->notes(cluster);
  forecast.sites = sites_of(fabric);
  forecast.bounds = network::bounds_of(fabric, traffic, cluster.compute_s, static_cast<double>(cluster.model_bytes),
                                       scenario.wire.header_bytes.value);

  forecast.model_bytes = static_cast<double>(cluster.model_bytes);
  forecast.workers = cluster.worker_names;
  forecast.compute_s = cluster.compute_s;
  forecast.consensus = consensus_of(*scenario.algorithm, cluster);
  const Workload workload =
      workload_of(scenario, forecast.bounds, workers, static_cast<double>(cluster.training_samples));
  forecast.steps = workload.steps;
  check_workload(scenario, workload, cluster, model ? &*model : nullptr);
  forecast.cost = cost_of(scenario, fabric, cluster, traffic, forecast.bounds, workload, model ? &*model : nullptr,
                          data.test.size());
  return forecast;
}

std::string forecast_as_bytes(const scenario::Scenario& scenario) { return to_bytes(forecast_here(scenario)); }

Forecast forecast_from(const std::string& bytes) { return from_bytes<Forecast>(bytes); }

}  // namespace ddl::run
