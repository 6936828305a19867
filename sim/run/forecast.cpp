#include "sim/run/forecast.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/check.hpp"
#include "core/data/dataset.hpp"
#include "core/data/partition.hpp"
#include "core/nn/layer_table.hpp"
#include "core/nn/model.hpp"
#include "sim/external/model.hpp"
#include "sim/run/cluster.hpp"
#include "sim/run/effective.hpp"
#include "sim/run/host_schedule.hpp"
#include "sim/run/learning/learner.hpp"
#include "sim/run/learning/weights_file.hpp"
#include "sim/run/recorded/minibatches.hpp"
#include "sim/run/rows/archive.hpp"
#include "sim/run/workload.hpp"

namespace ddl {

template <class A>
void members(A& archive, TensorInfo& tensor) {
  archive(tensor.name, tensor.offset, tensor.count, tensor.rows);
}

}  // namespace ddl

namespace ddl::scenario {

template <class A>
void members(A& archive, ModelShape& shape) {
  archive(shape.parameters, shape.tensors, shape.layers);
}

}  // namespace ddl::scenario

namespace ddl::data {

template <class A>
void members(A& archive, Classes& classes) {
  archive(classes.names, classes.samples);
}

}  // namespace ddl::data

namespace ddl::run {

template <class A>
void members(A& archive, DataForecast& data) {
  archive(data.train, data.test, data.classes);
}
template <class A>
void members(A& archive, SiteForecast& site) {
  archive(site.name, site.workers, site.servers);
}
template <class A>
void members(A& archive, Forecast& forecast) {  // one that is missing here does not compile
  auto& [bounds, network, consensus, platform_notes, host_notes, system_notes, sites, message_bytes, connections, data,
         cost, result, steps, model_bytes, shape, workers, compute_s] = forecast;
  archive(bounds, network, consensus, platform_notes, host_notes, system_notes, sites, message_bytes, connections, data,
          cost, result, steps, model_bytes, shape, workers, compute_s);
}

namespace {

// For systems in which every host talks to every other; their traffic need not list all pairs.
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

// Speeds and cores that have no effect. A speed profile is read as a ratio to its host's speed, which counts there.
std::vector<std::string> host_notes(const scenario::Scenario& scenario, const platform::Fabric& fabric) {
  std::vector<std::string> notes;
  if (scenario.compute.gradient_seconds(1) && has_speeds(scenario, fabric)) {
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

// The model and its data, as far as they can be known; nothing when timing only.
struct Learning {
  std::unique_ptr<const nn::Model> network;  // the model points to it, wherever this is moved
  std::optional<scenario::LearnedModel> model;
  data::DataSplit data;
  double gradient_s = 0, evaluation_s = 0;  // a program's, as measured
};

Learning learning_of_program(const scenario::Scenario& scenario) {
  using Clock = std::chrono::steady_clock;
  external::Model program(scenario, 1);
  Learning learning;
  learning.model = external::learned_model(program.hello());
  learning.data = dealt_by(program.hello());
  std::vector<float> weights(learning.model->parameters), gradient(weights.size());
  program.initialize(scenario.seed, weights);
  const auto batch = std::min(unsigned_of(scenario.training.batch_size), learning.data.train.size());
  std::vector<std::uint32_t> samples(batch);
  std::iota(samples.begin(), samples.end(), 0u);
  // The first prepares what the others find: a GPU's context, for instance.
  program.gradient(0, weights, {.samples = samples}, gradient);
  const auto began = Clock::now();
  program.gradient(0, weights, {.number = 1, .samples = samples}, gradient);
  const auto went_on = Clock::now();
  program.evaluate(0, weights);
  learning.gradient_s = std::chrono::duration<double>(went_on - began).count();
  learning.evaluation_s = std::chrono::duration<double>(Clock::now() - went_on).count();
  return learning;
}

Learning learning_of(const scenario::Scenario& scenario, Programs programs) {
  Learning learning;
  if (scenario.program) return programs == Programs::are_asked ? learning_of_program(scenario) : std::move(learning);
  if (scenario.model.none()) return learning;
  learning.data = load_data(scenario);  // reading it is the only way to know that it is whole
  learning.network =
      std::make_unique<nn::Model>(scenario.model, learning.data.train.shape, learning.data.train.classes);
  learning.model = scenario::learned_model(*learning.network);
  return learning;
}

std::vector<SiteForecast> sites_of(const platform::Fabric& fabric) {
  std::vector<SiteForecast> sites;
  for (const std::string& name : fabric.site_names()) sites.push_back({.name = name, .workers = {}, .servers = {}});
  for (int node = 0; node < fabric.node_count() && !sites.empty(); ++node) {
    SiteForecast& site = sites[static_cast<std::size_t>(fabric.site(node))];
    (node < fabric.worker_count() ? site.workers : site.servers).push_back(fabric.name(node));
  }
  std::erase_if(sites, [](const SiteForecast& site) { return site.workers.empty() && site.servers.empty(); });
  return sites;
}

// The largest message that a step sends from one site to another; where none is listed, a whole model.
double message_between_sites(const platform::Fabric& fabric, const Traffic& traffic, double model_bytes,
                             double header_bytes) {
  double most = 0;
  for (const auto& phase : traffic.phases) {
    for (const Flow& flow : phase) {
      if (fabric.site(flow.source) == fabric.site(flow.target) || !(flow.messages > 0)) continue;
      most = std::max(most, flow.models / flow.messages * model_bytes);
    }
  }
  return header_bytes + (most > 0 ? most : model_bytes);
}

// Labels of a program's are known where they are asked for.
// `dealt`: the samples of those that take part; null where all do.
DataForecast data_of(const scenario::Scenario& scenario, const data::DataSplit& data,
                     const std::vector<std::uint32_t>* dealt) {
  DataForecast forecast{dealt ? dealt->size() : data.train.size(), data.test.size(), {}};
  if (scenario.program && !external::needs_labels(scenario)) return forecast;
  forecast.classes = data::classes_of(data.train);
  if (!dealt) return forecast;
  std::ranges::fill(forecast.classes.samples, 0);
  for (const std::uint32_t place : *dealt) ++forecast.classes.samples[data.train.labels[place]];
  return forecast;
}

}  // namespace

Forecast forecast_here(const scenario::Scenario& scenario, Programs programs) {
  platform::Fabric fabric(scenario);
  [[maybe_unused]] const HostSchedule hosts(scenario, fabric);  // throws where faults cannot be
  const Learning learning = learning_of(scenario, programs);
  const scenario::LearnedModel* model = learning.model ? &*learning.model : nullptr;
  const nn::Model* network = model != nullptr ? model->network : nullptr;
  if (network != nullptr && scenario.training.init.from_file() != nullptr) weights_of_file(scenario, *network);
  Cluster cluster = make_cluster(scenario, fabric, model, nullptr);
  const int workers = learners_of(scenario, cluster);
  std::vector<std::uint32_t> dealt;  // where some workers take no part
  if (model != nullptr) {
    const data::Dataset& train = learning.data.train;
    const platform::Places& places = fabric.places();
    check_partition(scenario, train.size(), places.all_take_part() ? workers : places.among);
    cluster.training_samples = train.size();
    // The size of shards can depend on the draw, or on the data.
    if ((network != nullptr && nn::norm_of_single_values(*network)) ||
        scenario.data.partition == data::PartitionKind::column || !places.all_take_part()) {
      const auto shards = shards_of(scenario, network, train, places);
      if (!places.all_take_part()) {
        for (const auto& shard : shards) dealt.insert(dealt.end(), shard.begin(), shard.end());
        cluster.training_samples = dealt.size();
      }
      if (std::ssize(shards) == cluster.workers) {
        std::ranges::transform(shards, cluster.shard_samples.begin(), &std::vector<std::uint32_t>::size);
      }
    }
  }
  if (memory_use_of(*scenario.algorithm, network, model != nullptr ? model->parameters : 0, cluster.workers).all_to_all)
    check_all_routes(fabric);
  const Traffic traffic = traffic_of(*scenario.algorithm, network, cluster);
  for (const auto& [source, target] : traffic.unlisted) static_cast<void>(fabric.find_route(source, target));
  Forecast forecast;
  forecast.platform_notes = fabric.notes();
  forecast.host_notes = host_notes(scenario, fabric);
  forecast.system_notes = scenario.algorithm->notes(cluster);
  forecast.sites = sites_of(fabric);
  if (model != nullptr)
    forecast.data = data_of(scenario, learning.data, fabric.places().all_take_part() ? nullptr : &dealt);
  forecast.bounds = network::bounds_of(fabric, traffic, cluster.compute_s, static_cast<double>(cluster.model_bytes),
                                       scenario.wire.header_bytes.value);

  if (model != nullptr) forecast.shape = *model;
  const bool known = model != nullptr || scenario.wire.model_bytes;
  forecast.model_bytes = known ? static_cast<double>(cluster.model_bytes) : 0;
  forecast.workers = cluster.worker_names;
  forecast.compute_s = cluster.compute_s;
  forecast.consensus = consensus_of(*scenario.algorithm, cluster);
  const Workload workload =
      workload_of(scenario, forecast.bounds, workers, static_cast<double>(cluster.training_samples));
  forecast.steps = workload.steps;
  check_workload(scenario, workload, cluster, model);
  fabric.expect_segments(segments_of(fabric, cluster, traffic, forecast.bounds, workload));
  forecast.network = fabric.network_plan();
  if (known) {
    forecast.message_bytes =
        message_between_sites(fabric, traffic, forecast.model_bytes, scenario.wire.header_bytes.value);
    forecast.connections = network::connections_between_sites(fabric, forecast.message_bytes);
  }
  forecast.cost =
      cost_of(scenario, fabric, cluster, traffic, forecast.bounds, workload, model, learning.data.test.size());
  forecast.result = result_bytes_of(scenario, cluster, workload, forecast.cost, model);
  forecast.cost.gradients_s += forecast.cost.gradients * learning.gradient_s;
  forecast.cost.evaluation_s += forecast.cost.evaluations * learning.evaluation_s;
  return forecast;
}

scenario::Scenario effective_here(const scenario::Scenario& scenario) {
  const platform::Fabric fabric(scenario);
  const Learning learning = learning_of(scenario, Programs::are_left_alone);
  const scenario::LearnedModel* model = learning.model ? &*learning.model : nullptr;
  return effective(scenario, fabric, make_cluster(scenario, fabric, model, nullptr), model,
                   model != nullptr ? &learning.data : nullptr);
}

std::string forecast_as_bytes(const scenario::Scenario& scenario, Programs programs) {
  return to_bytes(forecast_here(scenario, programs));
}

Forecast forecast_from(const std::string& bytes) { return from_bytes<Forecast>(bytes); }

}  // namespace ddl::run
