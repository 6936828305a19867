#include "sim/runtime/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <utility>

#include "core/algorithms/table.hpp"
#include "core/algorithms/vectors.hpp"
#include "sim/runtime/extent.hpp"
#include "sim/runtime/sim_node.hpp"
#include "sim/scenario/checks.hpp"

namespace ddl {

namespace sg = simgrid::s4u;

namespace {

// What an epoch is when there are no data.
std::size_t timing_only_samples(const DataSpec& data) {
  return static_cast<std::size_t>(data.train.value_or(synthetic_training_samples));
}

}  // namespace

Simulation::Simulation(const Scenario& scenario, const RunOptions& options)
    : scenario_(scenario),
      options_(options),
      fabric_(scenario),
      tracer_(fabric_, scenario.record.trace),
      faults_(fabric_),
      trainer_(scenario.model.none() ? std::nullopt
                                     : std::make_optional<Trainer>(scenario, fabric_.worker_count(), options.threads)),
      cluster_(make_cluster(scenario, fabric_, trainer_ ? &trainer_->model() : nullptr)),
      bounds_(bounds_of(fabric_, traffic_of(scenario.algorithm, cluster_), cluster_.compute_s,
                        static_cast<double>(cluster_.model_bytes), scenario.wire.header_bytes.value)),
      training_samples_(trainer_ ? trainer_->training_samples() : timing_only_samples(scenario.data)),
      stop_(scenario.stop, scenario.training.batch_size, training_samples_) {
  const Extent extent = extent_of(scenario, bounds_, cluster_.workers, static_cast<double>(training_samples_));
  check_extent(scenario, extent, cluster_, trainer_ ? &trainer_->model() : nullptr);
  network_.emplace(
      fabric_, liveness_, tracer_, scenario.seed, scenario.wire.header_bytes.value,
      [this](Message message) { node(message.target).deliver(std::move(message)); },
      [this] { wake_conductor_if_last(); });
  if (trainer_) {
    std::vector<std::string> names;
    for (int worker = 0; worker < cluster_.workers; ++worker) names.push_back(fabric_.name(worker));
    evaluator_.emplace(*trainer_, std::move(names));
  }
  for (int id = 0; id < cluster_.workers + cluster_.servers; ++id) {
    Payload start = trainer_ ? trainer_->initial_weights(id < cluster_.workers ? id : -1) : nullptr;
    nodes_.push_back(std::make_unique<SimNode>(*this, id, std::move(start)));
    programs_.push_back(make_program(scenario.algorithm, *nodes_.back()));
  }
}

Simulation::~Simulation() = default;

Simulation::Busy::~Busy() {
  --simulation_.liveness_.busy;
  simulation_.wake_conductor_if_last();
}

// --- actors ---

// What an actor throws ends the run and comes out of run(). Being killed at the end is no exception of ours.
void Simulation::guard(const std::function<void()>& body) {
  try {
    body();
    liveness_.do_postponed();
    return;
  } catch (const std::exception&) {
    if (!failure_) failure_ = std::current_exception();
  }
  something_happened_.ring();
}

void Simulation::start_actor(int node, const std::string& name, std::function<void()> body) {
  ++liveness_.waking;
  const auto ended = std::make_shared<bool>(false);
  const auto run_guarded = [this, ended, body = std::move(body)] {
    --liveness_.waking;
    guard(body);
    *ended = true;
  };
  // Its first turn comes before create() returns. SimGrid would count the dead among its daemons, and end a run in
  // which as many live as it counts.
  const sg::ActorPtr actor = sg::Actor::create(name, fabric_.host(node), run_guarded);
  if (!*ended) actor->daemonize();
}

void Simulation::start_nodes() {
  workers_at_work_ = cluster_.workers;
  for (int id = 0; id < static_cast<int>(nodes_.size()); ++id) {
    Program& program = *programs_[static_cast<std::size_t>(id)];
    start_actor(id, "main", [this, id, &program] {
      program.run();
      if (id >= cluster_.workers) return;
      --workers_at_work_;
      liveness_.do_postponed();
      wake_conductor_if_last();
    });
  }
}

// --- the end ---

bool Simulation::is_over() const { return !stopped_by_.empty() || failure_ || !deadlock_.empty(); }

// Whether no actor will ever go on by itself. Lets those that were woken in this instant have their turn first.
bool Simulation::is_quiet() const {
  const auto only_waking = [&] { return liveness_.busy == 0 && network_->is_idle() && liveness_.waking > 0; };
  while (only_waking()) sg::this_actor::yield();
  return liveness_.busy == 0 && network_->is_idle();
}

// Once the run is over actors are unwound, and an actor that is unwound must not ring.
void Simulation::wake_conductor_if_last() {
  if (!is_over() && workers_at_work_ == 0 && liveness_.busy == 0) something_happened_.ring();
}

void Simulation::end(const std::string& why) {
  if (is_over()) return;
  stopped_by_ = why;
  liveness_.later([this] { something_happened_.ring(); });
}

void Simulation::end_if_stuck() {
  if (workers_at_work_ == 0 || !is_quiet() || is_over()) return;
  deadlock_ = who_waits();
  something_happened_.ring();
}

void Simulation::conduct() {
  decide_the_end();
  if (!failure_ && deadlock_.empty()) {
    const double end_s = stopped_by_ == "time" ? scenario_.stop.time->value : sg::Engine::get_clock();
    if (evaluator_) evaluate_now(end_s);
    result_ = collect(end_s);
  }
  network_->stop();
}

void Simulation::decide_the_end() {
  if (evaluator_) {
    evaluate_now(0);
    if (scenario_.evaluate.every) start_actor(0, "evaluator", [this] { evaluate_on_time(); });
  }
  if (faults_.has_links()) {
    // What is stuck for good is no longer held up by the faults to come.
    start_actor(0, "faults", [this] { faults_.play([this] { end_if_stuck(); }); });
  }
  if (scenario_.stop.time) start_actor(0, "clock", [this] { end_on_time(); });
  while (!is_over()) {
    liveness_.do_postponed();
    something_happened_.wait();
    if (workers_at_work_ == 0 && is_quiet()) end(stop_.reason());
  }
}

void Simulation::cut_steps_short() {
  for (const auto& node : nodes_) node->cut_step_short();
}

// The clock's sums of intervals differ from the time meant in their last digits; the time meant is what is recorded.
void Simulation::end_on_time() {
  sg::this_actor::sleep_until(scenario_.stop.time->value);
  end_if_stuck();  // nothing but this clock may have kept a dead run going
  end("time");
}

std::string Simulation::who_waits() const {
  std::vector<std::string> lines;
  for (const auto& node : nodes_) node->describe_waiting(lines);
  network_->describe_waiting(lines);
  std::string text = "no node can go on";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 20) return text + "; and " + std::to_string(lines.size() - i) + " more wait";
    text += (i == 0 ? ": " : "; ") + lines[i];
  }
  return text;
}

