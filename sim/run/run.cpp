#include "sim/run/run.hpp"

#include <chrono>
#include <sstream>
#include <string>
#include <type_traits>

#include "core/base/check.hpp"
#include "sim/process/child.hpp"
#include "sim/run/effective.hpp"
#include "sim/run/rows/archive.hpp"
#include "sim/run/rows/collection.hpp"
#include "sim/run/simulation.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::run {

// A row of a table is what its columns say.
template <class A, class Row>
requires requires { Table<Row>::file; }
void members(A& archive, Row& row) {
  Table<Row>::columns([&](const char*, const char*, const char*, auto place) {
    if constexpr (std::is_member_object_pointer_v<decltype(place)>) {
      archive(row.*place);
    } else if constexpr (requires { row.*place.index; }) {
      archive(row.*place.index);
    }
  });
}
// Its bandwidth is no column.
template <class A>
void members(A& archive, TrafficRow& row) {
  archive(row.link, row.direction, row.bytes, row.utilisation, row.bandwidth_bytes_per_s);
}
template <class A>
void members(A& archive, TraceSpan& span) {
  archive(span.kind, span.node, span.peer, span.step, span.bytes, span.latency_s, span.start_s, span.end_s,
          span.finished, span.lost);
}
template <class A>
void members(A& archive, LinkLoad& load) {
  archive(load.link, load.bytes);
}
template <class A>
void members(A& archive, TraceInterval& interval) {
  archive(interval.what, interval.start_s, interval.end_s);
}
template <class A>
void members(A& archive, Trace& trace) {
  archive(trace.spans, trace.full_s, trace.period_s, trace.links, trace.faults);
}
template <class A>
void members(A& archive, Divergence& divergence) {
  archive(divergence.node, divergence.step, divergence.time_s, divergence.what);
}
template <class A>
void members(A& archive, FaultCounts& counts) {
  archive(counts.crashes, counts.restarts, counts.joins, counts.leaves, counts.steps_lost, counts.messages_lost,
          counts.messages_sent_again, counts.bytes_lost);
}
template <class A>
void members(A& archive, GivenUp& given_up) {
  archive(given_up.by, given_up.worker, given_up.time_s);
}
template <class A>
void members(A& archive, Measured& measured) {
  archive(measured.how, measured.cost, measured.network);
}
template <class A>
void members(A& archive, RecordedSamples& samples) {
  archive(samples.shape.channels, samples.shape.height, samples.shape.width, samples.numbers, samples.images,
          samples.labels, samples.mean, samples.scale, samples.values);
}
template <class A>
void members(A& archive, Recordings& recordings) {
  archive(recordings.initial_weights, recordings.own_initial_weights, recordings.frozen, recordings.shards,
          recordings.batches, recordings.samples, recordings.draws);
}
}  // namespace ddl::run

// Beside the struct, where it is looked for.
namespace ddl::scenario {

template <class A>
void members(A& archive, ProgramFacts::Tensor& tensor) {
  archive(tensor.name, tensor.shape);
}
template <class A>
void members(A& archive, ProgramFacts& facts) {
  archive(facts.tensors, facts.frozen, facts.version);
}

}  // namespace ddl::scenario

namespace ddl::run {

template <class A>
void members(A& archive, RunResult& r) {
  archive(r.nodes, r.workers, r.curve, r.iterations, r.traffic, r.pairs, r.answers, r.steps, r.compute_s, r.by_layers,
          r.weights, r.weights_at_servers, r.recorded, r.settings, r.program, r.simulated_s, r.samples, r.epochs,
          r.bytes_sent, r.bytes_delivered, r.messages_sent, r.longest_queue, r.replicas, r.consensus_distance,
          r.stopped_by, r.divergence, r.faults, r.given_up, r.bounds, r.network, r.trace, r.measured, r.events,
          r.math_s, r.evaluation_s, r.wall_s, r.cpu_s, r.peak_memory_bytes);
}

}  // namespace ddl::run

namespace ddl::run {

std::string with_origin(const std::string& text, const std::string& file) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!result.empty()) result += "\n";
    result += line.starts_with("$") ? file + ": " + line : line;
  }
  return result;
}

std::string in_child_of(const scenario::Scenario& scenario, const std::function<std::string()>& work) {
  try {
    return process::in_child(work);
  } catch (const InputError& error) {
    throw InputError(with_origin(error.what(), scenario.file));
  }
}

RunResult run_here(const scenario::Scenario& scenario, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  RunResult result = Simulation(scenario, options).run();
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  add_process_cost(result);
  return result;
}

RunResult in_child_of(const scenario::Scenario& scenario, const std::function<RunResult()>& work) {
  return from_bytes<RunResult>(in_child_of(scenario, [&] { return to_bytes(work()); }));
}

RunResult run(const scenario::Scenario& scenario, const RunOptions& options) {
  return in_child_of(scenario, [&] { return run_here(scenario, options); });
}

std::string described(const scenario::Scenario& scenario) {
  return in_child_of(scenario, [&] { return scenario::describe(effective_here(scenario)); });
}

Forecast forecast_of(const scenario::Scenario& scenario, Programs programs) {
  return forecast_from(in_child_of(scenario, [&] { return forecast_as_bytes(scenario, programs); }));
}

}  // namespace ddl::run
