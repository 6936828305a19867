#include "sim/run/cluster.hpp"

#include <cmath>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "core/base/check.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/optimizer.hpp"
#include "core/nn/schedule.hpp"
#include "core/systems/table.hpp"
#include "sim/network/bounds.hpp"
#include "sim/run/recorded/weights_name.hpp"
#include "sim/run/rows/rows.hpp"
#include "sim/run/rows/trace.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::run {
namespace {

// Bytes assumed for a program's model until the program is asked, for answers that do not depend on its size.
constexpr double of_unknown_size = 4e6;

// Words of its own that a file of the result has where it has a node's name. Empty: the name is no such word.
std::string meaning_of(std::string_view name, const scenario::Scenario& scenario, bool is_worker) {
  const auto is_one_of = [&](auto... words) { return ((name == words) || ...); };
  if (is_worker && !scenario.model.none() && is_one_of(mean_of_workers, averaged_model)) {
    return "the rows for all workers in curve.csv";
  }
  if (is_worker && scenario.record.weights && is_one_of(owned_by_servers, owned_by_all)) {
    return "a file of weights that are no single worker's";
  }
  if (scenario.record.trace && is_one_of(process_of_all, process_of_links, process_of_faults)) {
    return "a process of trace.json that is no node's";
  }
  return "";
}

// Reason why a node's name cannot stand in the result's files, or be part of a file's name; empty if it can.
std::string name_problem(const std::string& name, const scenario::Scenario& scenario, bool is_worker) {
  const std::string host = "host " + scenario::in_quotes(name);
  if (const std::string meaning = meaning_of(name, scenario, is_worker); !meaning.empty()) {
    return host + " is called like " + meaning + "; expected another name";
  }
  const bool own_start = scenario.training.init == scenario::InitialWeights::independent;
  const std::string_view what = scenario.record.initial_weights && own_start ? own_first_weights : final_weights;
  const bool has_file = is_worker && (scenario.record.weights || what == own_first_weights);
  if (const std::size_t length = weights_name(what, name).size(); has_file && length > longest_file_name) {
    return host + " would have a file of weights with a name of " + std::to_string(length) +
           " bytes; expected at most " + std::to_string(longest_file_name);
  }
  return "";
}

void check_against_platform(const scenario::Scenario& scenario, const platform::Fabric& fabric) {
  std::string lines;
  const auto complain = [&](const std::string& line) { lines += (lines.empty() ? "" : "; also ") + line; };
  std::set<std::string> hosts;
  for (int node = 0; node < fabric.node_count(); ++node) hosts.insert(fabric.host_name(node));
  for (const auto& [host, factor] : scenario.compute.slowdown) {
    if (!hosts.contains(host) && !fabric.places().left_out.contains(host)) {
      complain("$.compute.slowdown." + host + ": no such host takes part");
    }
  }
  for (int node = 0; node < fabric.node_count(); ++node) {
    const std::string problem = name_problem(fabric.name(node), scenario, node < fabric.worker_count());
    if (!problem.empty()) complain("$.platform.file: " + problem);
  }
  Surroundings around{fabric.worker_count(), fabric.server_count(), nn::Optimizer::slices(scenario.training.optimizer)};
  for (int worker = 0; worker < around.workers; ++worker) around.worker_names.push_back(fabric.name(worker));
  for (const SettingError& error : systems::setting_errors(*scenario.algorithm, around)) {
    complain(error.key + ": " + error.what);
  }
  if (!lines.empty()) throw InputError(lines);
}

// A model's own, by its operations; when timing only as many as the scenario says, all alike.
std::vector<LayerInfo> layers_of(const scenario::Scenario& scenario, const scenario::ModelShape* shape,
                                 std::size_t parameters) {
  if (shape != nullptr) return shape->layers;
  std::vector<LayerInfo> layers;
  const int count = scenario.program ? 1 : scenario.compute.layers.value_or(0);  // 1: a program that was not asked
  for (int layer = 0; layer < count; ++layer) layers.push_back({even_part(parameters, count, layer)});
  return layers;
}

}  // namespace

// Derived: forward and backward pass, three times the forward pass's multiply-adds, two operations each.
double batch_seconds(const scenario::Scenario& scenario, const platform::Fabric& fabric, int worker,
                     const scenario::LearnedModel* model) {
  if (const auto said = scenario.compute.gradient_seconds(scenario.training.batch_size)) return *said;
  return 3 * 2 * model->network->forward_multiply_adds() * scenario.training.batch_size / fabric.speed_flops(worker);
}

