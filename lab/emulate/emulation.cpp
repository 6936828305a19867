#include "lab/emulate/emulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/systems/table.hpp"
#include "lab/runs/run.hpp"
#include "sim/run/rows/collection.hpp"

namespace ddl::emulate {
namespace {

// Interval of the conductor's test whether any node will go on, while workers work and afterwards.
constexpr double look_s = 0.25, final_look_s = 0.002;

TestbedSettings settings_of(TestbedSettings settings, std::uint64_t seed) {
  settings.seed = seed;
  return settings;
}

// Takes the time series of the star's links.
std::vector<LineChange> line_changes(platform::Changes& changes, const Star& star) {
  std::vector<LineChange> found;
  for (platform::LinkChange& change : changes.links) {
    for (std::size_t node = 0; node < star.hosts.size(); ++node) {
      const bool up = star.hosts[node].up == change.link;
      if (!up && star.hosts[node].down != change.link) continue;
      found.push_back({static_cast<int>(node), up, std::move(change.bandwidth), std::move(change.latency)});
      break;
    }
  }
  return found;
}

// Throws InputError for settings that only simulated runs have.
void check_can_be_emulated(const scenario::Scenario& scenario, const EmulateOptions& options) {
  const std::pair<bool, const char*> of_simulated_runs[] = {{scenario.record.trace, "trace"},
                                                            {scenario.record.initial_weights, "initial_weights"},
                                                            {scenario.record.batches, "batches"},
                                                            {scenario.record.draws, "draws"}};
  for (const auto& [wanted, key] : of_simulated_runs) {
    if (wanted) throw InputError(fmt::format("$.record.{}: is for simulated runs; expected false for emulate", key));
  }
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const scenario::Fault& fault = scenario.faults[i];
    if (std::holds_alternative<scenario::LinkDown>(fault) || std::holds_alternative<scenario::LinkDegraded>(fault)) {
      continue;
    }
    throw InputError(fmt::format(
        "$.faults[{}].type: is for simulated runs; expected link_down or link_degraded for emulate, or --loss", i));
  }
  for (std::size_t i = 0; i < scenario.platform.profiles.size(); ++i) {
    if (!std::holds_alternative<scenario::SpeedProfile>(scenario.platform.profiles[i])) continue;
    throw InputError(
        fmt::format("$.platform.profiles[{}].quantity: is of a host's speed, which changes in simulated runs "
                    "only; expected those of links for emulate",
                    i));
  }
  if (scenario.platform.network.connections > 1) {
    throw InputError("$.platform.network.connections: is for simulated runs; expected 1 for emulate");
  }
  if (std::holds_alternative<scenario::MeasuredPlatform>(scenario.platform.hosts)) {
    throw InputError("$.platform.topology: has windows, which are those of this machine in emulate; expected another");
  }
  if (scenario.algorithm->facts().is_model_parallel()) {
    throw InputError(
        "$.algorithm.name: splits its model or chooses its samples, which only simulated workers do; expected a system "
        "whose workers compute gradients of minibatches");
  }
  if (options.real_compute && scenario.model.none()) {
    throw InputError("$.model: \"none\" computes nothing; expected a model for emulate --compute real");
  }
  if (scenario.stop.time && scenario.stop.time->value > options.limit_s) {
    throw InputError(
        "$.stop.time: is beyond the limit of a run, for emulate takes real time; expected less, or --limit");
  }
}

}  // namespace

Emulation::Emulation(const scenario::Scenario& scenario, const EmulateOptions& options)
    : options_(options),
      fabric_(scenario),
      star_(star_of(fabric_)),
      testbed_(star_, settings_of(options.testbed, scenario::network_seed(scenario)),
               line_changes(fabric_.changes(), star_)),
      connections_(connect_all(testbed_, fabric_.node_count(), options.congestion_control)),
      experiment_(scenario, fabric_, options.run),
      state_(experiment_),
      threads_([this](std::exception_ptr failure) { state_.fail(std::move(failure)); }),
      nodes_(*this, experiment_),
      channels_(fabric_, star_) {}

Emulation::~Emulation() { stop(); }

// --- running ---

run::RunResult Emulation::run() {
  precedence_ = take_precedence();  // the math threads, which exist already, do without
  if (trainer() != nullptr) evaluate_now(0);
  nodes_.lock_all();
  try {
    channels_.open(std::move(connections_), nodes_,
                   static_cast<std::uint64_t>(std::llround(scenario().wire.header_bytes.value)),
                   testbed_.has_latencies());
    start_nodes();
  } catch (...) {
    state_.fail(std::current_exception());  // the run is over before it begins
  }
  machine_use_.begin();
  start_ = WallClock::now();
  testbed_.begin(start_);
  nodes_.unlock_all();  // time begins
  try {
    conduct();
  } catch (...) {
    state_.fail(std::current_exception());
  }
  machine_use_.end();
  stop();
  state_.end().rethrow_failure();
  if (trainer() != nullptr) evaluate_now(state_.end().time_s());
  return collect();
}

void Emulation::start_actor(int node, std::function<void()> body) {
  threads_.start(nodes_[node].monitor(), std::move(body));
}

