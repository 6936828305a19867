// Hosts that crash, restart, join and leave, as the simulation does it.
//
// An actor is unwound by an exception that its waiting verb throws; it is not killed, for who has been killed cannot
// say any more that it was about to wake. An instant in which somebody is about to be woken is waited out first: nobody
// else then holds what lies on the stacks that are unwound.
#include <simgrid/s4u/Actor.hpp>

#include "core/systems/table.hpp"
#include "sim/runtime/sim_node.hpp"
#include "sim/runtime/simulation.hpp"

namespace ddl::runtime {

namespace sg = simgrid::s4u;

void Simulation::play_host_events() {
  for (std::size_t i = 0; i < hosts_.schedule().size() && !is_over(); ++i) {
    const HostEvent& event = hosts_.schedule()[i];
    if (event.time_s > now()) sg::this_actor::sleep_until(event.time_s);
    settle_instant();
    if (is_over()) return;
    hosts_.pass(i + 1);
    if (event.kind == HostEvent::join && node(event.node).is_leaving()) {
      ++fault_counts_.joins;
      node(event.node).take_steps_again();
    } else if (hosts_.apply_event(event)) {
      change_host(event);
    }
  }
  quiescence_.do_postponed();
  end_if_stuck();  // what is stuck for good is no longer held up by what was to come
}

void Simulation::change_host(const HostEvent& event) {
  switch (event.kind) {
    case HostEvent::crash:
      ++fault_counts_.crashes;
      return take_down(event.node, node(event.node).is_leaving() ? Presence::away : Presence::down);
    case HostEvent::restart_kept:
    case HostEvent::restart_lost:
      ++fault_counts_.restarts;
      return bring_up(event.node, hosts_.has_lost(event.node));
    case HostEvent::join:
      ++fault_counts_.joins;
      return bring_up(event.node, true);
    case HostEvent::leave:
      ++fault_counts_.leaves;
      return leave(event.node);
  }
}

void Simulation::settle_instant() {
  quiescence_.do_postponed();
  while ((quiescence_.waking > 0 || host_changes_) && !is_over()) sg::this_actor::yield();
}

void Simulation::take_down(int id, Presence presence) {
  SimNode& gone = node(id);
  host_changes_ = true;
  hosts_.set(id, presence, now());
  gone.crash();
  network_->set_reachable(id, false);
  while (gone.has_actors() && !is_over()) {  // again and again: one may just have begun to compute or to wait
    gone.unwind();
    sg::this_actor::yield();
  }
  if (is_over()) return;
  programs_[static_cast<std::size_t>(id)].reset();
  const bool joins = gone.returns(), returns = joins && presence == Presence::away;
  if (gone.discard_state()) ++fault_counts_.steps_lost;
  const bool was_at_work = at_work_[static_cast<std::size_t>(id)];
  if (was_at_work) stop_work(id);
  to_come_[static_cast<std::size_t>(id)] = id < cluster_.workers &&
                                           (was_at_work || joins || presence == Presence::away) &&
                                           (returns || hosts_.starts_later(id));
  notify_presence(id);
  host_changes_ = false;
  if (returns) return bring_up(id, true);
  wake_conductor_if_last();
}

void Simulation::bring_up(int id, bool without_state) {
  hosts_.set(id, Presence::up, now());
  network_->set_reachable(id, true);
  node(id).start(without_state, trainer_ ? trainer_->initial_weights(id < cluster_.workers ? id : -1) : nullptr);
  programs_[static_cast<std::size_t>(id)] = systems::make_program(*scenario_.algorithm, node(id));
  notify_presence(id);
  start_main(id);
}

// A worker that crashes when its steps are over is no more waited for than one that has left.
Presence Simulation::presence(int node) const {
  const Presence presence = hosts_.presence(node);
  return presence == Presence::down && has_finished_[static_cast<std::size_t>(node)] ? Presence::away : presence;
}

void Simulation::notify_presence(int id) {
  for (const auto& other : nodes_) {
    if (other->id() != id && hosts_.up(other->id())) other->notify_presence(id, presence(id));
  }
  quiescence_.do_postponed();
}

// Its program ends with the step it is in; then what it has sent is waited for. One that is down has nothing to end.
void Simulation::leave(int id) {
  if (!hosts_.up(id)) {
    hosts_.set(id, Presence::away, now());
    to_come_[static_cast<std::size_t>(id)] = hosts_.starts_later(id);
    notify_presence(id);
    return wake_conductor_if_last();
  }
  to_come_[static_cast<std::size_t>(id)] = hosts_.starts_later(id);
  node(id).take_no_more_steps();
  if (!node(id).has_main()) start_departure(id);
}

void Simulation::start_departure(int id) {
  start_actor(0, "departure", [this, id, life = node(id).incarnation()] {
    network_->wait_until_all_delivered(id);
    settle_instant();
    if (!is_over() && hosts_.up(id) && node(id).incarnation() == life) take_down(id, Presence::away);
  });
}

}  // namespace ddl::runtime
