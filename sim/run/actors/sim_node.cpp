#include "sim/run/actors/sim_node.hpp"

#include <utility>

#include "core/node/layers.hpp"
#include "core/node/vectors.hpp"
#include "sim/run/cluster.hpp"

namespace ddl::run {
namespace {

// A worker may have been given its part already.
Payload part_held(const Payload& model, const Cluster& cluster, int id) {
  return id < cluster.workers ? model : share_part(model, cluster.slice_of(id));
}

}  // namespace

SimNode::SimNode(Simulation& simulation, int id, const Payload& start)
    : LearningNode(simulation.experiment(), id, part_held(start, simulation.cluster(), id)),
      simulation_(simulation),
      point_(simulation.quiescence()),
      processor_(simulation, id),
      split_model_(simulation, *this),
      waiting_(simulation, point_) {}

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

Gradient SimNode::gradient(const LayerCalls* calls) {
  if (calls == nullptr) return gradient_of({});
  note_layers();
  std::unique_ptr<Trainer::Gradient> job;
  Payload at;
  const GradientTasks tasks{.seconds = draw_gradient_seconds(),
                            .spend = [this](double seconds) { spend_on_gradient(seconds); },
                            .compute = [&](Payload weights) { job = begin_gradient(at = std::move(weights), {}); },
                            .result = [&] { return result_of(std::move(job), std::move(at)); }};
  return gradient_by_layers(cluster().layers, weights(), *calls, tasks);
}

Gradient SimNode::gradient_of(std::vector<std::uint32_t> samples) {
  Payload at = weights().snapshot();
  auto job = begin_gradient(at, std::move(samples));
  spend_on_gradient(draw_gradient_seconds());
  return result_of(std::move(job), std::move(at));
}

std::unique_ptr<Trainer::Gradient> SimNode::begin_gradient(Payload at, std::vector<std::uint32_t> samples) {
  Trainer* trainer = simulation_.trainer();
  return trainer != nullptr ? trainer->begin_gradient(id(), std::move(at), std::move(samples)) : nullptr;
}

Gradient SimNode::result_of(std::unique_ptr<Trainer::Gradient> job, Payload at) {
  point_.leave();
  if (!job) return {};
  Payload gradient = job->wait();
  if (const char* what = job->not_finite()) end_as_diverged(what);
  note_minibatch(job->loss(), job->accuracy());
  return gradient_at(std::move(at), std::move(gradient), job->loss());
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
  spend(seconds * slowdown_of(simulation_.scenario(), simulation_.fabric().host_name(id())));
}

void SimNode::spend(double seconds) {
  point_.enter();
  if (seconds <= 0) return;
  {
    const Simulation::Busy busy(simulation_);
    processor_.compute(seconds, TraceSpan::work, step());
  }
  point_.leave();
}

void SimNode::spend_on_gradient(double seconds) {
  point_.enter();
  if (seconds <= 0 || simulation_.has_enough_samples()) return;
  const Simulation::Busy busy(simulation_);
  computing_begins();
  computing_ends(processor_.compute_gradient(seconds, begun_steps() - 1));
  point_.leave();
  simulation_.network().wait_for_arrivals(id());
}

// --- messages ---

void SimNode::send(int target, Message message) {
  check(!message.relay || !cluster().hosts_change, "slices are forwarded only where hosts neither come nor go");
  message.source = id();
  message.target = target;
  simulation_.network().send(std::move(message));
}

SendQueue& SimNode::queue(int target) {
  return queues_.try_emplace(target, simulation_.network(), point_, id(), target).first->second;
}

// --- actors ---

void SimNode::spawn(const std::string& name, std::function<void()> body) {
  simulation_.quiescence().later(
      [this, name, body = std::move(body)] { simulation_.start_actor_of(*this, name, body); });
}

void SimNode::describe_waiting(std::vector<std::string>& lines) const {
  if (leaving_ && !has_main_) return lines.push_back(simulation_.fabric().name(id()) + " leaves");
  waiting_.describe(lines, id());
}

// --- hosts that come and go ---

void SimNode::unwatch(int port) {
  watching_.erase(port);
  waiting_.discard_events(port);
}

void SimNode::unwind() {
  const std::vector<network::Signal*> asleep = waiting_.take_all();
  processor_.cancel_all();
  network::Signal::ring_all(asleep);
}

std::int64_t SimNode::discard_state() {
  check(!has_actors(), "a host forgets once its actors are gone");
  waiting_.clear();
  watching_.clear();
  has_main_ = leaving_ = returns_ = leaves_again_ = false;
  end_incarnation();
  return lose_steps();
}

void SimNode::start(HostStart how, const Payload& first_weights) {
  point_.restart();
  start_ = how;
  if (how != HostStart::with_state) reset_replica(part_held(first_weights, cluster(), id()));
}

void SimNode::notify_presence(int node, Presence presence) {
  std::vector<int> ports;
  for (const auto& [port, hosts] : watching_) {
    if (hosts.contains(node)) ports.push_back(port);
  }
  for (const int port : ports) {
    if (!watching_.contains(port)) continue;  // an actor that was woken has stopped watching
    deliver({.port = port, .body = MembershipEvent{presence, events()}, .source = node, .target = id()});
  }
  notify();
}

}  // namespace ddl::run
