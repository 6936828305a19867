// A small run, made by hand: two workers, one server, three evaluations, numbers that binary fractions hold exactly.
#pragma once

#include <string>

#include "core/systems/ako/ako.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/results/writing/result_folder.hpp"
#include "sim/results/writing/summary.hpp"
#include "sim/results/writing/table_text.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::results {

inline scenario::Scenario example_scenario() {
  scenario::Scenario scenario;
  scenario.name = "example";
  scenario.seed = 7;
  scenario::GeneratedPlatform star;
  star.workers = 2;
  star.servers = 1;
  star.bandwidth = {{1e6}};
  scenario.platform.hosts = star;
  scenario.model.name = "softmax";
  scenario.algorithm = systems::AkoParams{};
  scenario.stop.time = Seconds{10};
  scenario.evaluate.every = Seconds{5};
  scenario.evaluate.target_accuracy = {0.3, 0.6, 0.9};
  return scenario;
}

// At the end of a run whose workers are judged by another model than their own.
inline std::vector<run::CurveRow> example_replicas() {
  std::vector<run::CurveRow> rows;
  for (const char* worker : {"w0", "w1", "mean", "averaged_model"})
    rows.push_back({.worker = worker, .test_loss = 2, .test_accuracy = 0});
  return rows;
}

inline run::RunResult example_result() {
  run::RunResult result;
  result.nodes = {"w0", "w1", "ps0"};
  result.workers = 2;
  result.curve = {
      {0, "w0", 0, 0, 0, 0, std::nullopt, 2.5, 0.125},
      {0, "w1", 0, 0, 0, 0, std::nullopt, 2.5, 0.125},
      {0, "mean", 0, 0, 0, 0, std::nullopt, 2.5, 0.125},
      {0, "averaged_model", 0, 0, 0, 0, std::nullopt, 2.5, 0.125},
      {5, "w0", 2, 64, 0.75, 1000, 2.25, 1.5, 0.5},
      {5, "w1", 1, 32, 0.75, 1000, 2.5, 2, 0.25},
      {5, "mean", 1.5, 96, 0.75, 1000, 2.375, 1.75, 0.375},
      {5, "averaged_model", 1.5, 96, 0.75, 1000, std::nullopt, 1.625, 0.4375},
      {10, "w0", 3, 96, 1.25, 3000, 1.5, 1, 0.75},
      {10, "w1", 2, 64, 1.25, 3000, 2, 1.25, 0.5},
      {10, "mean", 2.5, 160, 1.25, 3000, 1.75, 1.125, 0.625},
      {10, "averaged_model", 2.5, 160, 1.25, 3000, std::nullopt, 1.0625, 0.6875},
  };
  result.iterations = {
      {0, 0, 0, 1.5, 2, 2.5, 0.125, 0}, {0, 1, 2, 1.5, 5, 2, 0.25, 1}, {0, 2, 5, 1.5, 9, 1.5, 0.5, 2},
      {1, 0, 0, 4, 4, 2.5, 0.125, 0},   {1, 1, 4, 4, 9, 2, 0.375, 3},
  };
  result.traffic = {{"w0", "up", 2000, 0.25, 800}, {"w1", "down", 1500, 0.5, 300}, {"core", "free", 3500, 0.9, 389}};
  result.pairs = {{0, 2, 2, 2000}, {2, 1, 1, 1500}};
  result.steps = {3, 2};
  result.compute_s = {4.5, 8};
  result.weights = {{1, -2, 0.5}, {0.25, 0, 3}};
  result.simulated_s = 10;
  result.samples = 160;
  result.epochs = 1.25;
  result.bytes_sent = 3500;
  result.bytes_delivered = 3500;
  result.messages_sent = 3;
  result.longest_queue = 2;
  result.consensus_distance = 2.75;
  result.stopped_by = "time";
  result.faults = run::FaultCounts{2, 1, 0, 0, 2, 0, 7, 3, 4096};
  result.given_up = {{2, 1, 6}, {2, 0, 6}, {2, 1, 9}};
  result.bounds.bytes_per_step = 750;
  result.bounds.bottleneck = "w1 down";
  result.bounds.bottleneck_bytes_per_step = 750;
  result.bounds.network_s = 0.5;
  result.bounds.compute_s = 4;
  result.bounds.step_s = 4;
  result.events = 200;
  result.math_s = 1.5;
  result.evaluation_s = 0.6;
  result.wall_s = 2;
  result.cpu_s = 3;
  result.peak_memory_bytes = 4096;
  return result;
}

// The same scenario without any learning.
inline scenario::Scenario timing_only_scenario() {
  scenario::Scenario scenario = example_scenario();
  scenario.model.name = "none";
  return scenario;
}

inline run::RunResult timing_only_result() {
  run::RunResult result = example_result();
  result.curve.clear();
  for (run::IterationRow& row : result.iterations) row.train_loss.reset();
  result.weights = {{}, {}};
  result.epochs = 0;
  result.consensus_distance.reset();
  return result;
}

inline std::string curve_csv(const run::RunResult& result) { return table_text(result.curve, result.nodes); }
inline std::string iterations_csv(const run::RunResult& result) { return table_text(result.iterations, result.nodes); }
inline std::string traffic_csv(const run::RunResult& result) { return table_text(result.traffic, result.nodes); }
inline std::string pairs_csv(const run::RunResult& result) { return table_text(result.pairs, result.nodes); }

inline std::string summary_json(const scenario::Scenario& scenario, const run::RunResult& result) {
  return summary_json(scenario, result, digest_of(result));
}

// Does the work of a run's process and of its parent; returns the folder.
inline std::string write_results(const std::string& out, const scenario::Scenario& scenario,
                                 const run::RunResult& result, bool force) {
  const Replace replace = force ? Replace::any_scenario : Replace::same_scenario;
  const auto place = result_folder(out, scenario);
  check_place(place, scenario, replace, result.measured.has_value());
  StagedFolder folder(place);
  const RunIdentity identity = Identities().of(scenario);
  stage_result(folder, scenario, identity, result);
  publish_result(folder, place, identity, result.measured.has_value(), replace);
  return place.string();
}

}  // namespace ddl::results