// --- evaluation ---

std::vector<Payload> Simulation::final_models() const {
  std::vector<Payload> models;
  if (cluster_.servers == 1) return {nodes_.back()->weights().snapshot()};
  if (cluster_.servers > 1) {
    std::vector<float> whole;
    for (int server = 0; server < cluster_.servers; ++server) {
      const auto shard = nodes_[static_cast<std::size_t>(cluster_.workers + server)]->weights().read();
      whole.insert(whole.end(), shard.begin(), shard.end());
    }
    return {make_payload(std::move(whole))};
  }
  for (const auto& node : nodes_) models.push_back(node->weights().snapshot());
  return models;
}

// A worker of a parameter server only borrows the model: it is judged by the servers'.
void Simulation::evaluate_now(double time_s) {
  const auto models = final_models();
  const double batch = scenario_.training.batch_size;
  std::vector<WorkerPoint> workers;
  for (int worker = 0; worker < cluster_.workers; ++worker) {
    SimNode& node = *nodes_[static_cast<std::size_t>(worker)];
    const std::int64_t steps = node.counted_steps();
    workers.push_back({models.size() == 1 ? models[0] : models[static_cast<std::size_t>(worker)], steps,
                       static_cast<double>(steps) * batch, node.take_train_loss()});
  }
  const double epoch = static_cast<double>(steps_) * batch / static_cast<double>(training_samples_);
  evaluator_->add(time_s, network_->bytes_sent(), epoch, std::move(workers));
  if (scenario_.stop.accuracy && evaluator_->last_accuracy() >= *scenario_.stop.accuracy) end("accuracy");
  report_progress();
}

void Simulation::evaluate_on_time() {
  const double every_s = scenario_.evaluate.every->value;
  // Multiples, not a running sum: the k-th point lies at k times the interval. The last is taken when the run ends.
  for (std::int64_t point = 1; !is_over(); ++point) {
    const double time_s = static_cast<double>(point) * every_s;
    if (scenario_.stop.time && time_s >= scenario_.stop.time->value) return;
    if (static_cast<double>(point) > most_evaluations) {
      throw InputError(fmt::format("$.evaluate.every: {} s asks for more than {:.0f} evaluations; expected fewer",
                                   every_s, most_evaluations));
    }
    sg::this_actor::sleep_until(time_s);
    end_if_stuck();
    if (!is_over()) evaluate_now(time_s);
    liveness_.do_postponed();
  }
}

void Simulation::step_finished() {
  ++steps_;
  stop_.count_step();
  if (has_enough_samples()) liveness_.later([this] { cut_steps_short(); });
  const auto every = scenario_.evaluate.every_iterations;
  if (evaluator_ && every && steps_ % (*every * cluster_.workers) == 0) evaluate_now(sg::Engine::get_clock());
  if (steps_ % 64 == 0) report_progress();
}

void Simulation::diverged(int worker, std::int64_t step, const char* what) {
  if (is_over()) return;
  divergence_ = Divergence{worker, step, now(), what};
  end("diverged");
}

double Simulation::now() {
  const double now_s = sg::Engine::get_clock();
  check(now_s >= latest_s_, "simulated time never goes back");
  return latest_s_ = now_s;
}

void Simulation::report_progress() {
  if (!options_.progress) return;
  const double accuracy = evaluator_ ? evaluator_->known_accuracy() : -1;
  const double steps_per_worker = static_cast<double>(steps_) / cluster_.workers;
  const double now_s = sg::Engine::get_clock();
  options_.progress({stop_.fraction(now_s, steps_per_worker, accuracy), now_s, accuracy});
}

// --- running ---

RunResult Simulation::run() {
  start_nodes();
  // The only actor that is not a daemon: when it returns, SimGrid ends all others.
  sg::Actor::create("conductor", fabric_.host(0), [this] { guard([this] { conduct(); }); });
  sg::Engine::on_deadlock_cb([this] { deadlock_ = who_waits(); });
  fabric_.engine().run();
  if (failure_) std::rethrow_exception(failure_);
  if (!deadlock_.empty()) throw RunFailed(deadlock_);
  return std::move(result_);
}

}  // namespace ddl
