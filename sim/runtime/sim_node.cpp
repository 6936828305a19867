#include "sim/runtime/sim_node.hpp"

#include <algorithm>
#include <cmath>
#include <simgrid/Exception.hpp>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <utility>

#include "core/node/vectors.hpp"
#include "sim/experiment/cluster.hpp"

namespace ddl::runtime {

namespace sg = simgrid::s4u;

SimNode::SimNode(Simulation& simulation, int id, const Payload& start)
    : experiment::LearningNode(simulation.scenario(), simulation.cluster(), id,
                               part_held(start, simulation.cluster(), id)),
      simulation_(simulation) {}

Payload SimNode::part_held(const Payload& model, const Cluster& cluster, int id) {
  return id < cluster.workers ? model : share_part(model, cluster.slice_of(id));
}

double SimNode::now() const { return simulation_.now(); }

// --- steps ---

bool SimNode::next_step() {
  if (leaving_ || !simulation_.may_begin_step(begun_steps())) return false;
  returns_ = false;
  begin_step();
  return true;
}

void SimNode::finish_step() {
  end_step();
  if (simulation_.has_enough_samples()) return;
  count_step();
  simulation_.step_finished(id());
}

void SimNode::record_staleness(const Staleness& staleness) {
  simulation_.node(staleness.worker).set_staleness(staleness.step, staleness.staleness);
}

// --- learning ---

Gradient SimNode::gradient_of(std::vector<std::uint32_t> samples) {
  experiment::Trainer* trainer = simulation_.trainer();
  std::unique_ptr<experiment::Trainer::Gradient> job;
  if (trainer != nullptr) job = trainer->begin_gradient(id(), weights().snapshot(), std::move(samples));
  spend_on_gradient(gradient_seconds());
  check_not_crashed();
  if (!job) return {};
  Payload gradient = job->wait();
  if (const char* what = job->not_finite()) end_as_diverged(what);
  record_loss(job->loss());
  return {std::move(gradient), job->loss()};
}

void SimNode::record_loss(double loss) {
  if (!std::isfinite(loss)) end_as_diverged("loss");
  note_loss(loss);
}

void SimNode::end_as_diverged(const char* what) {
  simulation_.diverged(id(), row().iteration, what);
  wait_for_the_end();
}

void SimNode::wait_for_the_end() {
  simulation_.quiescence().do_postponed();
  network::Signal never(simulation_.quiescence());
  never.wait();
}

void SimNode::compute(double seconds) {
  spend(seconds * experiment::slowdown_of(simulation_.scenario(), simulation_.fabric().name(id())));
}

void SimNode::spend(double seconds) {
  simulation_.quiescence().do_postponed();
  check_not_crashed();
  if (seconds <= 0) return;
  {
    const Simulation::Busy busy(simulation_);
    const auto traced = simulation_.tracer().begin(experiment::TraceSpan::work, id(), step());
    const auto work = sg::this_actor::exec_init(seconds * simulation_.fabric().speed_flops(id()));
    working_.push_back(work);
    wait_for(work);
    std::erase(working_, work);
    simulation_.tracer().end(traced);
  }
  check_not_crashed();
}

// Whether it came to its end, and was not cancelled.
bool SimNode::wait_for(const sg::ExecPtr& work) {
  try {
    work->start()->wait();
    return true;
  } catch (const simgrid::CancelException&) {
    return false;
  }
}

void SimNode::spend_on_gradient(double seconds) {
  simulation_.quiescence().do_postponed();
  check_not_crashed();
  if (seconds <= 0 || simulation_.has_enough_samples()) return;
  const Simulation::Busy busy(simulation_);
  const double since_s = computing_begins();
  const auto traced = simulation_.tracer().begin(experiment::TraceSpan::gradient, id(), step());
  computing_ = sg::this_actor::exec_init(seconds * simulation_.fabric().speed_flops(id()));
  const bool whole = wait_for(computing_);
  // The clock's difference is a rounding off what was asked for, which is therefore kept when it is the same.
  if (!whole || simulation_.fabric().speed_changes(id())) seconds = now() - since_s;
  computing_.reset();
  simulation_.tracer().end(traced);
  computing_ends(seconds);
}

void SimNode::cut_step_short() {
  // A copy: cancelling lets the computing actor go on before it returns.
  if (const auto computing = computing_) computing->cancel();
}

// --- messages ---

void SimNode::send(int target, Message message) {
  message.source = id();
  message.target = target;
  simulation_.network().send(std::move(message));
}

std::size_t SimNode::Queue::length() const { return node_.simulation_.network().waiting(node_.id(), target_); }

bool SimNode::Queue::merge(const Message& message, const std::function<bool(const Message&)>& is_same) {
  return node_.simulation_.network().merge_into_waiting(node_.id(), target_, message, is_same);
}

void SimNode::Queue::wait_for_room(std::size_t depth) {
  node_.simulation_.quiescence().do_postponed();
  node_.check_not_crashed();
  node_.simulation_.network().wait_for_room(node_.id(), target_, depth);
  node_.check_not_crashed();
}

void SimNode::Queue::flush() {
  node_.simulation_.quiescence().do_postponed();
  node_.check_not_crashed();
  node_.simulation_.network().wait_until_delivered(node_.id(), target_);
  node_.check_not_crashed();
}

void SimNode::deliver(Message message) {
  Inbox& inbox = inboxes_[message.port];
  const double time_s = now();
  // Arrivals of one instant are put in order of their senders: SimGrid's own order among them means nothing.
  auto place = inbox.arrivals.end();
  while (place != inbox.arrivals.begin() && std::prev(place)->time_s == time_s &&
         std::prev(place)->message.source > message.source) {
    --place;
  }
  inbox.arrivals.insert(place, {time_s, std::move(message)});
  if (inbox.receiver.signal != nullptr) std::exchange(inbox.receiver, {}).signal->ring();
}

Message SimNode::take_first(Inbox& inbox) {
  Message message = std::move(inbox.arrivals.front().message);
  inbox.arrivals.pop_front();
  return message;
}

Message SimNode::receive(int port, const Reason& reason) {
  simulation_.quiescence().do_postponed();
  check_not_crashed();
  Inbox& inbox = inboxes_[port];
  while (inbox.arrivals.empty()) {
    check(inbox.receiver.signal == nullptr, "one receiver per port");
    network::Signal arrival(simulation_.quiescence());
    inbox.receiver = {&arrival, &reason};
    arrival.wait();
    check_not_crashed();
  }
  return take_first(inbox);
}

std::optional<Message> SimNode::receive_for(int port, double seconds, const Reason& reason) {
  simulation_.quiescence().do_postponed();
  check_not_crashed();
  Inbox& inbox = inboxes_[port];
  const double deadline_s = now() + seconds;
  while (inbox.arrivals.empty()) {
    check(inbox.receiver.signal == nullptr, "one receiver per port");
    if (now() >= deadline_s) return std::nullopt;
    const Simulation::Busy busy(simulation_);
    network::Signal arrival(simulation_.quiescence());
    inbox.receiver = {&arrival, &reason};
    if (!arrival.wait_for(deadline_s - now())) {
      if (inbox.receiver.signal == nullptr) arrival.cancel_ring();
      inbox.receiver = {};
      check_not_crashed();
      return poll(port);
    }
    check_not_crashed();
  }
  return take_first(inbox);
}

std::optional<Message> SimNode::poll(int port) {
  Inbox& inbox = inboxes_[port];
  if (inbox.arrivals.empty()) return std::nullopt;
  return take_first(inbox);
}

// --- actors ---

void SimNode::spawn(const std::string& name, std::function<void()> body) {
  simulation_.quiescence().later(
      [this, name, body = std::move(body)] { simulation_.start_actor_of(*this, name, body); });
}

void SimNode::wait_until(const std::function<bool()>& holds, const Reason& reason) {
  simulation_.quiescence().do_postponed();
  check_not_crashed();
  while (!holds()) {
    network::Signal signal(simulation_.quiescence());
    waiters_.push_back({&signal, &reason});
    signal.wait();
    check_not_crashed();
  }
}

void SimNode::notify() {
  for (const Waiter& waiter : std::exchange(waiters_, {})) {
    simulation_.quiescence().later([signal = waiter.signal] { signal->ring(); });
  }
}

void SimNode::describe_waiting(std::vector<std::string>& lines) const {
  const std::string name = simulation_.fabric().name(id());
  if (leaving_ && !has_main_) return lines.push_back(name + " leaves");
  const auto describe = [&](const Waiter& waiter) {
    if (waiter.signal == nullptr) return;
    const std::string what = waiter.reason->text([&](int node) { return simulation_.fabric().name(node); });
    if (!what.empty()) lines.push_back(name + " waits for " + what);
  };
  for (const auto& [port, inbox] : inboxes_) describe(inbox.receiver);
  for (const Waiter& waiter : waiters_) describe(waiter);
}

}  // namespace ddl::runtime
