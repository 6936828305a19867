#include "sim/run/actors/host_life.hpp"

#include <algorithm>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "core/systems/table.hpp"
#include "sim/run/actors/sim_node.hpp"

namespace ddl::run {

namespace sg = simgrid::s4u;

HostLife::HostLife(Run run) : run_(run), programs_(run.nodes.count()) {}

HostLife::~HostLife() = default;

// --- programs ---

void HostLife::start() {
  for (const auto& node : run_.nodes) make_program(node->id());
  for (int id = 0; id < programs_.count(); ++id) {
    if (run_.hosts.up(id)) {
      start_main(id);
      continue;
    }
    programs_[id].reset();
    run_.network.set_reachable(id, false);
    run_.workers.expect(id, run_.hosts.starts_later(id));
  }
}

void HostLife::make_program(int id) {
  programs_[id] = systems::make_program(*run_.experiment.scenario().algorithm, node(id));
}

void HostLife::start_main(int id) {
  run_.workers.begins(id);
  SimNode& runs = node(id);
  runs.begin_main();
  run_.actors.start_of(runs, "main", [this, id, &runs] {
    programs_[id]->run();
    runs.end_main();
    if (!runs.is_worker()) return;
    run_.workers.finishes(id);
    if (runs.is_leaving()) {
      start_departure(id);
    } else {
      run_.workers.expect(id, false);
    }
    run_.quiescence.do_postponed();
    run_.conductor.wake_if_no_work_is_left();
  });
}

// --- events ---

void HostLife::play() {
  for (std::size_t i = 0; i < run_.hosts.schedule().size() && !run_.end.is_over(); ++i) {
    const HostEvent& event = run_.hosts.schedule()[i];
    if (event.time_s > sg::Engine::get_clock()) sg::this_actor::sleep_until(event.time_s);
    settle_instant();
    if (run_.end.is_over()) return;
    run_.hosts.pass(i + 1);
    if (std::ranges::find(pending_starts_, event.node, &Start::node) != pending_starts_.end()) bring_up_pending();
    if (event.kind == HostEvent::join && node(event.node).is_leaving()) {
      ++counts_.joins;
      node(event.node).take_steps_again();
    } else if (run_.hosts.apply_event(event)) {
      change(event);
    }
    if (!run_.hosts.any_to_come() || run_.hosts.schedule()[i + 1].time_s > sg::Engine::get_clock()) bring_up_pending();
  }
  run_.quiescence.do_postponed();
  run_.conductor.wake_if_no_work_is_left();  // as where all are away from the beginning
  run_.conductor.end_if_stuck();             // future events must not hide a deadlock
}

void HostLife::change(const HostEvent& event) {
  switch (event.kind) {
    case HostEvent::crash:
      counts_.crashes += run_.hosts.is_first_on_host(event.node);
      return take_down(event.node, node(event.node).leaves_for_good() ? Presence::away : Presence::down);
    case HostEvent::restart_kept:
    case HostEvent::restart_lost:
      counts_.restarts += run_.hosts.is_first_on_host(event.node);
      return pending_starts_.push_back({event.node, run_.hosts.has_lost(event.node)});
    case HostEvent::join:
      ++counts_.joins;
      return pending_starts_.push_back({event.node, true});
    case HostEvent::leave:
      ++counts_.leaves;
      return leave(event.node);
  }
}

void HostLife::settle_instant() {
  run_.quiescence.do_postponed();
  run_.network.wait_for_the_instant();
  while ((run_.quiescence.is_any_turn_expected() || run_.hosts.is_changing()) && !run_.end.is_over()) {
    sg::this_actor::yield();
  }
}

void HostLife::take_down(int id, Presence presence, bool returns) {
  SimNode& gone = node(id);
  run_.hosts.set_changing(true);
  run_.hosts.set(id, presence, sg::Engine::get_clock());
  gone.crash();
  run_.network.set_reachable(id, false);
  while (gone.has_actors() && !run_.end.is_over()) {  // repeatedly: one may just have begun to compute or to wait
    gone.unwind();
    sg::this_actor::yield();
  }
  if (run_.end.is_over()) return;
  counts_.steps_unshared += programs_[id]->steps_unshared();
  programs_[id].reset();
  const bool is_to_return = gone.returns(), leaves_again = gone.leaves_again();
  counts_.steps_lost += gone.discard_state();
  const bool was_at_work = run_.workers.is_at_work(id);
  run_.workers.stops(id);
  run_.workers.expect(
      id, (was_at_work || is_to_return || presence == Presence::away) && (returns || run_.hosts.starts_later(id)));
  notify_presence(id);
  run_.hosts.set_changing(false);
  if (returns) return bring_up({{id, true, leaves_again}});
  run_.conductor.wake_if_no_work_is_left();
}

// All are there before the first of them runs. Where none of the workers finds another with a model they do not hear of
// each other's coming, either: they start as at the beginning of a run.
void HostLife::bring_up(const std::vector<Start>& starts) {
  const bool afresh = run_.hosts.workers_up() == 0 && std::ranges::all_of(starts, [this](const Start& start) {
                        return start.without_state || !node(start.node).is_worker();
                      });
  for (const auto& [id, without_state, leaves] : starts) {
    run_.hosts.set(id, Presence::up, sg::Engine::get_clock());
    run_.network.set_reachable(id, true);
    const HostStart without = afresh ? HostStart::afresh : HostStart::without_state;
    node(id).start(without_state ? without : HostStart::with_state, run_.experiment.first_weights(id));
    if (leaves) node(id).take_no_more_steps();
    if (!afresh) make_program(id);
    notify_presence(id);
  }
  for (const Start& start : starts) {
    if (afresh) make_program(start.node);
  }
  for (const Start& start : starts) start_main(start.node);
}

// Its program ends with the step it is in; then what it has sent is waited for. One that is down has nothing to end.
void HostLife::leave(int id) {
  const bool up = run_.hosts.up(id);
  if (!up) run_.hosts.set(id, Presence::away, sg::Engine::get_clock());
  run_.workers.expect(id, run_.hosts.starts_later(id));
  if (!up) {
    notify_presence(id);
    return run_.conductor.wake_if_no_work_is_left();
  }
  node(id).take_no_more_steps();
  if (!node(id).has_main()) start_departure(id);
}

void HostLife::start_departure(int id) {
  run_.actors.start("departure", [this, id, life = node(id).incarnation()] {
    run_.network.wait_until_all_delivered(id);
    settle_instant();
    if (!run_.end.is_over() && run_.hosts.up(id) && node(id).incarnation() == life) {
      take_down(id, Presence::away, node(id).returns());
    }
  });
}

// --- presence ---

// A worker that crashes when its steps are over is not waited for, like one that has left.
Presence HostLife::presence(int node) const {
  const Presence presence = run_.hosts.presence(node);
  return presence == Presence::down && run_.workers.has_finished(node) ? Presence::away : presence;
}

void HostLife::notify_presence(int id) {
  for (const auto& other : run_.nodes) {
    if (other->id() != id && program(other->id()) != nullptr) other->notify_presence(id, presence(id));
  }
  run_.quiescence.do_postponed();
}

}  // namespace ddl::run