void Emulation::start_nodes() {
  for (int id = 0; id < experiment_.nodes(); ++id) {
    Program& program = nodes_.program(id);
    const bool is_worker = experiment_.is_worker(id);
    if (is_worker) state_.worker_begins();
    start_actor(id, [this, is_worker, &program] {
      program.run();
      if (is_worker) state_.worker_ends();
    });
  }
}

void Emulation::stop() {
  nodes_.end_all();
  threads_.join();
  channels_.stop();
  testbed_.stop();
}

// --- the conductor ---

void Emulation::conduct() {
  while (!state_.is_over()) {
    state_.wait_for_news(start_ + wall_duration(next_look_s(now())));
    if (!state_.is_over()) decide(now());
  }
}

double Emulation::next_look_s(double now_s) const {
  double next_s = now_s + (state_.has_workers_at_work() ? look_s : final_look_s);
  if (scenario().stop.time) next_s = std::min(next_s, scenario().stop.time->value);
  if (!cluster().timing_only && scenario().evaluate.every) {
    next_s = std::min(next_s, static_cast<double>(points_ + 1) * scenario().evaluate.every->value);
  }
  return next_s;
}

void Emulation::decide(double now_s) {
  if (has_enough_samples()) nodes_.wake_all();  // gradients under way are had at once
  const auto& limit = scenario().stop.time;
  if (limit && now_s >= limit->value) return state_.stop("time", limit->value);
  evaluate_if_due(now_s);
  if (state_.is_over()) return;
  report_progress(now_s);
  if (now_s >= options_.limit_s) {
    throw process::RunFailed(
        fmt::format("the run is not over after {} s, its limit (--limit), with {} done; at that moment {}",
                    options_.limit_s, counted(state_.steps(), "step"), nodes_.waiting_text()));
  }
  end_if_stuck();
}

void Emulation::end_if_stuck() {
  if (!nodes_.are_stuck([this] { return channels_.is_idle(); })) return;
  if (state_.has_workers_at_work()) throw process::RunFailed("no node can go on; " + nodes_.waiting_text());
  state_.stop(state_.reason_of_stop_rule(), nodes_.last_event_s());
}

// --- evaluations ---

void Emulation::evaluate_now(double time_s) {
  std::vector<run::NodeState> states = nodes_.states();
  const double bytes = channels_.bytes_sent(nodes_);
  if (const char* reached = experiment_.evaluate(time_s, bytes, std::move(states))) state_.stop(reached, time_s);
}

void Emulation::evaluate_if_due(double now_s) {
  if (trainer() == nullptr) return;
  if (scenario().evaluate.every) {
    const double every_s = scenario().evaluate.every->value;
    const auto point = static_cast<std::int64_t>(std::floor(now_s / every_s));
    if (point > points_) {
      points_ = point;
      evaluate_now(static_cast<double>(point) * every_s);
    }
  }
  const std::int64_t by_steps = state_.evaluations_by_steps();
  if (by_steps > evaluations_by_steps_) {
    evaluations_by_steps_ = by_steps;
    evaluate_now(now_s);
  }
}

void Emulation::report_progress(double now_s) {
  constexpr double every_s = 0.2;
  if (!options_.run.progress || now_s < reported_s_ + every_s) return;
  reported_s_ = now_s;
  options_.run.progress(state_.progress(now_s));
}

// --- the result ---

run::RunResult Emulation::collect() {
  nodes_.settle_staleness();
  const double end_s = state_.end().time_s();
  run::RunResult result =
      run::collect(experiment_, state_.end(), nodes_.learners(), nodes_.states(), channels_.totals());
  std::erase_if(result.given_up, [&](const run::GivenUp& note) { return note.time_s > end_s; });
  for (double& seconds : result.compute_s) seconds = std::min(seconds, end_s);
  put_measurement(result, measurement());
  if (!scenario().faults.empty()) result.faults.emplace();  // links only: no host goes, no whole message is lost
  result.wall_s = end_s;
  run::add_process_cost(result);
  return result;
}

Measurement Emulation::measurement() const {
  Measurement measured;
  measured.kernel = kernel_release();
  measured.congestion_control = options_.congestion_control;
  measured.compute = options_.real_compute ? "real" : "slept";
  measured.precedence = precedence_;
  measured.repetition = options_.repetition;
  const TestbedSettings& testbed = options_.testbed;
  measured.links = testbed_.has_latencies() ? "delay box" : "token buckets";
  (testbed.queue.bytes > 0 ? measured.queue_bytes : measured.queue_s) =
      testbed.queue.bytes > 0 ? testbed.queue.bytes : testbed.queue.seconds;
  measured.jitter_s = testbed.jitter_s;
  measured.loss = testbed.loss;
  measured.slow_start_after_idle = testbed.slow_start_after_idle;
  measured.delay_box = testbed_.box_use();
  measured.retransmitted_share = testbed_.retransmitted_share();
  nodes_.add_lateness(measured);
  machine_use_.add_shares(measured, state_.end().time_s());
  return measured;
}

run::RunResult emulate_here(const scenario::Scenario& scenario, const EmulateOptions& options) {
  check_can_be_emulated(scenario, options);
  return Emulation(scenario, options).run();
}

run::RunResult emulate(const scenario::Scenario& scenario, const EmulateOptions& options) {
  return run::in_child_of(scenario, [&] { return emulate_here(scenario, options); });
}

}  // namespace ddl::emulate
