#include "sim/run/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <utility>

#include "core/base/check.hpp"
#include "sim/run/actors/sim_node.hpp"
#include "sim/run/rows/collection.hpp"
#include "sim/scenario/checks/checks.hpp"

namespace ddl::run {

namespace sg = simgrid::s4u;

namespace {

void call_now_and_then(const std::function<void()>& call) {
  sg::Engine::on_time_advance_cb([call, advances = 0](double) mutable {
    if (++advances % 256 == 0) call();
  });
}

}  // namespace

Simulation::Simulation(const scenario::Scenario& scenario, const RunOptions& options)
    : options_(options),
      fabric_(scenario),
      hosts_(scenario, fabric_),
      tracer_(fabric_, scenario.record.trace),
      platform_changes_(fabric_),
      experiment_(scenario, fabric_, options),
      network_(fabric_, quiescence_, tracer_, scenario::network_seed(scenario), scenario.wire.header_bytes.value,
               // NOLINTNEXTLINE(bugprone-use-after-move): whose it is, is read first
               [this](Message message) { node(message.target).deliver(std::move(message)); }),
      workers_(cluster().workers, experiment_.nodes()),
      conductor_({end_, quiescence_, experiment_.stop_rule(), workers_, hosts_}, [this] { return waiting_text(); }),
      actors_(fabric_, quiescence_, end_, [this] { conductor_.wake(); }) {
  for (int id = 0; id < experiment_.nodes(); ++id) {
    nodes_.push_back(std::make_unique<SimNode>(*this, id, experiment_.first_weights(id)));
  }
  host_life_ = std::make_unique<HostLife>(
      HostLife::Run{experiment_, end_, quiescence_, network_, hosts_, workers_, actors_, conductor_, nodes_});
}

Simulation::~Simulation() = default;

// --- running ---

RunResult Simulation::run() {
  host_life_->start();
  actors_.start_last("conductor", [this] { conduct(); });
  sg::Engine::on_deadlock_cb([this] { conductor_.fail_as_stuck(); });
  if (options_.progress) call_now_and_then([this] { report_progress(); });  // a first step may take very long
  fabric_.engine().run();
  end_.rethrow_failure();
  return std::move(result_);
}

void Simulation::conduct() {
  if (options_.progress) expected_s_ = experiment_.expected_s();
  report_progress();
  start_actors();
  conductor_.wait_for_the_end();
  if (!end_.has_failed()) {
    if (trainer() != nullptr) evaluate_now(end_.time_s());
    result_ = collect();
  }
  network_.stop();
}

void Simulation::start_actors() {
  if (trainer() != nullptr) {
    evaluate_now(0);
    if (scenario().evaluate.every) actors_.start("evaluator", [this] { evaluate_on_time(); });
  }
  if (platform_changes_.has_links()) {
    // Future faults must not hide a deadlock.
    actors_.start("platform changes", [this] { platform_changes_.play([this] { conductor_.end_if_stuck(); }); });
  }
  if (const auto& limit = scenario().stop.time) {
    actors_.start("clock", [this, limit_s = limit->value] {
      sg::this_actor::sleep_until(limit_s);
      network_.wait_for_the_instant();
      conductor_.end_at(limit_s);
    });
  }
  if (hosts_.any()) actors_.start("hosts", [this] { host_life_->play(); });
}

std::string Simulation::waiting_text() const {
  std::vector<std::string> absent, waits;
  hosts_.describe_absent(absent);
  for (const auto& node : nodes_) {
    if (host_life_->program(node->id()) != nullptr) node->describe_waiting(waits);
  }
  network_.describe_waiting(waits);
  std::vector<std::string> told;
  for (const auto& lines : {absent, waits}) {
    constexpr std::size_t most = 6;
    told.insert(told.end(), lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(most, lines.size())));
    if (lines.size() > most) told.push_back(fmt::format("and {} more", lines.size() - most));
  }
  return told.empty() ? "no node can go on" : "no node can go on: " + joined(told);
}

double Simulation::now() {
  const double now_s = sg::Engine::get_clock();
  check(now_s >= latest_s_, "simulated time never goes back");
  return latest_s_ = now_s;
}

// --- steps ---

void Simulation::step_finished(int worker) {
  check_lead(worker);
  experiment_.stop_rule().count_step(now());
  if (has_enough_samples()) {
    quiescence_.later([this] {
      for (const auto& node : nodes_) node->cut_step_short();
    });
  }
  if (experiment_.judges_by_steps()) {
    judge_by_steps(worker);
  } else if (experiment_.evaluations_by_steps() > evaluations_by_steps_) {
    evaluations_by_steps_ = experiment_.evaluations_by_steps();
    evaluate_now(sg::Engine::get_clock());
  }
  // Steps with math may take seconds each.
  if (trainer() != nullptr || experiment_.steps() % 64 == 0) report_progress();
}

