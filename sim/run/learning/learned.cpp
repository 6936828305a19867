#include "sim/run/learning/learned.hpp"

#include <algorithm>

#include "sim/run/rows/archive.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::run {

bool judges_by_steps(const scenario::Scenario& scenario) {
  return scenario.evaluate.every_iterations && scenario.algorithm->facts().timing_independent &&
         std::ranges::none_of(scenario.faults, scenario::changes_hosts);
}

std::string learning_settings(const scenario::Scenario& scenario) {
  const auto& [time, iterations, epochs, samples, accuracy, loss] = scenario.stop;
  const scenario::RecordSpec& record = scenario.record;
  if (!judges_by_steps(scenario) || !scenario.faults.empty() || scenario.model.none() || !iterations || time ||
      epochs || samples || accuracy || loss || record.weights || record.initial_weights || record.batches ||
      record.draws) {
    return "";
  }
  scenario::Scenario learning = scenario;
  learning.name = learning.description = "";
  learning.load.clear();
  learning.platform = {};
  learning.compute = {};
  learning.wire = {};
  learning.record = {};
  learning.expect.clear();
  const std::string folder = scenario.program ? scenario::program_folder(scenario) : "";
  return describe(learning) + folder + std::to_string(scenario::workers_known(scenario.platform).value_or(0));
}

std::optional<std::string> learning_cluster(const scenario::Scenario& scenario, Cluster cluster,
                                            platform::Places workers, const scenario::LearnedModel& model) {
  auto parts = scenario.algorithm->summed_parts(cluster);
  if (!parts) return std::nullopt;
  std::string version = model.program ? model.program->version : "";
  ArchiveWriter bytes;
  bytes(*parts, cluster.worker_names, cluster.sites, workers.among, workers.of_workers, version);
  return bytes.take();
}

}  // namespace ddl::run
