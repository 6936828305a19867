#include "lab/runs/run.hpp"

#include <string>

#include "sim/run/rows/archive.hpp"

// Each struct's members in order: a name too few or too many does not compile.
namespace ddl::run {

template <class A>
void members(A& archive, CurveRow& row) {
  auto& [time_s, worker, iteration, samples, epoch, bytes_sent, train_loss, test_loss, test_accuracy] = row;
  archive(time_s, worker, iteration, samples, epoch, bytes_sent, train_loss, test_loss, test_accuracy);
}
template <class A>
void members(A& archive, TrafficRow& row) {
  auto& [link, direction, bytes, utilisation, bandwidth_bytes_per_s] = row;
  archive(link, direction, bytes, utilisation, bandwidth_bytes_per_s);
}
template <class A>
void members(A& archive, ShardRow& row) {
  auto& [worker, samples] = row;
  archive(worker, samples);
}
template <class A>
void members(A& archive, MinibatchRow& row) {
  auto& [worker, minibatch, samples] = row;
  archive(worker, minibatch, samples);
}
template <class A>
void members(A& archive, DrawRow& row) {
  auto& [node, purpose, number, drawn] = row;
  archive(node, purpose, number, drawn);
}
template <class A>
void members(A& archive, LinkLoad& load) {
  auto& [link, bytes] = load;
  archive(link, bytes);
}
template <class A>
void members(A& archive, TraceInterval& interval) {
  auto& [what, start_s, end_s] = interval;
  archive(what, start_s, end_s);
}
template <class A>
void members(A& archive, Trace& trace) {
  auto& [spans, full_s, period_s, links, queues, faults] = trace;
  archive(spans, full_s, period_s, links, queues, faults);
}
template <class A>
void members(A& archive, Divergence& divergence) {
  auto& [node, step, time_s, what] = divergence;
  archive(node, step, time_s, what);
}
template <class A>
void members(A& archive, Measured& measured) {
  auto& [how, cost, network] = measured;
  archive(how, cost, network);
}
template <class A>
void members(A& archive, RecordedSamples& recorded) {
  auto& [shape, numbers, images, labels, mean, scale, values] = recorded;
  archive(shape, numbers, images, labels, mean, scale, values);
}
template <class A>
void members(A& archive, Recordings& recordings) {
  auto& [initial_weights, own_initial_weights, frozen, shards, batches, samples, draws] = recordings;
  archive(initial_weights, own_initial_weights, frozen, shards, batches, samples, draws);
}

}  // namespace ddl::run

// Beside the struct, where it is looked for.
namespace ddl::scenario {

template <class A>
void members(A& archive, ProgramFacts::Tensor& tensor) {
  auto& [name, shape] = tensor;
  archive(name, shape);
}
template <class A>
void members(A& archive, ProgramFacts& facts) {
  auto& [tensors, frozen, version] = facts;
  archive(tensors, frozen, version);
}

}  // namespace ddl::scenario

namespace ddl::run {

template <class A>
void members(A& archive, RunResult& result) {
  auto& [nodes, workers, curve, iterations, traffic, pairs, answers, steps, compute_s, by_layers, weights,
         weights_at_servers, recorded, settings, program, simulated_s, samples, epochs, bytes_sent, bytes_delivered,
         messages_sent, longest_queue, replicas, consensus_distance, stopped_by, divergence, faults, absences, given_up,
         bounds, network, trace, measured, is_replay, learned, events, math_s, evaluation_s, wall_s, cpu_s,
         peak_memory_bytes] = result;
  archive(nodes, workers, curve, iterations, traffic, pairs, answers, steps, compute_s, by_layers, weights,
          weights_at_servers, recorded, settings, program, simulated_s, samples, epochs, bytes_sent, bytes_delivered,
          messages_sent, longest_queue, replicas, consensus_distance, stopped_by, divergence, faults, absences,
          given_up, bounds, network, trace, measured, is_replay, learned, events, math_s, evaluation_s, wall_s, cpu_s,
          peak_memory_bytes);
}

RunResult in_child_of(const scenario::Scenario& scenario, const std::function<RunResult()>& work) {
  return from_bytes<RunResult>(in_child_of(scenario, [&] { return to_bytes(work()); }));
}

RunResult run(const scenario::Scenario& scenario, const RunOptions& options) {
  return in_child_of(scenario, [&] { return run_here(scenario, options); });
}

}  // namespace ddl::run