// A worker whose step is over is no further ahead than the system's staleness bound and two steps: the one that is over
// here, and the slowest's own, whose gradient has come already.
void Simulation::check_lead(int worker) const {
  const auto bound = scenario().algorithm->most_steps_ahead();
  if (!bound || cluster().hosts_change) return;
  const std::int64_t ahead = nodes_[worker]->step();
  for (int other = 0; other < cluster().workers; ++other) {
    const std::int64_t behind = nodes_[other]->step();
    if (!workers_.is_at_work(other) || ahead - behind <= *bound + 2) continue;
    throw InternalError(
        fmt::format("{} is at step {} at {} s, further ahead of {} at step {} than the staleness bound {}",
                    fabric_.name(worker), ahead, sg::Engine::get_clock(), fabric_.name(other), behind, *bound));
  }
}

void Simulation::diverged(int worker, std::int64_t step, const char* what) {
  conductor_.diverged({worker, step, now(), what});
}

// --- evaluations ---

NodeState Simulation::state_of(SimNode& node) {
  const int id = node.id();
  const Program* program = host_life_->program(id);
  NodeState state{nullptr, node.counted_steps(), node.take_train_loss(), hosts_.up(id)};
  if (experiment_.judges(id)) state.weights = node.weights().snapshot();
  Payload judged = experiment_.judges(id) && program != nullptr ? program->judged_model() : nullptr;
  if (judged) state.replica = std::exchange(state.weights, std::move(judged));
  return state;
}

std::vector<NodeState> Simulation::node_states() {
  std::vector<NodeState> states;
  for (const auto& node : nodes_) states.push_back(state_of(*node));
  return states;
}

// Takes the worker's state after a multiple of its steps, and evaluates once all have taken so many.
void Simulation::judge_by_steps(int worker) {
  const std::int64_t steps = nodes_[worker]->counted_steps(), every = *scenario().evaluate.every_iterations;
  if (steps % every != 0) return;
  const auto place = static_cast<std::size_t>(steps / every - 1 - evaluations_by_steps_);
  if (place == awaited_.size()) awaited_.emplace_back(nodes_.size(), 0);
  auto& [states, taken] = awaited_.at(place);
  states[static_cast<std::size_t>(worker)] = state_of(*nodes_[worker]);
  if (++taken < experiment_.stepping()) return;
  std::vector<NodeState> all = std::move(states);
  awaited_.pop_front();
  ++evaluations_by_steps_;
  evaluate(sg::Engine::get_clock(), std::move(all));
}

void Simulation::evaluate(double time_s, std::vector<NodeState> states) {
  const Program* first = host_life_->program(0);
  const char* reached = experiment_.evaluate(time_s, network_.bytes_sent(), std::move(states),
                                             first != nullptr ? first->ensemble() : std::vector<Voter>());
  if (reached != nullptr) conductor_.end(reached);
  report_progress();
}

void Simulation::evaluate_on_time() {
  const double every_s = scenario().evaluate.every->value;
  // Multiples, not a running sum: the k-th point lies at k times the interval. The last is taken when the run ends.
  for (std::int64_t point = 1; !end_.is_over(); ++point) {
    const double time_s = static_cast<double>(point) * every_s;
    if (scenario().stop.time && time_s >= scenario().stop.time->value) return;
    if (static_cast<double>(point) > scenario::most_evaluations) {
      throw InputError(fmt::format("$.evaluate.every: {} s asks for more than {:.0f} evaluations; expected fewer",
                                   every_s, scenario::most_evaluations));
    }
    sg::this_actor::sleep_until(time_s);
    conductor_.end_if_stuck();
    if (!end_.is_over()) evaluate_now(time_s);
    quiescence_.do_postponed();
  }
}

void Simulation::report_progress() {
  if (options_.progress) {
    Progress progress = experiment_.progress(sg::Engine::get_clock());
    progress.expected_s = expected_s_;
    options_.progress(progress);
  }
  tell_evaluations(false);
}

void Simulation::tell_evaluations(bool all) {
  if (!options_.evaluated) return;
  for (const CurveRow& row : experiment_.take_known(all)) options_.evaluated(row);
}

// --- the result ---

RunResult Simulation::collect() {
  network_.check_accounts();
  const network::Totals network = network_.totals();
  std::vector<const LearningNode*> nodes;
  for (const auto& node : nodes_) nodes.push_back(node.get());
  RunResult result = run::collect(experiment_, end_, nodes, node_states(), network);
  tell_evaluations(true);
  for (const IterationRow& row : result.iterations) {
    check(row.end_s <= latest_s_, "a step ends before the run does");
  }
  if (!scenario().faults.empty()) {
    result.faults = host_life_->counts();
    result.faults->messages_lost = network.messages_lost;
    result.faults->messages_sent_again = network.messages_sent_again;
    result.faults->bytes_lost = network.bytes_lost;
    result.absences = hosts_.absences(end_.time_s());
  }
  result.network = fabric_.network_plan();
  network_.end_observation();
  if (tracer_.is_on()) {
    result.trace = tracer_.take(end_.time_s());
    result.trace->faults = platform_changes_.intervals(end_.time_s());
    std::ranges::copy(result.absences, std::back_inserter(result.trace->faults));
  }
  return result;
}

}  // namespace ddl::run
