#include "sim/emulate/emulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.hpp"
#include "core/systems/table.hpp"
#include "sim/runtime/simulation.hpp"

namespace ddl::emulate {
namespace {

// How often the conductor looks whether anybody will go on, with workers at work and without.
constexpr double look_s = 0.25, final_look_s = 0.002;

// Throws InputError for what only simulated runs have.
void check_can_be_emulated(const scenario::Scenario& scenario, const EmulateOptions& options) {
  if (scenario.record.trace) throw InputError("$.record.trace: is for simulated runs; expected false for emulate");
  if (!scenario.faults.empty()) throw InputError("$.faults: are for simulated runs; expected none for emulate");
  if (!scenario.platform.profiles.empty()) {
    throw InputError("$.platform.profiles: are for simulated runs; expected none for emulate");
  }
  const systems::AlgorithmRow& row = systems::row_of(scenario.algorithm);
  if (row.one_model || row.chooses_samples) {
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
    : scenario_(scenario),
      options_(options),
      fabric_(scenario),
      star_(star_of(fabric_)),
      testbed_(star_, options.queue_s),
      connections_(connect_all(testbed_, fabric_.node_count(), options.congestion_control)),
      trainer_(scenario.model.none()
                   ? std::nullopt
                   : std::make_optional<experiment::Trainer>(scenario, fabric_.worker_count(), options.run.threads)),
      cluster_(runtime::make_cluster(scenario, fabric_, trainer_ ? &trainer_->model() : nullptr)),
      training_samples_(trainer_ ? trainer_->training_samples() : cluster_.training_samples),
      stop_rule_(scenario.stop, scenario.training.batch_size, cluster_.sharing(), training_samples_) {
  if (trainer_) evaluator_.emplace(*trainer_, cluster_.worker_names);
  clusters_.assign(static_cast<std::size_t>(cluster_.workers + cluster_.servers), cluster_);
  for (int id = 0; id < cluster_.workers + cluster_.servers; ++id) {
    const Payload start = trainer_ ? trainer_->initial_weights(id < cluster_.workers ? id : -1) : nullptr;
    Cluster& own = clusters_[static_cast<std::size_t>(id)];
    own.graphs = std::make_shared<graph::SharedGraphs>();
    nodes_.push_back(std::make_unique<EmulatedNode>(*this, own, id, start));
    programs_.push_back(systems::make_program(scenario.algorithm, *nodes_.back()));
  }
}

Emulation::~Emulation() { stop(); }

TcpChannel& Emulation::channel(int source, int target) {
  check(source != target, "a node sends to others only");
  const std::size_t from = static_cast<std::size_t>(source), to = static_cast<std::size_t>(target);
  return *channels_[from * (nodes_.size() - 1) + to - (to > from ? 1 : 0)];
}

// --- actors ---

// What an actor throws ends the run and comes out of run().
void Emulation::act(int node, const std::function<void()>& body) {
  Monitor& monitor = nodes_[static_cast<std::size_t>(node)]->monitor();
  const std::scoped_lock held(monitor);
  try {
    if (!monitor.is_over()) body();
  } catch (const RunOver&) {
  } catch (...) {
    fail(std::current_exception());
  }
  monitor.actor_ends();
}

void Emulation::start_actor(int node, std::function<void()> body) {
  nodes_[static_cast<std::size_t>(node)]->monitor().actor_begins();
  const std::scoped_lock held(mutex_);
  threads_.emplace_back([this, node, body = std::move(body)] { act(node, body); });
}

void Emulation::start_nodes() {
  workers_at_work_ = cluster_.workers;
  for (int id = 0; id < static_cast<int>(nodes_.size()); ++id) {
    Program& program = *programs_[static_cast<std::size_t>(id)];
    start_actor(id, [this, id, &program] {
      program.run();
      if (id >= cluster_.workers) return;
      const std::scoped_lock held(mutex_);
      --workers_at_work_;
      news_ = true;
      something_happened_.notify_one();
    });
  }
}

void Emulation::release_all() {
  sample_processors(true);
  start_ = WallClock::now();
  for (const auto& node : nodes_) node->monitor().unlock();
}

bool Emulation::may_begin_step(std::int64_t begun) {
  const std::scoped_lock held(mutex_);
  return stop_rule_.may_begin(begun);
}

bool Emulation::count_step(double end_s) {
  const std::scoped_lock held(mutex_);
  if (enough_samples_ || !stopped_by_.empty()) return false;
  if (scenario_.stop.time && end_s > scenario_.stop.time->value) return false;
  ++steps_;
  stop_rule_.count_step();
  const auto every = scenario_.evaluate.every_iterations;
  news_ |= stop_rule_.has_enough_samples() || (every && steps_ % (*every * cluster_.workers) == 0);
  enough_samples_ = stop_rule_.has_enough_samples();
  if (news_) something_happened_.notify_one();
  return true;
}

void Emulation::diverged(int worker, std::int64_t step, const char* what) {
  const double now_s = now();
  end("diverged", now_s);
  const std::scoped_lock held(mutex_);
  if (!divergence_ && stopped_by_ == "diverged") divergence_ = experiment::Divergence{worker, step, now_s, what};
}

void Emulation::fail(std::exception_ptr failure) {
  const std::scoped_lock held(mutex_);
  if (!failure_) failure_ = std::move(failure);
  news_ = true;
  something_happened_.notify_one();
}

// --- the end ---

bool Emulation::is_over() {
  const std::scoped_lock held(mutex_);
  return failure_ || !stopped_by_.empty();
}

void Emulation::end(const std::string& why, double end_s) {
  const std::scoped_lock held(mutex_);
  if (!stopped_by_.empty()) return;
  stopped_by_ = why;
  end_s_ = end_s;
  news_ = true;
  something_happened_.notify_one();
}

double Emulation::next_look_s(double now_s) {
  const std::scoped_lock held(mutex_);
  double next_s = now_s + (workers_at_work_ > 0 ? look_s : final_look_s);
  if (scenario_.stop.time) next_s = std::min(next_s, scenario_.stop.time->value);
  if (evaluator_ && scenario_.evaluate.every) {
    next_s = std::min(next_s, static_cast<double>(points_ + 1) * scenario_.evaluate.every->value);
  }
  return next_s;
}

void Emulation::conduct() {
  while (!is_over()) {
    const double next_s = next_look_s(now());
    {
      std::unique_lock held(mutex_);
      something_happened_.wait_until(held, start_ + wall_duration(next_s), [this] { return news_; });
      news_ = false;
    }
    decide(now());
  }
}

void Emulation::decide(double now_s) {
  if (is_over()) return;
  if (enough_samples_) cut_steps_short();
  if (scenario_.stop.time && now_s >= scenario_.stop.time->value) return end("time", scenario_.stop.time->value);
  if (evaluator_) evaluate_if_due(now_s);
  if (is_over()) return;
  report_progress(now_s);
  if (now_s >= options_.limit_s) throw process::RunFailed(not_over());
  if (!is_stuck()) return;
  std::unique_lock held(mutex_);
  const bool all_done = workers_at_work_ == 0;
  const std::string reason = stop_rule_.reason();
  held.unlock();
  if (!all_done) throw process::RunFailed("no node can go on; " + waiting_text());
  double end_s = 0;
  for (const auto& node : nodes_) end_s = std::max(end_s, node->last_event_s());
  end(reason, end_s);
}

// Exact, for with all monitors held nothing moves but messages that are under way.
bool Emulation::is_stuck() {
  for (const auto& node : nodes_) node->monitor().lock();
  const bool stuck =
      under_way_ == 0 && std::ranges::all_of(nodes_, [](const auto& node) { return node->monitor().is_stuck(); });
  for (const auto& node : nodes_) node->monitor().unlock();
  return stuck;
}

std::string Emulation::not_over() {
  std::unique_lock held(mutex_);
  const std::int64_t steps = steps_;
  held.unlock();
  return fmt::format("the run is not over after {} s, its limit (--limit), with {} steps done; at that moment {}",
                     options_.limit_s, steps, waiting_text());
}

std::string Emulation::waiting_text() {
  std::vector<std::string> lines;
  for (const auto& node : nodes_) {
    const std::scoped_lock held(node->monitor());
    for (const std::string& what : node->monitor().waited_for())
      lines.push_back(name(node->id()) + " waits for " + what);
  }
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) text += (i == 0 ? "" : "; ") + lines[i];
  return lines.size() > most ? text + "; and " + std::to_string(lines.size() - most) + " more wait" : text;
}

void Emulation::cut_steps_short() {
  for (const auto& node : nodes_) {
    const std::scoped_lock held(node->monitor());
    node->monitor().wake();
  }
}

void Emulation::stop() {
  for (const auto& node : nodes_) {
    const std::scoped_lock held(node->monitor());
    node->monitor().end();
  }
  // Nobody starts actors any more: who would has been unwound or is about to be.
  for (std::size_t i = 0;; ++i) {
    std::unique_lock held(mutex_);
    if (i == threads_.size()) break;
    std::thread thread = std::move(threads_[i]);
    held.unlock();
    if (thread.joinable()) thread.join();
  }
  for (const auto& channel : channels_) channel->stop();
}

// --- running ---

experiment::RunResult Emulation::run() {
  precedence_ = take_precedence();  // the math threads, which are there already, do without
  if (evaluator_) evaluate_now(0);
  for (const auto& node : nodes_) node->monitor().lock();
  for (Connection& connection : connections_) {
    const auto source = static_cast<std::size_t>(connection.source),
               target = static_cast<std::size_t>(connection.target);
    // Servers that a scheme does without have no node; nobody sends to them.
    if (source >= nodes_.size() || target >= nodes_.size()) continue;
    EmulatedNode& receiver = *nodes_[target];
    channels_.push_back(std::make_unique<TcpChannel>(
        std::move(connection),
        TcpChannel::Surroundings{nodes_[source]->monitor(), star_.latency_s[source][target],
                                 static_cast<std::uint64_t>(std::llround(scenario_.wire.header_bytes.value)),
                                 [&receiver](Message message) { receiver.deliver(std::move(message)); }, under_way_}));
  }
  start_nodes();
  release_all();
  try {
    conduct();
  } catch (...) {
    fail(std::current_exception());
  }
  sample_processors(false);
  stop();
  if (failure_) std::rethrow_exception(failure_);
  if (evaluator_) evaluate_now(end_s_);
  return collect();
}

experiment::RunResult emulate_here(const scenario::Scenario& scenario, const EmulateOptions& options) {
  check_can_be_emulated(scenario, options);
  return Emulation(scenario, options).run();
}

experiment::RunResult emulate(const scenario::Scenario& scenario, const EmulateOptions& options) {
  return runtime::in_child_of(scenario, [&] { return emulate_here(scenario, options); });
}

}  // namespace ddl::emulate
