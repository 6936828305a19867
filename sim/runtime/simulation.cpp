#include "sim/runtime/simulation.hpp"

#include <algorithm>
#include <utility>

#include "core/base/check.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/table.hpp"
#include "sim/experiment/workload.hpp"
#include "sim/platform/simgrid_api.hpp"
#include "sim/runtime/sim_node.hpp"

namespace ddl::runtime {

namespace sg = simgrid::s4u;

namespace {

std::vector<float> taken(const std::vector<float>& values, const std::vector<std::uint32_t>& places) {
  std::vector<float> own;
  own.reserve(places.size());
  for (const std::uint32_t place : places) own.push_back(values[place]);
  return own;
}

}  // namespace

Simulation::Simulation(const scenario::Scenario& scenario, const RunOptions& options)
    : scenario_(scenario),
      options_(options),
      fabric_(scenario),
      hosts_(scenario, fabric_),
      tracer_(fabric_, scenario.record.trace),
      faults_(fabric_),
      trainer_(scenario.model.none()
                   ? std::nullopt
                   : std::make_optional<experiment::Trainer>(scenario, fabric_.worker_count(), options.threads)),
      cluster_(make_cluster(scenario, fabric_, trainer_ ? &trainer_->model() : nullptr)),
      sharing_(sharing_of(scenario, cluster_)),
      held_(trainer_ ? scenario.algorithm->parts(cluster_) : std::vector<std::vector<std::uint32_t>>()),
      bounds_(network::bounds_of(fabric_, scenario.algorithm->traffic(cluster_), cluster_.compute_s,
                                 static_cast<double>(cluster_.model_bytes), scenario.wire.header_bytes.value)),
      training_samples_(trainer_ ? trainer_->training_samples() : cluster_.training_samples),
      stop_(scenario.stop, scenario.training.batch_size, sharing_, training_samples_) {
  cluster_.training_samples = training_samples_;
  const experiment::Workload workload =
      experiment::workload_of(scenario, bounds_, cluster_.workers / sharing_, static_cast<double>(training_samples_));
  experiment::check_workload(scenario, workload, cluster_, trainer_ ? &trainer_->model() : nullptr);
  staleness_bound_ = scenario.algorithm->most_steps_ahead();
  network_ = std::make_unique<network::Network>(
      fabric_, quiescence_, tracer_, scenario.seed, scenario.wire.header_bytes.value,
      // NOLINTNEXTLINE(bugprone-use-after-move): whose it is, is read first
      [this](Message message) { node(message.target).deliver(std::move(message)); },
      [this] { wake_conductor_if_last(); });
  if (trainer_) {
    std::vector<std::string> names;
    for (int worker = 0; worker < cluster_.workers; ++worker) names.push_back(fabric_.name(worker));
    evaluator_.emplace(*trainer_, std::move(names));
  }
  for (int id = 0; id < cluster_.workers + cluster_.servers; ++id) {
    Payload start = trainer_ ? trainer_->initial_weights(id < cluster_.workers ? id : -1) : nullptr;
    if (!held_.empty()) start = make_payload(taken(*start, held_[static_cast<std::size_t>(id)]));
    nodes_.push_back(std::make_unique<SimNode>(*this, id, start));
    programs_.push_back(systems::make_program(*scenario.algorithm, *nodes_.back()));
  }
  for (std::vector<char>* flags : {&at_work_, &to_come_, &has_finished_}) flags->resize(nodes_.size());
}

Simulation::~Simulation() = default;

std::size_t Simulation::evaluated_samples() const {
  if (trainer_) return trainer_->evaluated_samples();
  return static_cast<std::size_t>(
      scenario_.evaluate.samples.value_or(scenario_.data.test.value_or(data::synthetic_test_samples)));
}

Simulation::Busy::~Busy() {
  network::Quiescence& quiescence = simulation_.quiescence_;
  --quiescence.busy;
  // An actor that is unwound must not wait, as SimGrid has whoever rings; take_down rings instead.
  if (std::uncaught_exceptions() > 0) return;
  ++quiescence.waking;  // who rings has not come to a rest: the conductor may have its turn first
  simulation_.wake_conductor_if_last();
  --quiescence.waking;
}

// --- actors ---

// What an actor throws ends the run and comes out of run(). Being killed at the end is no exception of ours.
void Simulation::guard(const std::function<void()>& body) {
  try {
    body();
    quiescence_.do_postponed();
    return;
  } catch (const std::exception&) {
    if (!failure_) failure_ = std::current_exception();
  }
  something_happened_.ring();
}

void Simulation::start_actor(int host, const std::string& name, std::function<void()> body) {
  ++quiescence_.waking;
  const auto ended = std::make_shared<bool>(false);
  const auto run_guarded = [this, ended, body = std::move(body)] {
    --quiescence_.waking;
    guard(body);
    *ended = true;
  };
  // Its first turn comes before add_actor() returns. SimGrid would count the dead among its daemons, and end a run in
  // which as many live as it counts.
  const sg::ActorPtr actor = simgrid_api::add_actor(name, fabric_.host(host), run_guarded);
  if (!*ended) actor->daemonize();
}

void Simulation::start_actor_of(SimNode& node, const std::string& name, std::function<void()> body) {
  node.actor_starts();
  start_actor(node.id(), name, [this, &node, body = std::move(body)] {
    try {
      body();
      quiescence_.do_postponed();
    } catch (const SimNode::Crashed&) {
      // Nothing may wait in here; who has crashed wakes nobody.
    }
    node.actor_ends();
  });
}

void Simulation::start_main(int id) {
  if (id < cluster_.workers) {
    at_work_[static_cast<std::size_t>(id)] = true;
    has_finished_[static_cast<std::size_t>(id)] = false;
    to_come_[static_cast<std::size_t>(id)] = false;
    ++workers_at_work_;
  }
  SimNode& runs = node(id);
  runs.set_main(true);
  start_actor_of(runs, "main", [this, id, &runs] {
    programs_[static_cast<std::size_t>(id)]->run();
    runs.set_main(false);
    if (id >= cluster_.workers) return;
    stop_work(id);
    has_finished_[static_cast<std::size_t>(id)] = true;
    if (runs.is_leaving() || runs.returns()) {
      start_departure(id);
    } else {
      to_come_[static_cast<std::size_t>(id)] = false;
    }
    quiescence_.do_postponed();
    wake_conductor_if_last();
  });
}

void Simulation::start_nodes() {
  for (int id = 0; id < static_cast<int>(nodes_.size()); ++id) {
    if (hosts_.up(id)) {
      start_main(id);
      continue;
    }
    programs_[static_cast<std::size_t>(id)].reset();
    network_->set_reachable(id, false);
    to_come_[static_cast<std::size_t>(id)] = id < cluster_.workers;
  }
}

void Simulation::stop_work(int id) {
  at_work_[static_cast<std::size_t>(id)] = false;
  --workers_at_work_;
}

// Nobody is at work nor will be: who comes back when the run has its samples has no use for it.
bool Simulation::work_is_over() const {
  return workers_at_work_ == 0 && (has_enough_samples() || std::ranges::find(to_come_, true) == to_come_.end());
}

// --- the end ---

bool Simulation::is_over() const { return !stopped_by_.empty() || failure_ || !deadlock_.empty(); }

// Whether no actor will ever go on by itself. Lets those that were woken in this instant have their turn first.
bool Simulation::is_quiet() const {
  const auto only_waking = [&] { return quiescence_.busy == 0 && network_->is_idle() && quiescence_.waking > 0; };
  while (only_waking()) sg::this_actor::yield();
  return quiescence_.busy == 0 && network_->is_idle();
}

// Once the run is over actors are unwound, and an actor that is unwound must not ring.
void Simulation::wake_conductor_if_last() {
  if (!is_over() && workers_at_work_ == 0 && quiescence_.busy == 0) something_happened_.ring();
}

void Simulation::end(const std::string& why) {
  if (is_over()) return;
  stopped_by_ = why;
  quiescence_.later([this] { something_happened_.ring(); });
}

void Simulation::end_if_stuck() {
  if (work_is_over() || hosts_.any_to_come() || host_changes_ || !is_quiet() || is_over()) return;
  deadlock_ = waiting_text();
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
  if (hosts_.any()) start_actor(0, "hosts", [this] { play_host_events(); });
  while (!is_over()) {
    quiescence_.do_postponed();
    something_happened_.wait();
    if (!work_is_over() || !is_quiet() || is_over()) continue;
    if (!stop_.reason().empty()) {
      end(stop_.reason());
    } else if (hosts_.all_up()) {
      end("finished");
    } else {
      deadlock_ = waiting_text();  // all have gone before the end
    }
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

std::string Simulation::waiting_text() const {
  std::vector<std::string> lines;
  hosts_.describe_absent(lines);
  for (std::size_t id = 0; id < nodes_.size(); ++id) {
    if (programs_[id]) nodes_[id]->describe_waiting(lines);
  }
  network_->describe_waiting(lines);
  std::string text = "no node can go on";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 20) return text + "; and " + std::to_string(lines.size() - i) + " more wait";
    text += (i == 0 ? ": " : "; ") + lines[i];
  }
  return text;
}

void Simulation::step_finished(int worker) {
  check_lead(worker);
  ++steps_;
  stop_.count_step();
  if (has_enough_samples()) quiescence_.later([this] { cut_steps_short(); });
  const auto every = scenario_.evaluate.every_iterations;
  if (evaluator_ && every && steps_ % (*every * cluster_.workers) == 0) evaluate_now(sg::Engine::get_clock());
  if (steps_ % 64 == 0) report_progress();
}

void Simulation::diverged(int worker, std::int64_t step, const char* what) {
  if (is_over()) return;
  divergence_ = experiment::Divergence{worker, step, now(), what};
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

experiment::RunResult Simulation::run() {
  start_nodes();
  // The only actor that is not a daemon: when it returns, SimGrid ends all others.
  simgrid_api::add_actor("conductor", fabric_.host(0), [this] { guard([this] { conduct(); }); });
  sg::Engine::on_deadlock_cb([this] { deadlock_ = waiting_text(); });
  fabric_.engine().run();
  if (failure_) std::rethrow_exception(failure_);
  if (!deadlock_.empty()) throw process::RunFailed(deadlock_);
  return std::move(result_);
}

}  // namespace ddl::runtime
