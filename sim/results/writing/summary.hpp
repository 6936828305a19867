// The figures that stand for a whole run, derived from its rows: what summary.json and the closing table are made of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/results/text/keys.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::results {

// One measure in one evaluation: over the workers' replicas, and of the average of their weights.
struct FinalScore {
  double mean = 0, min = 0, max = 0;
  std::optional<double> averaged_model;
};

// When the mean over workers first reached `target`, and what had been sent by then.
struct TargetReached {
  double target = 0;  // a value of the scenario's metric
  std::optional<double> time_s, bytes;
};

// Quantiles between two samples are interpolated linearly.
struct Distribution {
  double min = 0, mean = 0, median = 0, p95 = 0, max = 0;
};

struct BusiestLink {
  std::string name;  // with its direction, as in Bounds: "w2 down"
  double utilisation = 0;
};

struct Staleness {
  double mean = 0, max = 0;
};

struct Summary {
  std::int64_t iterations = 0;                               // by all workers
  std::optional<FinalScore> replica_accuracy, replica_loss;  // workers' own models, where they are judged by another
  std::optional<FinalScore> final_accuracy, final_loss;      // none without evaluations, as in a timing-only run
  std::optional<double> best, best_s;             // the metric's best mean over workers, and when it was first so
  std::vector<TargetReached> targets;             // as the scenario lists them
  std::optional<Distribution> seconds_per_batch;  // start to end of all finished steps; none without steps
  std::optional<double> slowest_step_s;           // for the worker with the fewest steps, all waiting included
  std::optional<double> time_per_epoch_s;
  std::optional<BusiestLink> busiest_link;  // none when nothing travelled
  std::optional<Staleness> staleness;
  double compute_utilisation = 0;                // share of the run spent computing, mean over workers
  std::vector<double> idle_fraction;             // per worker: share of the run not spent computing
  std::map<std::size_t, std::int64_t> given_up;  // worker: how often
  std::optional<double> goodput;                 // see goodput_of
};

// Steps that reached the model over those of the same time with all hosts there: by each worker's mean time of a step
// before any host was away, in whole periods of the system after its first, or of a worker with less than 8 such steps
// by the mean of all. None: no host was away, or all together have less than 8.
std::optional<double> goodput_of(const scenario::Scenario& scenario, const run::RunResult& result);

Summary summarise(const scenario::Scenario& scenario, const run::RunResult& result);

// The keys of summary.json, in the file's order; its dictionary (ddlsim describe summary.json) and the columns of
// sweeps follow. Runs that are judged by accuracy do without those of loss, and the other way round.
Keys summary_keys(const scenario::Scenario& scenario, const run::RunResult& result, const Summary& summary,
                  const std::string& digest);

// summary.json's text.
std::string summary_json(const scenario::Scenario& scenario, const run::RunResult& result, const std::string& digest);

// `values` is not empty.
Distribution distribution_of(std::vector<double> values);

// The q-quantile of `sorted` (ascending, not empty), at position q (n - 1) counted from 0.
double quantile(const std::vector<double>& sorted, double q);

}  // namespace ddl::results