double slowdown_of(const scenario::Scenario& scenario, const std::string& host) {
  const auto found = scenario.compute.slowdown.find(host);
  return found == scenario.compute.slowdown.end() ? 1 : found->second;
}

int sharing_of(const scenario::Scenario& scenario, const Cluster& cluster) {
  return scenario.algorithm->facts().one_model ? cluster.workers : 1;
}

int learners_of(const scenario::Scenario& scenario, const Cluster& cluster) {
  return scenario.algorithm->facts().one_trains ? 1 : cluster.workers / sharing_of(scenario, cluster);
}

Cluster make_cluster(const scenario::Scenario& scenario, const platform::Fabric& fabric,
                     const scenario::LearnedModel* model, const scenario::ModelShape* shape) {
  if (model != nullptr) shape = model;
  check_against_platform(scenario, fabric);
  Cluster cluster;
  cluster.workers = fabric.worker_count();
  cluster.servers = scenario.algorithm->facts().needs_servers ? fabric.server_count() : 0;
  cluster.seed = scenario.seed;
  cluster.batch_size = scenario.training.batch_size;
  cluster.training_samples = static_cast<std::size_t>(scenario.data.train.value_or(data::synthetic_training_samples));
  for (int worker = 0; worker < cluster.workers; ++worker) {
    cluster.shard_samples.push_back(even_part(cluster.training_samples, cluster.workers, worker).size());
  }
  for (int node = 0; node < cluster.workers + cluster.servers; ++node) cluster.sites.push_back(fabric.site(node));
  cluster.timing_only = model == nullptr;
  cluster.scale = scenario.training.gradient_scale;
  const double real_bytes = model != nullptr ? 4.0 * static_cast<double>(model->parameters) : 0;
  const bool unknown = scenario.program && model == nullptr;
  const double own_bytes = unknown ? of_unknown_size : real_bytes;
  const double model_bytes = scenario.wire.model_bytes ? scenario.wire.model_bytes->value : own_bytes;
  cluster.model_bytes = static_cast<std::uint64_t>(std::llround(model_bytes));
  const int kept_vectors = nn::Optimizer::kept_vectors(scenario.training.optimizer);
  cluster.replica_bytes = cluster.model_bytes * static_cast<std::uint64_t>(1 + kept_vectors);
  cluster.parameters = shape != nullptr ? shape->parameters : static_cast<std::size_t>(std::ceil(model_bytes / 4));
  if (shape != nullptr) cluster.tensors = shape->tensors;
  cluster.layers = layers_of(scenario, shape, cluster.parameters);
  cluster.averages_updates = nn::Optimizer::averages_updates(scenario.training.optimizer);
  cluster.steps_by_slices = nn::Optimizer::slices(scenario.training.optimizer) != Slices::none;
  for (int worker = 0; worker < cluster.workers; ++worker) {
    const double seconds = batch_seconds(scenario, fabric, worker, model);
    cluster.worker_names.push_back(fabric.name(worker));
    cluster.compute_s.push_back(seconds * slowdown_of(scenario, fabric.name(worker)) + scenario.compute.overhead.value);
  }
  for (const scenario::Fault& fault : scenario.faults)
    cluster.hosts_change = cluster.hosts_change || scenario::changes_hosts(fault);
  if (scenario.algorithm->needs_exchange_times()) {
    cluster.exchange_s = network::exchange_seconds(fabric, model_bytes);
  }
  if (scenario.algorithm->needs_rates()) cluster.rates = network::rates_of_workers(fabric);
  cluster.sum_phases = network::sum_phases(fabric, scenario.algorithm->bucketed_sum(cluster), model_bytes);
  const double steps =
      static_cast<double>(scenario.stop.iterations.value_or(0)) * scenario.algorithm->steps_per_iteration(cluster);
  cluster.learning_rate = [rate = nn::rate_params(scenario.training.optimizer), steps](std::int64_t step,
                                                                                       double share) {
    return nn::learning_rate(rate, {.whole = step}, {.share = share, .steps = steps});
  };
  return cluster;
}

network::Bounds bounds_of(const scenario::Scenario& scenario, const platform::Fabric& fabric, const Cluster& cluster,
                          const scenario::LearnedModel* model) {
  const nn::Model* network = model != nullptr ? model->network : nullptr;
  return network::bounds_of(fabric, traffic_of(*scenario.algorithm, network, cluster), cluster.compute_s,
                            static_cast<double>(cluster.model_bytes), scenario.wire.header_bytes.value);
}

}  // namespace ddl::run
